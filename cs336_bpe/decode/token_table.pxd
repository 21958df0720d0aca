from libc.stdint cimport uint8_t, uint32_t


cdef extern from "token_table.h" nogil:
    struct Tokens:
        uint8_t *blob
        uint32_t *offsets
        uint32_t *far_ids
        size_t num_near
        size_t num_far
    enum:
        TOKEN_PADDING
        IDS_AT_ONCE
    bint take_places(const Tokens &tokens, const void *ids, int width, size_t first, size_t size,
                     uint32_t *places)

cdef enum:
    FEW_IDS = 4096  # are decoded without giving up the interpreter's lock: they don't take long


cdef class TokenTable:
    cdef Tokens tokens
    cdef void fill(self, vocab) except *
    cdef void copy(self, vocab, list numbers) except *


cdef class GivenIds:
    cdef const Tokens *tokens
    cdef object owner
    cdef Py_buffer view
    cdef bint has_view
    cdef int width
    cdef void *ids
    cdef readonly size_t size
    cdef readonly size_t total
    cdef bint read(self, TokenTable table, ids) except -1
    cdef bint read_objects(self, ids) except -1
    cdef bint read_buffer(self, ids) except -1
    cdef bint add_up_buffer(self) noexcept nogil
    cdef const uint32_t *places(self, size_t first, size_t size, uint32_t *room) noexcept nogil
