# cython: language_level=3
# distutils: language = c++
# distutils: define_macros = CS336_BPE_SMALL_PAGES=1
"""Stage 05: a table of our own, in which a pretoken is its own key.

Unlike stage 04, which makes a Python object of every pretoken to look it up in a dictionary, this
one copies its bytes into a 16-byte key and counts in a hash table of these keys. The few pretokens
of more than 15 bytes are in a second table. A Python object is made once for each distinct
pretoken, at the end.

Cost: an object, its hash and a look-up for each pretoken -> a key and a look-up.
Memory: 24 bytes for each distinct pretoken of up to 15 bytes, 32 and the bytes for a longer one,
and as much again that is free; then the dictionary.
Expect: some times faster. What is left is the scanner, and waiting for the table's memory.
Trap: a key is made by reading 16 bytes, whatever the pretoken's length. At the end of a document
so many may not be there.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

import os

from cs336_bpe.pretokenize.word_counts cimport SHORT, LongTable, ShortKey, ShortTable, add_to_dict
from cs336_bpe.pretokenize.word_counts cimport counted_key

from cs336_bpe.common.progress import reporting
from cs336_bpe.native.classes import tables
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import GPT2_PATTERN, check_errors, check_size, check_special_tokens
from cs336_bpe.patterns.known import check_is_gpt2
from cs336_bpe.rules import check_workers
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, file_size, open_text
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.specials import split_at_specials

cdef enum:
    OTHER, LETTER, DIGIT, SPACE

cdef bytes index_bytes = tables()[0]
cdef bytes class_bytes = tables()[1]
cdef const uint8_t *class_index = <const uint8_t *>PyBytes_AS_STRING(index_bytes)
cdef const uint8_t *classes = <const uint8_t *>PyBytes_AS_STRING(class_bytes)


def count_pretokens(input_path, special_tokens, *, pattern=GPT2_PATTERN, errors="strict",
                    workers=None, block_bytes=DEFAULT_BLOCK_BYTES, progress=None):
    """How often each pretoken occurs in a file."""
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    check_workers(workers, most=1)
    check_size("block_bytes", block_bytes, 1)
    check_is_gpt2(pattern)
    cdef Table counts = Table()
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


def pretokens(bytes text not None):
    """The pretokens of a valid UTF-8 text.

    >>> pretokens(b"It's  2 am")
    [b'It', b"'s", b' ', b' 2', b' am']
    """
    cdef const uint8_t *start = <const uint8_t *>PyBytes_AS_STRING(text)
    cdef const uint8_t *end = start + len(text)
    cdef const uint8_t *stop
    found = []
    while start < end:
        stop = pretoken_end(start, end)
        found.append(PyBytes_FromStringAndSize(<const char *>start, stop - start))
        start = stop
    return found


cdef class Table:
    """Counts of pretokens, in tables that this object owns."""
    cdef ShortTable shorts
    cdef LongTable longs

    def __cinit__(self):
        if not self.shorts.start(1 << 12) or not self.longs.start(1 << 8):
            raise MemoryError("no memory for the table of pretokens")

    def __dealloc__(self):
        self.shorts.end()
        self.longs.end()

    cdef int count_document(self, bytes text) except -1:
        cdef const uint8_t *start = <const uint8_t *>PyBytes_AS_STRING(text)
        cdef const uint8_t *end = start + len(text)
        cdef const uint8_t *stop
        cdef bint has_memory = True
        while start < end and has_memory:
            stop = pretoken_end(start, end)
            has_memory = self.add(start, stop - start, end - start)
            start = stop
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


cdef const uint8_t *pretoken_end(const uint8_t *start, const uint8_t *end) noexcept nogil:
    """Where the pretoken that starts here ends. The text must be valid UTF-8, and not empty."""
    cdef const uint8_t *at = start
    cdef const uint8_t *last
    cdef int length = 0, kind
    # '(?:[sdmt]|ll|ve|re)
    if at[0] == c"'":
        length = contraction_length(at, end)
        if length:
            return at + length
    #  ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+
    if at[0] == c" " and at + 1 < end:
        at += 1
    kind = class_at(at, &length)
    if kind != SPACE:
        while at < end and class_at(at, &length) == kind:
            at += length
        return at
    # \s+(?!\S)|\s+
    at = last = start
    while at < end and class_at(at, &length) == SPACE:
        last = at
        at += length
    return last if at < end and last > start else at


cdef int contraction_length(const uint8_t *at, const uint8_t *end) noexcept nogil:
    if at + 1 < end and at[1] in (c"s", c"d", c"m", c"t"):
        return 2
    if at + 2 < end and (at[1] == at[2] == c"l" or (at[1] in (c"v", c"r") and at[2] == c"e")):
        return 3
    return 0


cdef inline int class_at(const uint8_t *at, int *length) noexcept nogil:
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
    return classes[<uint32_t>class_index[point >> 8] << 8 | (point & 0xFF)]
