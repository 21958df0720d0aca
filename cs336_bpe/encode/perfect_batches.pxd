# cython: language_level=3
"""What `perfect_batches.h` declares."""

from libc.stdint cimport uint8_t

from cs336_bpe.encode.output cimport Output
from cs336_bpe.encode.perfect_merges cimport Merges
from cs336_bpe.native.starts cimport Scanner


cdef extern from "../encode/perfect_batches.h" nogil:
    const size_t DEFAULT_BYTES "DEFAULT_CACHE_BYTES"
    void cache_init_module()
    cppclass PretokenCache:
        bint start(size_t most)
        void end()
    int write_text(const Scanner *scanner, PretokenCache *cache, const Merges &merges,
                   const uint8_t *text, size_t begin, size_t end, bint strict, Output *output)
    int write_pretoken(PretokenCache *cache, const Merges &merges, const uint8_t *text,
                       size_t length, Output *output)
