# cython: language_level=3
"""What `dense_counts.h` declares, and the sum that is made of it."""

from libc.stdint cimport uint8_t, uint64_t

from cs336_bpe.pretokenize.word_counts cimport ShortKey


cdef extern from "dense_counts.h" nogil:
    cppclass DenseTinies "DenseCounts<TinyEntry>":
        bint start(size_t size)
        void end()
        size_t size()
        bint add(uint64_t key, uint64_t n)
    cppclass DenseShorts "DenseCounts<ShortEntry>":
        bint start(size_t size)
        void end()
        size_t size()
        bint add(ShortKey key, uint64_t n)
    cppclass DenseLongs:
        bint start(size_t size)
        void end()
        size_t size()
        bint add(const uint8_t *pretoken, size_t length, uint64_t n)


cdef class Total:
    cdef DenseTinies tinies
    cdef DenseShorts shorts
    cdef DenseLongs longs
    cdef bint add_one(self, const uint8_t *text, size_t length, uint64_t count) noexcept nogil
