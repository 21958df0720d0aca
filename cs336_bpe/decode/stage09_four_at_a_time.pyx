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
from libc.stdint cimport uint8_t
from libc.stdlib cimport free

from cs336_bpe.decode.slots cimport Slot, joined_ids, new_slots
from cs336_bpe.decode.token_table cimport TokenTable

from cs336_bpe.decode.ids import as_ids, plain_ids

cdef extern from "utf8_text.h":
    object text_from_utf8(const uint8_t *data, size_t size, bint huge_pages)


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
        self.slots = new_slots(&self.table.tokens)

    def __dealloc__(self):
        free(self.slots)

    def decode_bytes(self, ids):
        """The bytes of ids, whether they are text or not."""
        given = ids if isinstance(ids, list) else as_ids(ids)
        data = joined_ids(self.table, self.slots, given)
        if data is None:  # an integer of another type, or no id of this vocabulary: this says which
            data = joined_ids(self.table, self.slots, plain_ids(given, self.vocab))
        return data

    def decode(self, ids, errors="replace"):
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says."""
        data = self.decode_bytes(ids)
        text = text_from_utf8(<const uint8_t *>PyBytes_AS_STRING(data), len(data), True)
        return data.decode("utf-8", errors) if text is None else text
