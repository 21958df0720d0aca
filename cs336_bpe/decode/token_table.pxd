from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "token_table.h" nogil:
    struct Tokens:
        uint8_t *blob
        uint32_t *offsets
        uint32_t *far_ids
        size_t num_near
        size_t num_far
    enum:
        TOKEN_PADDING
    size_t place_of[Id](const Tokens &tokens, const Id *id)
    bint is_another_without_sign(const void *ids, int width, size_t size)

ctypedef fused Id:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef enum:
    FEW_IDS = 4096  # are decoded without giving up the interpreter's lock: they don't take long


cdef class TokenTable:
    cdef Tokens tokens
    cdef void fill(self, vocab) except *
    cdef void copy(self, vocab, list numbers) except *


cdef class GivenIds:
    cdef const Tokens *tokens
    cdef TokenTable table
    cdef const void *ids  # owned by `view` or by `own`
    cdef uint32_t *own
    cdef Py_buffer view
    cdef bint has_view
    cdef bint with_sign
    cdef int width
    cdef size_t size
    cdef size_t total
    cdef bint read(self, TokenTable table, ids) except -1
    cdef int take(self, TokenTable table, ids) except -1
    cdef bint add_up(self) noexcept nogil
