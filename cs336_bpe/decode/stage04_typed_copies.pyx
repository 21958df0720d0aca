# cython: language_level=3
# distutils: language = c++
"""Stage 04: two passes in C, and no objects.

Unlike stage 03, which writes down a number for every byte of the result, this one copies tokens. A
first pass looks at all ids and adds up how long their tokens are; then the result is made, of
exactly that size; and a second pass copies. There is no object for a token and none for an id: the
integers of a list are read where they are, and those of an array as they are, in any width.

Cost of an id: two reads of the offsets, and a call of `memcpy`.
Memory: the tokens' bytes and 4 bytes for each id. An id far above the others has its place in a
sorted list, so that the table stays small. From a list, 4 bytes for each id while it is decoded.
Expect: several times; more from lists, because no array must be made of one.
Trap: others may change an array while we read it. The second pass can't rely on what the first has
seen: it checks each id again, on its own copy, and never writes beyond the end.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from cs336_bpe.decode.token_table cimport FEW_IDS, GivenIds, Id, Tokens, TokenTable, place_of

from cs336_bpe.decode.ids import as_ids, plain_ids


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
        if not given.read(self.table, ids):
            return None
        data = PyBytes_FromStringAndSize(NULL, given.total)
        cdef uint8_t *to = <uint8_t *>PyBytes_AS_STRING(data)
        cdef bint done
        if given.size < FEW_IDS:
            done = copy_all(given, to)
        else:
            with nogil:
                done = copy_all(given, to)
        return data if done else None

    def decode(self, ids, errors="replace"):
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says."""
        return self.decode_bytes(ids).decode("utf-8", errors)


cdef bint copy_all(GivenIds given, uint8_t *to) noexcept nogil:
    """The second pass. False if the ids are not those of the first: others may write to them."""
    cdef uint8_t *end = to + given.total
    if given.width == 1:
        return copy_tokens(given.tokens, <const uint8_t *>given.ids, given.size, to, end)
    if given.width == 2:
        return copy_tokens(given.tokens, <const uint16_t *>given.ids, given.size, to, end)
    if given.width == 4:
        return copy_tokens(given.tokens, <const uint32_t *>given.ids, given.size, to, end)
    return copy_tokens(given.tokens, <const uint64_t *>given.ids, given.size, to, end)


cdef bint copy_tokens(const Tokens *tokens, const Id *ids, size_t size, uint8_t *to,
                      uint8_t *end) noexcept nogil:
    """Copy tokens one after the other; the last must end at `end`."""
    cdef size_t i, place
    cdef uint32_t start, length
    for i in range(size):
        place = place_of(tokens[0], ids + i)
        start = tokens.offsets[place]
        length = tokens.offsets[place + 1] - start
        if length > <size_t>(end - to):
            return False
        memcpy(to, tokens.blob + start, length)
        to += length
    return to == end
