# cython: language_level=3
# distutils: language = c++
"""Stage 14: merges in a table without collisions.

Unlike stage 13, whose table of pairs walks on from a slot that is taken and looks elsewhere for the
parts, this one gives every pair a slot of its own that has all of it (`perfect_merges.h`). Then a
look-up is one visit, and no branch depends on what is found. A new word is merged without branches
too (`merge_words.h`): its places have keys, and the least key says what to merge, and where.

Cost: one visit to memory for a look-up of a pair, hit or miss.
Memory: 10 to 20 bytes per merge, as before; a slot is larger, and more of them are in use.
Expect: nothing for a word that is in the cache; a little on text with many new words, more where
these are long.
Trap: slots are searched for when the tokenizer is made, and that must not take longer than it
saves.
"""

from libc.stdint cimport uint8_t

from cs336_bpe.encode.output cimport Output
from cs336_bpe.encode.perfect_batches cimport (
    DEFAULT_BYTES,
    PretokenCache,
    cache_init_module,
    write_pretoken,
    write_text,
)
from cs336_bpe.encode.perfect_merges cimport MAX_TOKENS, TOO_LONG, Merges
from cs336_bpe.encode.text_encoder cimport TextEncoder
from cs336_bpe.native.scan cimport init_scanner

from cs336_bpe.rules import BYTES, check_vocab

init_scanner()
cache_init_module()


cdef class Encoder(TextEncoder):
    """Encodes texts, and pretokens.

    >>> vocab = dict(enumerate([*BYTES, b"lo", b"low"]))
    >>> encoder = Encoder(vocab, [(b"l", b"o"), (b"lo", b"w")])
    >>> encoder.encode_pretoken(b"lowlo"), encoder.encode_text("low lo")
    ([257, 256], [257, 32, 256])
    """

    cdef Merges merges
    cdef PretokenCache cache

    def __cinit__(self, vocab, merges):
        ids = check_vocab(vocab, merges)
        if len(merges) > MAX_TOKENS - 256:
            raise ValueError(f"there are {len(merges)} merges; there can be at most "
                             f"{MAX_TOKENS - 256}")
        if not self.merges.start(len(merges)):
            raise MemoryError(f"no memory for a table of {len(merges)} merges")
        if not self.cache.start(DEFAULT_BYTES):
            raise MemoryError("no memory for the cache of pretokens")
        cdef dict numbers = {token: byte for byte, token in enumerate(BYTES)}
        for byte, token in enumerate(BYTES):
            self.merges.ids[byte] = ids[token]
        for left, right in merges:
            self.merges.add(numbers[left], numbers[right], ids[left + right])
            numbers[left + right] = len(numbers)
        if not self.merges.finish():
            raise MemoryError(f"no memory for a table of {len(merges)} merges")
        self.known = tuple(range(4 * len(vocab)))
        self.most = TOO_LONG - 1

    def __dealloc__(self):
        self.merges.end()
        self.cache.end()

    cdef int write_whole(self, const uint8_t *text, size_t size, Output *output) noexcept nogil:
        return write_text(&self.pattern.scanner, &self.cache, self.merges, text, 0, size, False,
                          output)

    cdef int write_one(self, const uint8_t *text, size_t size, Output *output) noexcept nogil:
        return write_pretoken(&self.cache, self.merges, text, size, output)
