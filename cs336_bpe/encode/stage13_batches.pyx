# cython: language_level=3
# distutils: language = c++
"""Stage 13: batches, so that the waits for memory overlap.

Unlike stage 12, which finds a pretoken, looks it up, writes its ids and goes on to the next, this
one takes 256 of them at a time, in two passes (`batches.h`). The first makes their keys and asks
the processor to fetch their places in the cache. The second looks there, when they have arrived,
and copies three ids at once, however many there are: the next pretoken writes over the rest.

Cost: some instructions per byte, no branch that is hard to predict for a word that is in the cache.
Memory: as stage 12, and 8 KB for a batch.
Expect: more where the cache of pretokens is larger than the processor's.
Trap: what the first pass has asked for may have moved when the second one looks, because a new
pretoken can let the table grow. So the first pass keeps the hash, and never a pointer.
"""

from libc.stdint cimport uint8_t

from cs336_bpe.encode.batches cimport write_pretoken, write_text
from cs336_bpe.encode.merge_numbers cimport MAX_TOKENS, TOO_LONG, Merges
from cs336_bpe.encode.output cimport Output
from cs336_bpe.encode.pretoken_cache cimport DEFAULT_BYTES, PretokenCache, cache_init_module
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
