# cython: language_level=3
"""What `starts.h` declares."""

from libc.stdint cimport uint8_t


cdef extern from "starts.h" nogil:
    enum:
        BATCH "Starts::BATCH"
    cppclass Starts:
        size_t ready
        bint invalid
        void begin(const uint8_t *text, size_t begin, size_t end, bint lenient)
        bint find()
        size_t next(size_t &i, size_t &stop)
