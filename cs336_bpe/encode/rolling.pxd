# cython: language_level=3
"""What `rolling.h` declares, and the headers that it includes."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.string cimport string

from cs336_bpe.encode.perfect_merges cimport Merges
from cs336_bpe.encode.output cimport Output
from cs336_bpe.native.starts cimport Scanner


cdef extern from "../encode/rolling.h" nogil:
    enum:
        SMALLEST "AnyCache::SMALLEST"
    const size_t DEFAULT_BYTES "DEFAULT_CACHE_BYTES"
    void keys_init_module()
    bint can_merge_side_by_side()

    cppclass MergeablePairs:
        void start(const Merges &merges)

    cppclass WholeTokens:
        void add(const string &token, uint32_t id) except +

    cppclass NewWords:
        const Merges *merges
        const MergeablePairs *pairs
        const WholeTokens *whole
        bint may_be_late

    cppclass Secret:
        uint64_t a, b

    cppclass AnyCache:
        Secret secret()
        bint start(size_t most, uint32_t greatest_id)
        void end()
        size_t num_bytes()
        size_t num_pretokens()
        size_t times_full()

    int write_text(const Scanner *scanner, AnyCache *cache, const NewWords &words,
                   const uint8_t *text, size_t begin, size_t end, bint strict, Output *output)
    int write_pretoken(AnyCache *cache, const NewWords &words, const uint8_t *text, size_t length,
                       Output *output)
