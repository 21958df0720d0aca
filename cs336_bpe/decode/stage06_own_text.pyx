# cython: language_level=3
# distutils: language = c++
"""Stage 06: text without a detour.

Unlike stage 05, which makes text by `bytes.decode`, this one does that itself. Python keeps a text
with one, two or four bytes for each character, as the greatest one needs. `bytes.decode` finds out
as it goes: it begins with one byte, and whenever a character needs more, it copies all that it has.
We count the characters first, and look for the greatest byte, which says how wide they are. Then we
make the text once, and write each character where it belongs, 16 bytes at a time where all are
ASCII.

Cost of a byte: two looks, and one write of a character.
Memory: the bytes, and the text.
Expect: nothing for bytes; for text, much of the second half of the way.
Trap: what is not UTF-8 is left to `bytes.decode`, which knows what `errors` means.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from cs336_bpe.decode.token_table cimport (
    FEW_IDS,
    TOKEN_PADDING,
    GivenIds,
    Id,
    Tokens,
    TokenTable,
    place_of,
)

from cs336_bpe.decode.ids import as_ids, plain_ids

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
        data = self.decode_bytes(ids)
        text = text_from_utf8(<const uint8_t *>PyBytes_AS_STRING(data), len(data), False)
        return data.decode("utf-8", errors) if text is None else text


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
        if length <= WIDE and end - to >= WIDE:
            memcpy(to, tokens.blob + start, WIDE)
        else:
            if length > <size_t>(end - to):
                return False
            memcpy(to, tokens.blob + start, length)
        to += length
    return to == end
