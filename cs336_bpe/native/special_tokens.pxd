# cython: language_level=3
"""What `special_tokens.h` declares."""

from libc.stdint cimport uint8_t, uint32_t
from libcpp.string cimport string


cdef extern from "special_tokens.h" nogil:
    cppclass SpecialTokens:
        void add(string token, uint32_t id) except +
        bint is_beginning(const uint8_t *text, size_t size)
    cppclass SpecialSearch:
        size_t length
        uint32_t id
        void begin(const SpecialTokens *specials, const uint8_t *text, size_t size)
        size_t next(size_t at)
