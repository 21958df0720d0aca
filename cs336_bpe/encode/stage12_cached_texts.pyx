# cython: language_level=3
# distutils: language = c++
"""Stage 12: a cache of pretokens, with their ids beside the bytes.

Unlike stage 11, which merges ` the` anew each time it comes, this one looks every pretoken up in a
cache first (`pretoken_cache.h`). It is the idea of stage 06 again, without Python's objects: a word
of up to 15 bytes is its own key, compared as two integers, and its ids are in the same entry.

Cost: one visit to a table for each pretoken; merges for new ones only.
Memory: 32 bytes for each distinct pretoken of up to 15 bytes, 40, the bytes and the ids for a
longer one, and about as much again that is free; at most 128 MiB, and then all is forgotten.
Expect: several times; more on text that repeats itself more.
Trap: a cache changes while it is read, so threads can't share it. Here the interpreter's lock,
which is not given up, keeps them apart; the tokenizer's engine gives each thread a cache instead.
"""

from libc.stdint cimport uint8_t
from libc.string cimport memcpy, memset

from cs336_bpe.encode.merge_numbers cimport MAX_TOKENS, TOO_LONG, Merges
from cs336_bpe.encode.output cimport ENCODE_DONE, ENCODE_NO_MEMORY, ENCODE_TOO_LONG, Output
from cs336_bpe.encode.pretoken_cache cimport (
    DEFAULT_BYTES,
    SHORT,
    Found,
    Key,
    PretokenCache,
    cache_init_module,
    key_of,
)
from cs336_bpe.encode.text_encoder cimport TextEncoder
from cs336_bpe.native.scan cimport init_scanner
from cs336_bpe.native.starts cimport Starts

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
        """Find the pretokens of a text, and write their ids."""
        cdef Starts starts
        cdef size_t i, start, stop
        cdef int status
        starts.begin(&self.pattern.scanner, text, 0, size, True)
        while starts.find():
            for i in range(starts.ready):
                start, stop = starts.starts[i], starts.starts[i + 1]
                status = self.write_found(text + start, stop - start, text + start, output)
                if status != ENCODE_DONE:
                    return status
        return ENCODE_DONE

    cdef int write_one(self, const uint8_t *text, size_t size, Output *output) noexcept nogil:
        cdef uint8_t copy[16]  # a key is made from 16 bytes, which must be readable
        memset(copy, 0, 16)
        memcpy(copy, text, min(size, 16))
        return self.write_found(text, size, copy, output) if size else ENCODE_DONE

    cdef int write_found(self, const uint8_t *text, size_t size, const uint8_t *first_16,
                         Output *output) noexcept nogil:
        """Look a pretoken up, which puts it into the cache if it is new, and write its ids."""
        cdef Found found
        cdef Key key
        cdef bint written
        if size >= TOO_LONG:
            return ENCODE_TOO_LONG
        if not output.room_for(size):
            return ENCODE_NO_MEMORY
        if size <= SHORT:
            key = key_of(first_16, size)
            found = self.cache.find_short(self.merges, text, size, key,
                                          key.hash(self.cache.shorts.secret))
        else:
            found = self.cache.find_long(self.merges, text, size)
        written = self.cache.write(found, self.merges, text, size, output)
        if self.cache.full:
            self.cache.forget()
        return ENCODE_DONE if written else ENCODE_NO_MEMORY
