# cython: language_level=3
"""What the stages that take whole texts have in common; see `text_encoder.pyx`."""

from libc.stdint cimport uint8_t

from cs336_bpe.encode.output cimport Output
from cs336_bpe.native.scanner cimport CompiledPattern


cdef class TextEncoder:
    cdef CompiledPattern pattern
    cdef tuple known  # integers for lists, so that not every id is a new object
    cdef size_t most  # bytes that a pretoken may have

    cdef list encode_all(self, bytes data, size_t size, bint cut)
    cdef int write_whole(self, const uint8_t *text, size_t size, Output *output) noexcept nogil
    cdef int write_one(self, const uint8_t *text, size_t size, Output *output) noexcept nogil
