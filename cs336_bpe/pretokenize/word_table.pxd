# cython: language_level=3
"""What `word_table.h` declares, and counts of pretokens in such a table."""

from cs336_bpe.pretokenize.total cimport DenseLongs, DenseShorts, DenseTinies, Total


cdef extern from "word_table.h" nogil:
    cppclass WordTable:
        bint start(size_t size)
        void end()
    bint empty_words_into(WordTable &table, size_t most, DenseTinies &tinies, DenseShorts &shorts,
                          DenseLongs &longs)


cdef class WordCounts:
    cdef WordTable words


cdef int check_memory(bint there_was_some) except -1
