# cython: language_level=3
"""What `one_store.h` declares, and the headers that it includes."""

from libc.stdint cimport uint8_t, uint32_t

from cs336_bpe.encode.perfect_merges cimport Merges
from cs336_bpe.encode.output cimport Output
from cs336_bpe.native.starts cimport Scanner


cdef extern from "../encode/one_store.h" nogil:
    const size_t DEFAULT_BYTES "DEFAULT_CACHE_BYTES"
    void keys_init_module()

    cppclass NewWords:
        const Merges *merges
        void *pairs
        void *whole

    cppclass AnyCache:
        bint start(size_t most, uint32_t greatest_id)
        void end()

    int write_text(const Scanner *scanner, AnyCache *cache, const NewWords &words,
                   const uint8_t *text, size_t begin, size_t end, bint strict, Output *output)
    int write_pretoken(AnyCache *cache, const NewWords &words, const uint8_t *text, size_t length,
                       Output *output)
