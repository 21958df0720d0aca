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
    void copy_objects(object ids, size_t first, size_t size, uint32_t *to)
    bint is_another_without_sign(const void *ids, int width, size_t size)

ctypedef fused Id:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef enum:
    FEW_IDS = 4096  # are decoded without giving up the interpreter's lock: they don't take long
    SAMPLE = 4096   # ids from which the length of the result is guessed


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


cdef inline size_t length_of(GivenIds given, size_t i) noexcept nogil:
    """The number of bytes of one token; 0 if it is none."""
    cdef const Tokens *tokens = given.tokens
    cdef inline size_t place
    if given.width == 1:
        place = place_of(tokens[0], <const uint8_t *>given.ids + i)
    elif given.width == 2:
        place = place_of(tokens[0], <const uint16_t *>given.ids + i)
    elif given.width == 4:
        place = place_of(tokens[0], <const uint32_t *>given.ids + i)
    else:
        place = place_of(tokens[0], <const uint64_t *>given.ids + i)
    return tokens.offsets[place + 1] - tokens.offsets[place]


cdef inline size_t guess(GivenIds given) noexcept nogil:
    """How many bytes the tokens of all ids may have: exactly, if they are no more than a sample."""
    cdef inline size_t step = given.size // SAMPLE + 1
    cdef inline size_t k, total = 0
    for k in range((given.size + step - 1) // step):
        total += length_of(given, k * step)
    return total if step == 1 else total * step + total * step // 32 + 4 * TOKEN_PADDING


cdef inline size_t guess_of_list(const Tokens &tokens, ids, size_t size):
    """The same for the ids of a list or a tuple."""
    cdef inline size_t step = size // SAMPLE + 1
    cdef inline size_t k, place, total = 0
    cdef inline uint32_t id
    for k in range((size + step - 1) // step):
        copy_objects(ids, k * step, 1, &id)
        place = place_of(tokens, &id)
        total += tokens.offsets[place + 1] - tokens.offsets[place]
    return total if step == 1 else total * step + total * step // 32 + 4 * TOKEN_PADDING


cdef inline size_t more_room(size_t used, size_t done, size_t size) noexcept nogil:
    """As many bytes for each id as so far; but no more than there are, because it is a guess."""
    return min((size - done) * (used // (done + 1) + 1), used + SAMPLE)
