# cython: language_level=3
# distutils: language = c++
"""Stage 10: the integers of a list in pieces that stay in the cache.

Unlike stage 09, which first copies the integers of a whole list into an array, and then decodes the
array, this one does both for 16,384 ids at a time. An array of all ids is written to memory that
the system has to give out page by page, and it has left the cache when it is read again.

Cost of an id: the same steps.
Memory: 64 kB, instead of 4 bytes for each id.
Expect: more for a long list than for a short one, and nothing for an array.
Trap: between two pieces other threads run, and may make the list shorter. So each piece looks again
how long it is.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free

from cs336_bpe.decode.slots cimport GrowingBytes, Slot, copy_tokens, joined_ids, new_slots
from cs336_bpe.decode.token_table cimport FEW_IDS, TokenTable, copy_objects, guess_of_list

from cs336_bpe.decode.ids import as_ids, plain_ids

cdef extern from "utf8_text.h":
    object text_from_utf8(const uint8_t *data, size_t size, bint huge_pages)

cdef enum:
    PIECE = 1 << 14  # ids: 64 kB
    PIECES_BETWEEN_SIGNALS = 128  # some milliseconds


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
        data = self.joined(given)
        if data is None:  # an integer of another type, or no id of this vocabulary: this says which
            data = self.joined(plain_ids(given, self.vocab))
        return data

    cdef bytes joined_list(self, ids):
        """The bytes of the tokens of a list or a tuple; None if there is an id that is none."""
        cdef uint32_t piece[PIECE]
        cdef GrowingBytes result
        cdef size_t size = len(ids), first = 0, here, done, needed, num_pieces = 0
        result.make_room(guess_of_list(self.table.tokens, ids, size))
        while first < size:
            here = min(size - first, PIECE)
            copy_objects(ids, first, here, piece)
            done = 0
            while True:
                needed = self.copy_piece(piece, here, &done, &result)
                if not needed:
                    break
                result.make_room(result.used + needed)
            if done < here:
                return None
            first += here
            num_pieces += 1
            if num_pieces % PIECES_BETWEEN_SIGNALS == 0:
                PyErr_CheckSignals()
        return result.finished()

    cdef size_t copy_piece(self, const uint32_t *ids, size_t size, size_t *done,
                           GrowingBytes *result) noexcept:
        cdef size_t needed
        if size < FEW_IDS:
            return copy_tokens(&self.table.tokens, self.slots, ids, size, done, result)
        with nogil:
            needed = copy_tokens(&self.table.tokens, self.slots, ids, size, done, result)
        return needed

    cdef bytes joined(self, ids):
        """The bytes of all tokens; None if there is an id that is none."""
        if isinstance(ids, (list, tuple)):
            return self.joined_list(ids)
        return joined_ids(self.table, self.slots, ids)

    def decode(self, ids, errors="replace"):
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says."""
        data = self.decode_bytes(ids)
        text = text_from_utf8(<const uint8_t *>PyBytes_AS_STRING(data), len(data), True)
        return data.decode("utf-8", errors) if text is None else text
