# cython: language_level=3
# distutils: language = c++
"""Stage 11: one number for a merge's rank and for the token that it makes.

Unlike stage 10, which knows a token by its id and keeps the rank of its merge beside it, this one
numbers tokens in the order of their merges, and looks up ids at the very end. Then the lowest rank
is the lowest token, and everything about merging gets smaller: a slot of the table has 4 bytes
instead of 16, pairs of bytes have an array of their own, and a long pretoken needs no heap, because
lists by rank can be gone through in order (`merge_numbers.h`, `merge_lists.h`).

Cost: as stage 10, but nearly half of all look-ups go to a small array, and the others to a table
that is a quarter as large; O(n) instead of O(n log n) for a long pretoken.
Memory: 16 to 24 bytes per merge, and 256 KB; while a long pretoken is encoded, 36 bytes per byte.
Expect: more with a large vocabulary than with a small one, whose table is in the cache anyway.
Trap: 8 bits of a hash are not the pair. Equal fingerprints only say that it is worth comparing.
"""

from libc.stdint cimport uint8_t, uint32_t

from cs336_bpe.encode.merge_numbers cimport MAX_TOKENS, TOO_LONG, Lists, Merges, merge_pretoken
from cs336_bpe.encode.output cimport ENCODE_DONE, ENCODE_NO_MEMORY, ENCODE_TOO_LONG, Output
from cs336_bpe.encode.text_encoder cimport TextEncoder

from cs336_bpe.rules import BYTES, check_vocab


cdef class Encoder(TextEncoder):
    """Encodes texts, and pretokens.

    >>> vocab = dict(enumerate([*BYTES, b"lo", b"low"]))
    >>> encoder = Encoder(vocab, [(b"l", b"o"), (b"lo", b"w")])
    >>> encoder.encode_pretoken(b"lowlo"), encoder.encode_text("low lo")
    ([257, 256], [257, 32, 256])
    """

    cdef Merges merges
    cdef Lists lists  # for one thread at a time: the interpreter's lock is not given up

    def __cinit__(self, vocab, merges):
        ids = check_vocab(vocab, merges)
        if len(merges) > MAX_TOKENS - 256:
            raise ValueError(f"there are {len(merges)} merges; there can be at most "
                             f"{MAX_TOKENS - 256}")
        if not self.merges.start(len(merges)):
            raise MemoryError(f"no memory for a table of {len(merges)} merges")
        cdef dict numbers = {token: byte for byte, token in enumerate(BYTES)}
        for byte, token in enumerate(BYTES):
            self.merges.ids[byte] = ids[token]
        for left, right in merges:
            self.merges.add(numbers[left], numbers[right], ids[left + right])
            numbers[left + right] = len(numbers)
        self.known = tuple(range(4 * len(vocab)))
        self.most = TOO_LONG - 1

    def __dealloc__(self):
        self.merges.end()
        self.lists.end()

    cdef int write_one(self, const uint8_t *text, size_t size, Output *output) noexcept nogil:
        cdef Py_ssize_t number
        if size >= TOO_LONG:
            return ENCODE_TOO_LONG
        if not output.room_for(size):
            return ENCODE_NO_MEMORY
        number = merge_pretoken(self.merges, &self.lists, text, size,
                                <uint32_t *>output.ids + output.used)
        if number < 0:
            return ENCODE_NO_MEMORY
        output.used += number
        return ENCODE_DONE
