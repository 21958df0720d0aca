# cython: language_level=3
"""What `merge_numbers.h` and `merge_lists.h` declare."""

from libc.stdint cimport uint8_t, uint32_t


cdef extern from "../encode/merge_lists.h" nogil:
    enum:
        TOO_LONG    # bytes of a pretoken
        MAX_TOKENS
    cppclass WholeTokens:
        bint start(size_t number, size_t num_bytes)
        void end()
        void add(const uint8_t *token, size_t length, uint32_t id)
    cppclass Merges:
        uint32_t *ids
        bint in_order
        const WholeTokens *wholes
        bint start(size_t num_merges)
        void end()
        void add(uint32_t left, uint32_t right, uint32_t id)
    cppclass Lists:
        void end()
    Py_ssize_t merge_pretoken(const Merges &merges, Lists *lists, const uint8_t *text,
                              size_t length, uint32_t *ids)
