# cython: language_level=3
# distutils: language = c++
"""A sum of counts that come as columns, from files or from other processes.

`PretokenCounts` adds up dictionaries. Here the sum is in the tables of the last stage, so adding
the counts of a task takes a hash and an addition per distinct pretoken.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from cs336_bpe.pretokenize.add_up cimport columns_of
from cs336_bpe.pretokenize.word_counts cimport SHORT, TINY, LongTable, ShortKey, ShortTable
from cs336_bpe.pretokenize.word_counts cimport TinyTable, short_key, tiny_key

import numpy

from cs336_bpe.pretokenize.counts import Columns, PretokenCounts


cdef class Total:
    """
    >>> total = Total()
    >>> for _ in range(2):
    ...     total.add(b"lownewer", [3, 5], [2, 1])
    >>> total.as_counts() == {b"low": 4, b"newer": 2}
    True
    """
    cdef TinyTable tinies
    cdef ShortTable shorts
    cdef LongTable longs

    def __cinit__(self):
        if not (self.tinies.start(1 << 13) and self.shorts.start(1 << 12)
                and self.longs.start(1 << 8)):
            raise MemoryError("no memory for the table of pretokens")

    def __dealloc__(self):
        self.tinies.end()
        self.shorts.end()
        self.longs.end()

    def add(self, const uint8_t[::1] text not None, lengths, counts):
        """Add counts: all pretokens one after the other, their lengths, their counts."""
        cdef const uint64_t[::1] all_lengths = numpy.ascontiguousarray(lengths, numpy.uint64)
        cdef const uint64_t[::1] all_counts = numpy.ascontiguousarray(counts, numpy.uint64)
        cdef size_t i, length, at = 0, number = len(all_lengths)
        cdef bint has_memory = True
        if number != <size_t>len(all_counts) or numpy.sum(all_lengths) != len(text):
            raise ValueError(f"{number} lengths do not fit {len(text)} bytes of text and "
                             f"{len(all_counts)} counts")
        with nogil:
            for i in range(number):
                length = all_lengths[i]
                if length and all_counts[i]:  # an entry whose count is 0 would look free
                    has_memory = self.add_one(&text[at], length, all_counts[i])
                    if not has_memory:
                        break
                at += length
        if not has_memory:
            raise MemoryError("no memory for the table of pretokens")

    cdef bint add_one(self, const uint8_t *text, size_t length, uint64_t count) noexcept nogil:
        cdef uint8_t word[SHORT + 1]  # a key is read as 8 or 16 bytes, whatever its length
        cdef ShortKey key
        cdef uint64_t tiny
        if length > SHORT:
            return self.longs.add(text, length, count)
        memset(word, 0, SHORT + 1)
        memcpy(word, text, length)
        if length <= TINY:
            tiny = tiny_key(word, length)
            return self.tinies.add(tiny, self.tinies.hash_of(tiny), count) and self.tinies.tidy()
        key = short_key(word, length)
        return self.shorts.add(key, self.shorts.hash_of(key), count) and self.shorts.tidy()

    def as_counts(self):
        """The sum."""
        return PretokenCounts.from_columns(
            Columns(*columns_of(self.shorts, self.tinies, self.longs)))
