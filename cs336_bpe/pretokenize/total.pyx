# cython: language_level=3
# distutils: language = c++
"""A sum of counts that come as columns, from files or from other processes, or from threads.

`PretokenCounts` adds up dictionaries. Here the sum is in tables without Python objects, so adding
the counts of a task takes a hash and an addition per distinct pretoken. There is one sum of the
whole corpus, so these tables are made to be small: `dense_counts.h`.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from cs336_bpe.pretokenize.add_up cimport ColumnWriter, column_sizes, new_columns
from cs336_bpe.pretokenize.word_counts cimport SHORT, TINY, counted_key, tiny_key

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

    def __cinit__(self):
        if not (self.tinies.start(1 << 12) and self.shorts.start(1 << 12)
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
        if length > SHORT:
            return self.longs.add(text, length, count)
        memset(word, 0, SHORT + 1)
        memcpy(word, text, length)
        if length <= TINY:
            return self.tinies.add(tiny_key(word, length), count)
        return self.shorts.add(counted_key(word, length), count)

    def __len__(self):
        """How many distinct pretokens there are."""
        return self.tinies.size() + self.shorts.size() + self.longs.size()

    def as_counts(self):
        """The sum."""
        cdef ColumnWriter writer
        columns = new_columns(column_sizes(self.shorts, self.tinies, self.longs), &writer)
        writer.write(self.shorts)
        writer.write(self.tinies)
        writer.write(self.longs)
        return PretokenCounts.from_columns(Columns(*columns))
