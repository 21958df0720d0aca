# cython: language_level=3
# distutils: language = c++
"""Stage 08: one pass, into room that was guessed.

Unlike stage 07, which reads all ids twice, first to know how long the result is and then to write
it, this one looks at a sample of the ids, guesses the length, and writes at once. Where the guess
was too small the result grows; where it was far too large, it gives back what it did not need.

Cost of an id: one visit to its token instead of two.
Memory: as stage 07, and about a thirtieth of the result, which is never written to: where the
system gives memory at the first write, that is only a promise.
Expect: about a quarter less time from an array; less from a list, whose integers take longer to
read than the tokens.
Trap: the result moves when it grows, so nobody may have a pointer to it before the end.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
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


cdef class Decoder:
    """Decodes ids of one vocabulary; many threads may use it at once.

    >>> decoder = Decoder({0: b"caf", 1: b"\\xc3", 2: b"\\xa9"})
    >>> decoder.decode_bytes([0, 1, 2]), decoder.decode([0, 1, 2]), decoder.decode([0, 1])
    (b'caf\\xc3\\xa9', 'café', 'caf\\ufffd')
    """

    cdef TokenTable table
    cdef object vocab

    def __cinit__(self, vocab):
        self.table = TokenTable(vocab)
        self.vocab = dict(vocab)

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
                needed = copy_some(given, &done, &result)
            else:
                with nogil:
                    needed = copy_some(given, &done, &result)
            if not needed:
                break
            result.make_room(result.used + needed)
        return result.finished() if done == given.size else None

    def decode(self, ids, errors="replace"):
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says."""
        data = self.decode_bytes(ids)
        text = text_from_utf8(<const uint8_t *>PyBytes_AS_STRING(data), len(data), True)
        return data.decode("utf-8", errors) if text is None else text


cdef size_t copy_some(GivenIds given, size_t *done, GrowingBytes *result) noexcept nogil:
    """Go on with the ids after the first `done`, as far as there is room.

    Returns how much more is needed: 0 at the end, or at an id that is none.
    """
    if given.width == 1:
        return copy_tokens(given.tokens, <const uint8_t *>given.ids, given.size, done, result)
    if given.width == 2:
        return copy_tokens(given.tokens, <const uint16_t *>given.ids, given.size, done, result)
    if given.width == 4:
        return copy_tokens(given.tokens, <const uint32_t *>given.ids, given.size, done, result)
    return copy_tokens(given.tokens, <const uint64_t *>given.ids, given.size, done, result)


cdef size_t copy_tokens(const Tokens *tokens, const Id *ids, size_t size, size_t *done,
                        GrowingBytes *result) noexcept nogil:
    """Copy tokens one after the other."""
    cdef uint8_t *to = result.data + result.used
    cdef uint8_t *end = result.data + result.room
    cdef size_t i, place, needed = 0
    cdef uint32_t start, length
    for i in range(done[0], size):
        place = place_of(tokens[0], ids + i)
        start = tokens.offsets[place]
        length = tokens.offsets[place + 1] - start
        if length - 1 < WIDE and end - to >= WIDE:  # (0 - 1 is not below it)
            memcpy(to, tokens.blob + start, WIDE)
        elif length and length <= <size_t>(end - to):
            memcpy(to, tokens.blob + start, length)
        else:
            if length:
                needed = length + more_room(to - result.data, i, size)
            break
        to += length
    else:
        i = size
    done[0] = i
    result.used = to - result.data
    return needed
