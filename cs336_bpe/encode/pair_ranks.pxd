# cython: language_level=3
"""What `pair_ranks.h` declares."""

from libc.stdint cimport uint32_t, uint64_t


cdef extern from "../encode/pair_ranks.h" nogil:
    const uint64_t NO_MERGE
    cppclass PairRanks:
        bint start(size_t num_merges)
        void end()
        void add(uint32_t left, uint32_t right, uint32_t rank, uint32_t made)
        uint64_t merge_of(uint32_t left, uint32_t right)
    cppclass Candidate:
        uint64_t merge
        uint32_t place
    void make_heap "std::make_heap"(Candidate *begin, Candidate *end)
    void push_heap "std::push_heap"(Candidate *begin, Candidate *end)
    void pop_heap "std::pop_heap"(Candidate *begin, Candidate *end)
