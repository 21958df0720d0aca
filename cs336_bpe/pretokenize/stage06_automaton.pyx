# cython: language_level=3
# distutils: language = c++
# distutils: define_macros = CS336_BPE_SMALL_PAGES=1
"""Stage 06: any pattern, compiled to a table.

Unlike stage 05, which has GPT-2's pattern written out in code, this one has a loop that knows no
pattern: `cs336_bpe.patterns` turns a regular expression into an automaton, and the loop follows
its table. A character's class is looked up, and then the next state; when there is none, the
pretoken ends at the last place where a match could end.

Cost: a few branches for each character -> two look-ups, and for each pretoken the way back.
Memory: as stage 05, and some 50 kB for the classes of all characters.
Expect: slower than the scanner written by hand, whose branches are mostly predicted, and many times
faster than `regex`; and it runs any pattern, which that one doesn't.
Trap: an attempt must look one character further than its match, and at the end of the text there is
none. The end is a class too.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy

import os

from cs336_bpe.native.automaton cimport Automaton
from cs336_bpe.native.scanner cimport CompiledPattern
from cs336_bpe.pretokenize.word_counts cimport SHORT, LongTable, ShortKey, ShortTable, add_to_dict
from cs336_bpe.pretokenize.word_counts cimport counted_key

from cs336_bpe.common.progress import reporting
from cs336_bpe.native.scanner import compiled
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import GPT2_PATTERN, check_errors, check_size, check_special_tokens
from cs336_bpe.rules import check_workers
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, file_size, open_text
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.specials import split_at_specials


def count_pretokens(input_path, special_tokens, *, pattern=GPT2_PATTERN, errors="strict",
                    workers=None, block_bytes=DEFAULT_BLOCK_BYTES, progress=None):
    """How often each pretoken occurs in a file."""
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    check_workers(workers, most=1)
    check_size("block_bytes", block_bytes, 1)
    cdef Table counts = Table(compiled(pattern))
    with open_text(input_path) as file:
        size = file_size(file)
        cutter = Cutter(specials, pattern, errors)
        reader = BlockReader(file, os.fspath(input_path), cutter, block_bytes, end=size)
        buffer = bytearray()
        with reporting(progress, "count", size or 0) as report:
            while block := reader.read_into(buffer):
                text = decode(bytes(buffer[:block]), errors, input_path, reader.offset - block)
                for document in split_at_specials(text.encode(), specials):
                    counts.count_document(document)
                report(reader.offset)
    return PretokenCounts(counts.as_dict())


cdef class Table:
    """Counts of pretokens, in tables that this object owns."""
    cdef CompiledPattern pattern
    cdef ShortTable shorts
    cdef LongTable longs

    def __cinit__(self, CompiledPattern pattern not None):
        self.pattern = pattern
        if not self.shorts.start(1 << 12) or not self.longs.start(1 << 8):
            raise MemoryError("no memory for the table of pretokens")

    def __dealloc__(self):
        self.shorts.end()
        self.longs.end()

    cdef int count_document(self, bytes text) except -1:
        cdef const Automaton *automaton = &self.pattern.scanner.automaton
        cdef const uint8_t *start = <const uint8_t *>PyBytes_AS_STRING(text)
        cdef const uint8_t *end = start + len(text)
        cdef const uint8_t *stop
        cdef bint has_memory = True
        while start < end and has_memory:
            stop = match_end(automaton, start, end)
            if stop > start:
                has_memory = self.add(start, stop - start, end - start)
                start = stop
            else:  # nothing matches here, so this character is in no pretoken
                start = after_character(start, end)
        if not has_memory:
            raise MemoryError("no memory for the table of pretokens")
        return 0

    cdef bint add(self, const uint8_t *start, size_t length, size_t readable) noexcept nogil:
        cdef uint8_t copy[16]
        cdef ShortKey key
        if length > SHORT:
            return self.longs.add(start, length, 1)
        if readable < 16:
            memcpy(copy, start, length)
            start = copy
        key = counted_key(start, length)
        return self.shorts.add(key, self.shorts.hash_of(key), 1) and self.shorts.tidy()

    def as_dict(self):
        counts = {}
        add_to_dict(&self.shorts, counts)
        add_to_dict(&self.longs, counts)
        return counts


cdef const uint8_t *match_end(const Automaton *automaton, const uint8_t *start,
                              const uint8_t *end) noexcept nogil:
    """Where the match that begins at `start` ends; `start` itself if there is none."""
    cdef const uint8_t *at = start
    cdef const uint8_t *stop = start
    cdef int32_t state = 0  # a state is the place of its row in the table
    cdef uint32_t column
    cdef int length = 0
    while state >= 0:
        column = class_at(automaton, at, &length) if at < end else automaton.num_classes
        if automaton.accept[state + column]:
            stop = at
        state = automaton.next[state + column]
        at += length
    return stop


cdef inline uint32_t class_at(const Automaton *automaton, const uint8_t *at,
                              int *length) noexcept nogil:
    """The class of the character here, and how many bytes it has."""
    cdef uint32_t point = at[0]
    length[0] = 1
    if point >= 0xF0:
        point = (point & 0x07) << 18 | (at[1] & 0x3F) << 12 | (at[2] & 0x3F) << 6 | (at[3] & 0x3F)
        length[0] = 4
    elif point >= 0xE0:
        point = (point & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)
        length[0] = 3
    elif point >= 0x80:
        point = (point & 0x1F) << 6 | (at[1] & 0x3F)
        length[0] = 2
    return automaton.blocks[<uint32_t>automaton.index[point >> 8] << 8 | (point & 0xFF)]


cdef inline const uint8_t *after_character(const uint8_t *at, const uint8_t *end) noexcept nogil:
    at += 1
    while at < end and at[0] & 0xC0 == 0x80:
        at += 1
    return at
