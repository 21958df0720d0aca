# cython: language_level=3
# distutils: language = c++
"""Stage 16: the look-up rolls along, 64 pretokens after the prefetch.

Unlike stage 15, which asks for the places of a whole batch and then looks at all of them, this one
makes a key, asks for its place, and writes the ids of the pretoken that is 64 before it, all in one
step (`rolling.h`). Scanning is done 1,024 pretokens at a time, so there are fewer beginnings and
ends.

Cost: the same instructions; waits are spread evenly, and no more than 64 are under way.
Memory: 64 keys instead of 256.
Expect: a tenth or two, on text whose words are in the cache.
Trap: more requests than the processor can have under way at a time wait for each other.
"""

from libc.stdint cimport uint8_t

from cs336_bpe.encode.output cimport Output
from cs336_bpe.encode.perfect_merges cimport MAX_TOKENS, TOO_LONG, Merges
from cs336_bpe.encode.rolling cimport (
    DEFAULT_BYTES,
    AnyCache,
    NewWords,
    keys_init_module,
    write_pretoken,
    write_text,
)
from cs336_bpe.encode.text_encoder cimport TextEncoder
from cs336_bpe.native.scan cimport init_scanner

from cs336_bpe.rules import BYTES, check_vocab

init_scanner()
keys_init_module()


cdef class Encoder(TextEncoder):
    """Encodes texts, and pretokens.

    >>> vocab = dict(enumerate([*BYTES, b"lo", b"low"]))
    >>> encoder = Encoder(vocab, [(b"l", b"o"), (b"lo", b"w")])
    >>> encoder.encode_pretoken(b"lowlo"), encoder.encode_text("low lo")
    ([257, 256], [257, 32, 256])
    """

    cdef Merges merges
    cdef NewWords words  # points to it
    cdef AnyCache cache

    def __cinit__(self, vocab, merges):
        ids = check_vocab(vocab, merges)
        if len(merges) > MAX_TOKENS - 256:
            raise ValueError(f"there are {len(merges)} merges; there can be at most "
                             f"{MAX_TOKENS - 256}")
        if not self.merges.start(len(merges)):
            raise MemoryError(f"no memory for a table of {len(merges)} merges")
        if not self.cache.start(DEFAULT_BYTES, max(vocab)):
            raise MemoryError("no memory for the cache of pretokens")
        cdef dict numbers = {token: byte for byte, token in enumerate(BYTES)}
        for byte, token in enumerate(BYTES):
            self.merges.ids[byte] = ids[token]
        for left, right in merges:
            self.merges.add(numbers[left], numbers[right], ids[left + right])
            numbers[left + right] = len(numbers)
        if not self.merges.finish():
            raise MemoryError(f"no memory for a table of {len(merges)} merges")
        self.words.merges = &self.merges
        self.words.pairs = NULL
        self.words.whole = NULL
        self.words.may_be_late = False
        self.known = tuple(range(4 * len(vocab)))
        self.most = TOO_LONG - 1

    def __dealloc__(self):
        self.merges.end()
        self.cache.end()

    cdef int write_whole(self, const uint8_t *text, size_t size, Output *output) noexcept nogil:
        return write_text(&self.pattern.scanner, &self.cache, self.words, text, 0, size, False,
                          output)

    cdef int write_one(self, const uint8_t *text, size_t size, Output *output) noexcept nogil:
        return write_pretoken(&self.cache, self.words, text, size, output)
