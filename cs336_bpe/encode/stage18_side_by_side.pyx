# cython: language_level=3
# distutils: language = c++
"""Stage 18: new words are merged side by side, eight at a time.

Unlike stage 17, which merges a new word as soon as it comes, this one leaves room for its ids, and
goes on until more new words have come (`late_words.h`). Then eight of them are merged at once, each
in a lane of the processor's vectors (`side_by_side.h`), and their ids are put where they belong.

Cost: the steps of the longest of eight words, for all eight; and a move of the ids after them.
Memory: 6 kB for the words that wait, and their places in the cache.
Expect: half the time of merging; nothing for text whose words are in the cache.
Trap: a word may come again before it has its ids. It waits twice, and must be kept once.
Trap: it needs AVX2. On a machine without it, this stage does what stage 17 does.
"""

from libc.stdint cimport uint8_t

from cs336_bpe.encode.output cimport Output
from cs336_bpe.encode.perfect_merges cimport MAX_TOKENS, TOO_LONG, Merges
from cs336_bpe.encode.rolling cimport (
    DEFAULT_BYTES,
    AnyCache,
    MergeablePairs,
    NewWords,
    can_merge_side_by_side,
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
    cdef MergeablePairs pairs
    cdef NewWords words  # points to them
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
        self.pairs.start(self.merges)
        self.words.pairs = &self.pairs
        self.words.whole = NULL
        self.words.may_be_late = can_merge_side_by_side()
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
