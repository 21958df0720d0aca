# cython: language_level=3
# distutils: language = c++
"""Stage 11: threads, each with a table of its own, and columns instead of a dictionary.

Unlike stage 10, which counts all blocks in one thread, this one gives them to several. Nothing in
the loop is a Python object, so the interpreter's lock (the GIL) is released and they really run at
the same time. Each thread counts into its own table, without a lock; at the end the tables are
added up. What is left to one thread must then be short, so the result is not a dictionary but
three columns: all pretokens in one string, their lengths, their counts. `PretokenCounts` makes a
dictionary of them if somebody asks for an entry; training does not.

Cost: that of stage 10, divided by the threads; plus adding up a table for each.
Memory: a block and a table for each thread. A table that has become large is emptied into one that
all share, so what grows with the distinct pretokens is there once, however many threads there are.
Expect: close to stage 10 divided by the number of cores if the file is large. On a small one every
thread meets most of the distinct pretokens for itself, so the tables to add up are large.
Trap: a thread that fails must not let the others go on for minutes, and the error that is raised
must be the first one in the file, not the first one in time. See `text/crew.py`.
"""

from libc.stdint cimport uint8_t, uint64_t

import os
from functools import partial

from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.scanner cimport CompiledPattern
from cs336_bpe.native.special_tokens cimport SpecialSearch, SpecialTokens
from cs336_bpe.native.starts cimport BATCH, Starts
from cs336_bpe.pretokenize.add_up cimport ColumnWriter, add_all, column_sizes, empty_into
from cs336_bpe.pretokenize.add_up cimport new_columns
from cs336_bpe.pretokenize.total cimport Total
from cs336_bpe.pretokenize.word_counts cimport SHORT, TINY, LongTable, ShortKey, ShortTable
from cs336_bpe.pretokenize.word_counts cimport TinyTable, counted_key, tiny_key

from cs336_bpe.common.progress import reporting
from cs336_bpe.native.scanner import compiled
from cs336_bpe.pretokenize.counts import Columns, PretokenCounts
from cs336_bpe.rules import GPT2_PATTERN, check_errors, check_size, check_special_tokens
from cs336_bpe.rules import check_workers
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, file_size, open_text
from cs336_bpe.text.crew import num_threads, over_blocks, over_calls
from cs336_bpe.text.cuts import Cutter

cdef enum:
    DONE, NO_MEMORY, INVALID
    SHORTS = 0, TINIES, LONGS  # the tables, the largest first

MOST_OWN = 3 << 17  # distinct pretokens in one of a thread's own tables: 3/8 of 2**20 places

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
    if others:
        over_calls([partial(first.add, which, others) for which in range(3)], len(all_tables))
    return first.as_counts()


cdef class Table:
    """Counts of pretokens, in tables that this object owns, and the special tokens."""
    cdef TinyTable tinies
    cdef ShortTable shorts
    cdef LongTable longs
    cdef SpecialTokens specials
    cdef CompiledPattern pattern

    def __cinit__(self, CompiledPattern pattern not None, specials):
        self.pattern = pattern
        if not (self.tinies.start(1 << 13) and self.shorts.start(1 << 12)
                and self.longs.start(1 << 8)):
            raise MemoryError("no memory for the table of pretokens")
        for token in specials:
            self.specials.add(token.encode(), 0)

    def __dealloc__(self):
        self.tinies.end()
        self.shorts.end()
        self.longs.end()

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
        if status == NO_MEMORY:
            raise MemoryError("no memory for the table of pretokens")
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
        cdef uint64_t tiny_keys[BATCH], tiny_hashes[BATCH], short_hashes[BATCH]
        cdef ShortKey short_keys[BATCH]
        cdef uint64_t tiny, hash_of_key
        cdef ShortKey key
        cdef size_t i, start, num_tiny, num_short, length
        starts.begin(&self.pattern.scanner, text, begin, end, False)
        while starts.find():
            num_tiny = num_short = 0
            for i in range(starts.ready):
                start = starts.starts[i]
                length = starts.starts[i + 1] - start
                if length <= TINY:
                    tiny = tiny_key(text + start, length)
                    hash_of_key = self.tinies.hash_of(tiny)
                    self.tinies.prefetch(hash_of_key)
                    tiny_keys[num_tiny] = tiny
                    tiny_hashes[num_tiny] = hash_of_key
                    num_tiny += 1
                elif length <= SHORT:
                    key = counted_key(text + start, length)
                    hash_of_key = self.shorts.hash_of(key)
                    self.shorts.prefetch(hash_of_key)
                    short_keys[num_short] = key
                    short_hashes[num_short] = hash_of_key
                    num_short += 1
                elif not self.longs.add(text + start, length, 1):
                    return NO_MEMORY
            for i in range(num_tiny):
                if not self.tinies.add(tiny_keys[i], tiny_hashes[i], 1):
                    return NO_MEMORY
            for i in range(num_short):
                if not self.shorts.add(short_keys[i], short_hashes[i], 1):
                    return NO_MEMORY
            if not (self.tinies.tidy() and self.shorts.tidy()):
                return NO_MEMORY
        return INVALID if starts.invalid else DONE

    def add(self, int which, list others):
        """Add the counts of other tables to one of the three, which no other thread is using.

        Each of them is freed then: while there are many, what has been added must not stay.
        """
        cdef Table other
        cdef bint has_memory
        for other in others:
            with nogil:
                if which == SHORTS:
                    has_memory = add_all(self.shorts, other.shorts)
                    other.shorts.end()
                elif which == TINIES:
                    has_memory = add_all(self.tinies, other.tinies)
                    other.tinies.end()
                else:
                    has_memory = add_all(self.longs, other.longs)
                    other.longs.end()
            if not has_memory:
                raise MemoryError("no memory for the table of pretokens")

    def empty_into(self, Total total, size_t most=0):
        """Move what is in the tables to the total, of those that have more than `most` pretokens.
        Other threads may do the same."""
        cdef bint has_memory
        with nogil:
            has_memory = (empty_into(self.shorts, most, total.shorts)
                          and empty_into(self.tinies, most, total.tinies)
                          and empty_into(self.longs, most, total.longs))
        if not has_memory:
            raise MemoryError("no memory for the table of pretokens")

    def as_counts(self):
        """What is in the tables, as columns: no Python object is made for a pretoken."""
        cdef ColumnWriter writer
        columns = new_columns(column_sizes(self.shorts, self.tinies, self.longs), &writer)
        writer.write(self.shorts)
        writer.write(self.tinies)
        writer.write(self.longs)
        return PretokenCounts.from_columns(Columns(*columns))
