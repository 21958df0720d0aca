# cython: language_level=3
# distutils: language = c++
"""Stage 09: four tokens at a time, each with its length beside it.

Unlike stage 08, which reads where a token begins and where it ends, and then the token, this one
has all tokens of up to 15 bytes in slots of 16, with the length in the last byte: one visit to
memory. And it checks four of them together: that they are ids, that they are short, and that there
is room. What remains for each one is to load, to store, and to go on by its length.

Cost of an id: one visit to memory instead of two; a quarter of the checks.
Memory: 16 bytes for each token, beside those of stage 08, which longer tokens still need.
Expect: more for short tokens, of which the text has many, than for long ones.
Trap: a slot is no gain by itself. The two visits of stage 08 overlap with those of other tokens,
so only what is left out of the loop counts.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
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

from cs336_bpe.decode.ids import as_ids, plain_ids

cdef extern from "bytes_that_grow.h":
    cppclass GrowingBytes:
        uint8_t *data
        size_t used
        size_t room
        int make_room(size_t size) except -1
        object finished()

cdef extern from "utf8_text.h":
    object text_from_utf8(const uint8_t *data, size_t size, bint huge_pages)

cdef enum:
    WIDE = TOKEN_PADDING
    LONG = 255     # what a slot has for a length, if the token does not fit


cdef struct Slot:
    uint8_t[15] token
    uint8_t length  # 0 for what is no token


cdef class Decoder:
    """Decodes ids of one vocabulary; many threads may use it at once.

    >>> decoder = Decoder({0: b"caf", 1: b"\\xc3", 2: b"\\xa9"})
    >>> decoder.decode_bytes([0, 1, 2]), decoder.decode([0, 1, 2]), decoder.decode([0, 1])
    (b'caf\\xc3\\xa9', 'café', 'caf\\ufffd')
    """

    cdef TokenTable table
    cdef object vocab
    cdef Slot *slots  # one for each place of the table; owned

    def __cinit__(self, vocab):
        self.table = TokenTable(vocab)
        self.vocab = dict(vocab)
        cdef const Tokens *tokens = &self.table.tokens
        cdef size_t place, num_places = tokens.num_near + tokens.num_far + 1
        cdef uint32_t start, length
        self.slots = <Slot *>calloc(num_places, sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError(f"no memory for {num_places:,} tokens")
        for place in range(num_places):
            start = tokens.offsets[place]
            length = tokens.offsets[place + 1] - start
            self.slots[place].length = <uint8_t>length if length < WIDE else LONG
            memcpy(self.slots[place].token, tokens.blob + start, min(length, WIDE - 1))

    def __dealloc__(self):
        free(self.slots)

    def decode_bytes(self, ids):
        """The bytes of ids, whether they are text or not."""
        given = ids if isinstance(ids, list) else as_ids(ids)
        data = self.joined(given)
        if data is None:  # an integer of another type, or no id of this vocabulary: this says which
            data = self.joined(plain_ids(given, self.vocab))
        return data

    cdef bytes joined(self, ids):
        """The bytes of all tokens; None if there is an id that is none."""
        cdef GivenIds given = GivenIds()
        cdef GrowingBytes result
        cdef size_t done = 0, needed
        given.take(self.table, ids)
        if given.with_sign and is_another_without_sign(given.ids, given.width, given.size):
            return None
        result.make_room(guess(given))
        while True:
            if given.size < FEW_IDS:
                needed = copy_some(given, self.slots, &done, &result)
            else:
                with nogil:
                    needed = copy_some(given, self.slots, &done, &result)
            if not needed:
                break
            result.make_room(result.used + needed)
        return result.finished() if done == given.size else None

    def decode(self, ids, errors="replace"):
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says."""
        data = self.decode_bytes(ids)
        text = text_from_utf8(<const uint8_t *>PyBytes_AS_STRING(data), len(data), True)
        return data.decode("utf-8", errors) if text is None else text


cdef size_t copy_some(GivenIds given, const Slot *slots, size_t *done,
                      GrowingBytes *result) noexcept nogil:
    """Go on with the ids after the first `done`, as far as there is room.

    Returns how much more is needed: 0 at the end, or at an id that is none.
    """
    cdef const Tokens *tokens = given.tokens
    if given.width == 1:
        return copy_tokens(tokens, slots, <const uint8_t *>given.ids, given.size, done, result)
    if given.width == 2:
        return copy_tokens(tokens, slots, <const uint16_t *>given.ids, given.size, done, result)
    if given.width == 4:
        return copy_tokens(tokens, slots, <const uint32_t *>given.ids, given.size, done, result)
    return copy_tokens(tokens, slots, <const uint64_t *>given.ids, given.size, done, result)


cdef size_t copy_tokens(const Tokens *tokens, const Slot *slots, const Id *ids, size_t size,
                        size_t *done, GrowingBytes *result) noexcept nogil:
    """Copy tokens one after the other: four at a time, or one, where one of them is special."""
    cdef uint8_t *to = result.data + result.used
    cdef uint8_t *end = result.data + result.room
    cdef const Slot *a
    cdef const Slot *b
    cdef const Slot *c
    cdef const Slot *d
    cdef size_t i = done[0], place, needed = 0
    cdef uint32_t start, length
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
