# cython: language_level=3
# distutils: language = c++
"""Stage 12: one table for all pretokens, and a look-up that rolls along after the prefetch.

Unlike stage 11, which has three tables, sorts a batch of pretokens by their length, asks for the
places of all of them and then counts them, this one has one table with entries of 32 bytes. Each
step asks for the place of a pretoken, and counts the one that was asked for 64 steps before
(`rolling_counts.h`). It is what stages 15 and 16 of encoding do, with a count in place of ids.
In the end threads walk along their tables side by side (`add_words.h`).

Cost: fewer instructions, and none that depends on whether a pretoken is short or very short.
Memory: 32 bytes for each place of the table, where stage 11 has 16, 24 or 32.
Expect: a third more. A processor guesses badly which length comes next, and long ones waited.
Trap: nothing may move while places are remembered, so the table grows between batches only.
"""

from libc.stdint cimport uint8_t, uint64_t

import os
from functools import partial

from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.scanner cimport CompiledPattern
from cs336_bpe.native.special_tokens cimport SpecialSearch, SpecialTokens
from cs336_bpe.native.starts cimport Starts
from cs336_bpe.pretokenize.total cimport Total
from cs336_bpe.pretokenize.word_table cimport WordCounts, WordTable, check_memory

from cs336_bpe.common.progress import reporting
from cs336_bpe.native.scanner import compiled
from cs336_bpe.rules import GPT2_PATTERN, check_errors, check_size, check_special_tokens
from cs336_bpe.rules import check_workers
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, file_size, open_text
from cs336_bpe.text.crew import num_threads, over_blocks, over_calls
from cs336_bpe.text.cuts import Cutter

cdef extern from "rolling_counts.h" nogil:
    void keys_init_module()
    cppclass RollingCounter:
        WordTable *table
        bint count_batch(const uint8_t *text, const size_t *starts, size_t number)

cdef enum:
    DONE, NO_MEMORY, INVALID

MOST_OWN = 1 << 19  # distinct pretokens in a thread's own table: half of 2**20 places

keys_init_module()
init_scanner()


def count_pretokens(input_path, special_tokens, *, pattern=GPT2_PATTERN, errors="strict",
                    workers=None, block_bytes=DEFAULT_BLOCK_BYTES, progress=None):
    """How often each pretoken occurs in a file."""
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    num_workers = check_workers(workers)
    check_size("block_bytes", block_bytes, 1)
    with open_text(input_path) as file:
        size = file_size(file)
        cutter = Cutter(specials, pattern, errors)
        reader = BlockReader(file, os.fspath(input_path), cutter, block_bytes, end=size)
        with reporting(progress, "count", size or 0) as report:
            return count_blocks(reader, specials, pattern, errors, num_workers, report)


def count_blocks(reader, specials, pattern, errors, workers, report):
    """Count all blocks of a reader, in this thread or in several."""
    scanner = compiled(pattern)
    total = Total()
    all_tables = [Table(scanner, specials) for _ in range(num_threads(reader, workers))]
    works = [partial(table.count_block, errors, total) for table in all_tables]
    over_blocks(reader, works, report, padding=SCAN_PADDING)
    if len(total):
        over_calls([partial(table.empty_into, total) for table in all_tables], len(all_tables))
        return total.as_counts()
    first, *others = all_tables
    for other in others:
        first.add(other, len(all_tables))
    return first.as_counts(len(all_tables))


cdef class Table(WordCounts):
    """Counts of pretokens, and the special tokens."""
    cdef SpecialTokens specials
    cdef CompiledPattern pattern

    def __cinit__(self, CompiledPattern pattern not None, specials):
        self.pattern = pattern
        for token in specials:
            self.specials.add(token.encode(), 0)

    def count_block(self, errors, Total total, block):
        """Count the pretokens of a block; SCAN_PADDING bytes come after it."""
        cdef bytearray buffer = block.buffer
        cdef size_t size = block.size, number = 0
        cdef const uint64_t[::1] ends
        cdef const uint8_t *text
        cdef int status
        cdef bint with_specials = True
        if block.packing is not None:
            ends = block.packing.ends
            with_specials = block.packing.specials
            number = len(ends)
        elif errors != "strict":
            clean = decode(bytes(buffer[:size]), errors, block.name).encode()
            size = len(clean)
            buffer = bytearray(clean) + bytes(SCAN_PADDING)
        text = buffer
        with nogil:
            if number:
                status = self.count_texts(text, &ends[0], number, with_specials)
            else:
                status = self.count_text(text, 0, size)
        check_memory(status != NO_MEMORY)
        if status == INVALID:
            block.complain()
        self.empty_into(total, MOST_OWN)

    cdef int count_texts(self, const uint8_t *text, const uint64_t *ends, size_t number,
                         bint with_specials) noexcept nogil:
        """Count texts that lie one after the other."""
        cdef size_t i, start = 0
        cdef int status = DONE
        for i in range(number):
            if with_specials:
                status = self.count_text(text, start, ends[i])
            else:
                status = self.count_document(text, start, ends[i])
            if status != DONE:
                return status
            start = ends[i]
        return status

    cdef int count_text(self, const uint8_t *text, size_t start, size_t size) noexcept nogil:
        """Count the documents between special tokens in `text[start:size]`."""
        cdef SpecialSearch search
        cdef size_t at = start, special
        cdef int status
        search.begin(&self.specials, text, size)
        while True:
            special = search.next(at)
            status = self.count_document(text, at, special)
            if status != DONE or special == size:
                return status
            at = special + search.length

    cdef int count_document(self, const uint8_t *text, size_t begin, size_t end) noexcept nogil:
        cdef Starts starts
        cdef RollingCounter counter
        counter.table = &self.words
        starts.begin(&self.pattern.scanner, text, begin, end, False)
        while starts.find():
            if starts.ready and not counter.count_batch(text, starts.starts, starts.ready):
                return NO_MEMORY
        return INVALID if starts.invalid else DONE
