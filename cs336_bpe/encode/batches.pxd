# cython: language_level=3
"""What `batches.h` declares."""

from libc.stdint cimport uint8_t

from cs336_bpe.encode.merge_numbers cimport Merges
from cs336_bpe.encode.output cimport Output
from cs336_bpe.encode.pretoken_cache cimport PretokenCache
from cs336_bpe.native.starts cimport Scanner


cdef extern from "../encode/batches.h" nogil:
    int write_text(const Scanner *scanner, PretokenCache *cache, const Merges &merges,
                   const uint8_t *text, size_t begin, size_t end, bint strict, Output *output)
    int write_pretoken(PretokenCache *cache, const Merges &merges, const uint8_t *text,
                       size_t length, Output *output)
