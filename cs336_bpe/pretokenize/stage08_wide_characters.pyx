# cython: language_level=3
# distutils: language = c++
# distutils: define_macros = CS336_BPE_SMALL_PAGES=1
"""Stage 08: a loop of its own for characters of several bytes, over the bytes as they were read.

Unlike stage 07, which asks at every character how many bytes it has, this one has two loops: one
for ASCII, where a byte is a character, and one for all other characters. Text in one script stays
in one of them for long, so the branch between the two is predicted. The second loop decodes UTF-8,
and sees where it is not valid. So a block is no longer decoded beforehand, and special tokens are
searched for in its bytes. The loops are in `native/automaton.h`.

Cost: a branch for each character that depends on its length -> one where the script changes.
Memory: as stage 07, without the text of a block as a Python string.
Expect: more than twice as fast on text that is not English, and a little on text that is.
Trap: a character may be cut short by the end of the text, and bytes after it must not count.
"""

from libc.stdint cimport uint8_t

import os

from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.scanner cimport CompiledPattern
from cs336_bpe.native.special_tokens cimport SpecialSearch, SpecialTokens
from cs336_bpe.native.starts cimport NO_MASKS, Scanner, Starts
from cs336_bpe.pretokenize.word_counts cimport SHORT, LongTable, ShortKey, ShortTable, add_to_dict
from cs336_bpe.pretokenize.word_counts cimport counted_key

from cs336_bpe.common.progress import reporting
from cs336_bpe.native.scanner import compiled
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import GPT2_PATTERN, check_errors, check_size, check_special_tokens
from cs336_bpe.rules import check_workers
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, file_size, open_text
from cs336_bpe.text.cuts import Cutter

cdef enum:
    DONE, NO_MEMORY, INVALID

init_scanner()


def count_pretokens(input_path, special_tokens, *, pattern=GPT2_PATTERN, errors="strict",
                    workers=None, block_bytes=DEFAULT_BLOCK_BYTES, progress=None):
    """How often each pretoken occurs in a file."""
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    check_workers(workers, most=1)
    check_size("block_bytes", block_bytes, 1)
    cdef Table counts = Table(compiled(pattern), specials)
    with open_text(input_path) as file:
        size = file_size(file)
        cutter = Cutter(specials, pattern, errors)
        reader = BlockReader(file, os.fspath(input_path), cutter, block_bytes, end=size)
        buffer = bytearray(reader.block_bytes + SCAN_PADDING)
        with reporting(progress, "count", size or 0) as report:
            while block := reader.read_into(buffer):
                if len(buffer) < block + SCAN_PADDING:
                    buffer.extend(bytes(SCAN_PADDING))
                counts.count_block(buffer, block, errors, input_path, reader.offset - block)
                report(reader.offset)
    return PretokenCounts(counts.as_dict())


cdef class Table:
    """Counts of pretokens, in tables that this object owns, and the special tokens."""
    cdef ShortTable shorts
    cdef LongTable longs
    cdef SpecialTokens specials
    cdef CompiledPattern pattern
    cdef Scanner scanner

    def __cinit__(self, CompiledPattern pattern not None, specials):
        self.pattern = pattern  # owns what the scanner points to
        self.scanner = pattern.scanner
        self.scanner.masks = NO_MASKS
        if not self.shorts.start(1 << 12) or not self.longs.start(1 << 8):
            raise MemoryError("no memory for the table of pretokens")
        for token in specials:
            self.specials.add(token.encode(), 0)

    def __dealloc__(self):
        self.shorts.end()
        self.longs.end()

    def count_block(self, bytearray block, size_t size, errors, name, offset):
        """Count the pretokens of block[:size]; SCAN_PADDING bytes come after it."""
        if errors != "strict":
            clean = decode(bytes(block[:size]), errors, name).encode()
            size = len(clean)
            block = bytearray(clean) + bytes(SCAN_PADDING)
        status = self.count_text(block, size)
        if status == NO_MEMORY:
            raise MemoryError("no memory for the table of pretokens")
        if status == INVALID:
            decode(bytes(block[:size]), "strict", name, offset)  # says where
            raise AssertionError("the scanner and the decoder disagree on UTF-8")

    cdef int count_text(self, const uint8_t *text, size_t size) noexcept nogil:
        """Count the documents between special tokens."""
        cdef SpecialSearch search
        cdef size_t at = 0, special
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
        cdef size_t i, start, stop = 0
        starts.begin(&self.scanner, text, begin, end, False)
        while starts.find():
            for i in range(starts.ready):
                start, stop = starts.starts[i], starts.starts[i + 1]
                if not self.add(text + start, stop - start):
                    return NO_MEMORY
        return INVALID if starts.invalid else DONE

    cdef bint add(self, const uint8_t *start, size_t length) noexcept nogil:
        cdef ShortKey key
        if length > SHORT:
            return self.longs.add(start, length, 1)
        key = counted_key(start, length)
        return self.shorts.add(key, self.shorts.hash_of(key), 1) and self.shorts.tidy()

    def as_dict(self):
        counts = {}
        add_to_dict(&self.shorts, counts)
        add_to_dict(&self.longs, counts)
        return counts
