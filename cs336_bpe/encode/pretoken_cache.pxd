# cython: language_level=3
"""What `pretoken_cache.h` declares."""

from libc.stdint cimport uint8_t, uint32_t

from cs336_bpe.encode.merge_numbers cimport Merges
from cs336_bpe.encode.output cimport Output


cdef extern from "../encode/pretoken_cache.h" nogil:
    enum:
        SHORT
        SMALLEST "PretokenCache::SMALLEST"
    const size_t DEFAULT_BYTES "DEFAULT_CACHE_BYTES"
    void cache_init_module()

    cppclass Secret:
        pass
    cppclass Key:
        uint32_t hash(const Secret &secret)
    Key key_of(const uint8_t *text, size_t length)

    cppclass Found:
        pass

    cppclass Entries "OpenTable<ShortEntry>":
        size_t used
        Secret secret

    cppclass PretokenCache:
        Entries shorts, longs
        bint full
        size_t times_full
        bint start(size_t most)
        void end()
        void forget()
        size_t num_bytes()
        Found find_short(const Merges &merges, const uint8_t *text, size_t length, Key key,
                         uint32_t hash)
        Found find_long(const Merges &merges, const uint8_t *text, size_t length)
        bint write(const Found &found, const Merges &merges, const uint8_t *text, size_t length,
                   Output *output)
