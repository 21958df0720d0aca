# cython: language_level=3
# distutils: language = c++
# distutils: define_macros = CS336_BPE_SMALL_PAGES=1
"""Stage 07: the end of a pretoken and the start of the next in one transition.

Unlike stage 06, which makes an attempt for each pretoken and goes back when it dies, this one never
stops between two pretokens. If an attempt dies before a character, and a match could end there,
then the next attempt begins with that character: both are known when the table is made, so the
transition leads where the next attempt is after its first step, and has a flag, EMIT. Each step
writes its place down as a start, and only the flag decides whether that is kept.

Cost: a branch for each pretoken that no processor can predict -> none.
Memory: as stage 06.
Expect: a good deal faster on text with short pretokens; nothing on characters of several bytes,
which are decoded as before.
Trap: an attempt may die where no match could end, after one could have ended earlier: white space
before a word. Then there is no other way than back to that place, MARK. Such a transition has the
flag BACK.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

import os

from cs336_bpe.native.automaton cimport STEP_BACK, STEP_EMIT, STEP_MARK, Automaton, Step
from cs336_bpe.native.automaton cimport DeadEnds, automaton_match
from cs336_bpe.native.scan cimport SCAN_PADDING
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

cdef enum:
    BATCH = 256  # starts that are found before they are counted


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
        cdef const uint8_t *start = <const uint8_t *>PyBytes_AS_STRING(text)
        cdef const uint8_t *end = start + len(text)
        cdef bint has_memory
        if self.pattern.leaves_gaps:
            has_memory = self.count_matches(text + bytes(SCAN_PADDING), len(text))
        else:
            has_memory = self.count_starts(start, end)
        if not has_memory:
            raise MemoryError("no memory for the table of pretokens")
        return 0

    cdef bint count_starts(self, const uint8_t *text, const uint8_t *end) noexcept nogil:
        """Count the pretokens of a text, each of which ends where the next one starts."""
        cdef const Automaton *automaton = &self.pattern.scanner.automaton
        cdef const uint8_t *starts[BATCH]
        cdef const uint8_t *at = text
        cdef const uint8_t *mark = text
        cdef uint32_t state = 0
        cdef size_t i, found = 1
        cdef int length = 0
        cdef Step step
        if text == end:
            return True
        starts[0] = text
        while at < end:
            step = automaton.steps[state + class_at(automaton, at, &length)]
            state = step.next
            starts[found] = at
            found += step.flags & STEP_EMIT
            mark = at if step.flags & STEP_MARK else mark
            at += length
            if at == end and automaton.steps[state + automaton.num_classes].flags & STEP_BACK:
                step.flags = STEP_BACK
            if step.flags & STEP_BACK:
                at = mark
                starts[found] = at
                found += 1
                state = 0
            if found > BATCH - 2:  # room for one that is kept, and one that may not be
                for i in range(found - 1):
                    if not self.add(starts[i], starts[i + 1] - starts[i], end - starts[i]):
                        return False
                starts[0] = starts[found - 1]
                found = 1
        starts[found] = end
        for i in range(found):
            if not self.add(starts[i], starts[i + 1] - starts[i], end - starts[i]):
                return False
        return True

    cdef bint count_matches(self, const uint8_t *text, size_t size) noexcept nogil:
        """The same for a pattern that leaves gaps: match by match, as in stage 06."""
        cdef size_t at = 0, stop, length = 0
        cdef DeadEnds dead_ends
        while at < size:
            stop = automaton_match(&self.pattern.scanner.automaton, text, at, size, False, &length,
                                   &dead_ends)
            if stop > at and not self.add(text + at, stop - at, 16):
                return False
            at = stop if stop > at else at + length
        return True

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
