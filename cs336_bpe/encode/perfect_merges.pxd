# cython: language_level=3
"""What `perfect_merges.h` declares, and how long a pretoken may be."""

from libc.stdint cimport uint32_t


cdef extern from "../encode/perfect_merges.h" nogil:
    enum:
        MAX_TOKENS
    cppclass Merges:
        uint32_t *ids
        bint start(size_t num_merges)
        void add(uint32_t left, uint32_t right, uint32_t id)
        bint finish()
        void end()

cdef extern from "../encode/new_words.h" nogil:
    enum:
        TOO_LONG    # bytes of a pretoken
