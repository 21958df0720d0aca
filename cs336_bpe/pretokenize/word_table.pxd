# cython: language_level=3
"""What `word_table.h` declares, and counts of pretokens in such a table."""

from libcpp.vector cimport vector

from cs336_bpe.pretokenize.total cimport DenseLongs, DenseShorts, DenseTinies, Total


cdef extern from "word_table.h" nogil:
    cppclass WordTable:
        bint start(size_t size)
        void end()
    cppclass AddWords:
        cppclass Part:
            pass
        bint start(WordTable *into, const WordTable *others)
        bint add(size_t number, size_t parts, Part *part)
        bint finish(const Part &part)
    bint empty_words_into(WordTable &table, size_t most, DenseTinies &tinies, DenseShorts &shorts,
                          DenseLongs &longs)


cdef class WordCounts:
    cdef WordTable words


cdef int check_memory(bint there_was_some) except -1
