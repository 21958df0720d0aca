# cython: language_level=3
"""Tokens in slots of 16 bytes, and how four of them are copied at a time: stage 09 explains it."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy

from cs336_bpe.decode.token_table cimport (
    FEW_IDS,
    TOKEN_PADDING,
    GivenIds,
    Id,
    Tokens,
    TokenTable,
    guess,
    is_another_without_sign,
    more_room,
    place_of,
)


cdef extern from "bytes_that_grow.h":
    cppclass GrowingBytes:
        uint8_t *data
        size_t used
        size_t room
        int make_room(size_t size) except -1
        object finished()

cdef enum:
    WIDE = TOKEN_PADDING
    LONG = 255     # what a slot has for a length, if the token does not fit


cdef struct Slot:
    uint8_t[15] token
    uint8_t length  # 0 for what is no token


cdef inline Slot *new_slots(const Tokens *tokens) except NULL:
    """A slot for each place of the table, to be freed by the caller."""
    cdef inline size_t place, num_places = tokens.num_near + tokens.num_far + 1
    cdef inline uint32_t start, length
    cdef inline Slot *slots = <Slot *>calloc(num_places, sizeof(Slot))
    if slots == NULL:
        raise MemoryError(f"no memory for {num_places:,} tokens")
    for place in range(num_places):
        start = tokens.offsets[place]
        length = tokens.offsets[place + 1] - start
        slots[place].length = <uint8_t>length if length < WIDE else LONG
        memcpy(slots[place].token, tokens.blob + start, min(length, WIDE - 1))
    return slots


cdef inline bytes joined_ids(TokenTable table, const Slot *slots, ids):
    """The bytes of all tokens; None if there is an id that is none."""
    cdef GivenIds given = GivenIds()
    cdef GrowingBytes result
    cdef size_t done = 0, needed
    given.take(table, ids)
    if given.with_sign and is_another_without_sign(given.ids, given.width, given.size):
        return None
    result.make_room(guess(given))
    while True:
        if given.size < FEW_IDS:
            needed = copy_some(given, slots, &done, &result)
        else:
            with nogil:
                needed = copy_some(given, slots, &done, &result)
        if not needed:
            break
        result.make_room(result.used + needed)
    return result.finished() if done == given.size else None


cdef inline size_t copy_some(GivenIds given, const Slot *slots, size_t *done,
                             GrowingBytes *result) noexcept nogil:
    """Go on with the ids after the first `done`, as far as there is room.

    Returns how much more is needed: 0 at the end, or at an id that is none.
    """
    cdef inline const Tokens *tokens = given.tokens
    if given.width == 1:
        return copy_tokens(tokens, slots, <const uint8_t *>given.ids, given.size, done, result)
    if given.width == 2:
        return copy_tokens(tokens, slots, <const uint16_t *>given.ids, given.size, done, result)
    if given.width == 4:
        return copy_tokens(tokens, slots, <const uint32_t *>given.ids, given.size, done, result)
    return copy_tokens(tokens, slots, <const uint64_t *>given.ids, given.size, done, result)


cdef inline size_t copy_tokens(const Tokens *tokens, const Slot *slots, const Id *ids, size_t size,
                               size_t *done, GrowingBytes *result) noexcept nogil:
    """Copy tokens one after the other: four at a time, or one, where one of them is special."""
    cdef inline uint8_t *to = result.data + result.used
    cdef inline uint8_t *end = result.data + result.room
    cdef inline const Slot *a
    cdef inline const Slot *b
    cdef inline const Slot *c
    cdef inline const Slot *d
    cdef inline size_t i = done[0], place, needed = 0
    cdef inline uint32_t start, length
    while i < size:
        if size - i >= 4 and end - to >= 4 * WIDE:
            a = &slots[place_of(tokens[0], ids + i)]
            b = &slots[place_of(tokens[0], ids + i + 1)]
            c = &slots[place_of(tokens[0], ids + i + 2)]
            d = &slots[place_of(tokens[0], ids + i + 3)]
            # Below 16 if all four are from 1 to 15: 0 - 1 is not, and LONG - 1 is not.
            if (<uint32_t>a.length - 1 | <uint32_t>b.length - 1 | <uint32_t>c.length - 1
                    | <uint32_t>d.length - 1) < WIDE:
                to = copy_slot(copy_slot(copy_slot(copy_slot(to, a), b), c), d)
                i += 4
                continue
        place = place_of(tokens[0], ids + i)
        start = tokens.offsets[place]
        length = tokens.offsets[place + 1] - start
        if not length:
            break
        if length > <size_t>(end - to):
            needed = length + more_room(to - result.data, i, size)
            break
        memcpy(to, tokens.blob + start, length)
        to += length
        i += 1
    done[0] = i
    result.used = to - result.data
    return needed


cdef inline uint8_t *copy_slot(uint8_t *to, const Slot *slot) noexcept nogil:
    memcpy(to, slot, WIDE)
    return to + slot.length
