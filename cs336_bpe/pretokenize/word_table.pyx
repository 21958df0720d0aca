# cython: language_level=3
# distutils: language = c++
"""Counts of pretokens that threads make: a table each, how two are added up, and columns.

It is for stages that count in one table (`word_table.h`); how they fill it is theirs.
"""

from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from functools import partial

from cs336_bpe.pretokenize.add_up cimport ColumnWriter, column_sizes, new_columns

from cs336_bpe.pretokenize.counts import Columns, PretokenCounts
from cs336_bpe.text.crew import over_calls

cdef extern from "add_words.h" nogil:
    void keys_init_module()
    cppclass AddWords:
        cppclass Part:
            pass
        bint start(WordTable *into, WordTable *others)
        bint add(size_t number, size_t parts, Part *part)
        bint finish(const Part &part)
    cppclass WriteWords:
        void start(const WordTable *table, uint8_t *text, uint64_t *lengths, uint64_t *counts)
        size_t num_ranges()
        void write()

keys_init_module()


cdef class WordCounts:
    """Counts of pretokens, in a table that this object owns.

    >>> counts = WordCounts()
    >>> counts.add(WordCounts(), 2)
    >>> len(counts.as_counts(2))
    0
    """

    def __cinit__(self, *args):
        check_memory(self.words.start(1 << 12))

    def __dealloc__(self):
        self.words.end()

    def add(self, WordCounts other not None, size_t num_threads):
        """Add the counts of another table, which is freed then; each thread adds a part of it."""
        cdef Sum both = Sum(self, other, num_threads)
        over_calls([partial(both.add, number) for number in range(num_threads)], num_threads)
        both.finish()

    def empty_into(self, Total total, size_t most=0):
        """Move what is in the table to the total, if it has more than `most` pretokens. Other
        threads may do the same."""
        cdef bint has_memory
        with nogil:
            has_memory = empty_words_into(self.words, most, total.tinies, total.shorts,
                                          total.longs)
        check_memory(has_memory)

    def as_counts(self, size_t num_threads):
        """What is in the table, as columns: no Python object is made for a pretoken."""
        cdef ColumnWriter columns
        cdef Writing writing = Writing(self)
        made = new_columns(column_sizes(self.words), &columns)
        writing.words.start(&self.words, columns.text, columns.lengths, columns.counts)
        num_threads = min(num_threads, writing.words.num_ranges())  # the others had nothing to do
        over_calls([writing.write] * num_threads, num_threads)
        return PretokenCounts.from_columns(Columns(*made))


cdef class Sum:
    """The counts of two tables, while they are added up."""
    cdef AddWords words
    cdef vector[AddWords.Part] parts
    cdef WordCounts into, other  # which `words` points to

    def __cinit__(self, WordCounts into not None, WordCounts other not None, size_t num_parts):
        self.into, self.other = into, other
        self.parts.resize(num_parts)
        check_memory(self.words.start(&into.words, &other.words))

    def add(self, size_t number):
        """Add part `number`, in any thread."""
        cdef bint has_memory
        with nogil:
            has_memory = self.words.add(number, self.parts.size(), &self.parts[number])
        check_memory(has_memory)

    def finish(self):
        cdef size_t i
        for i in range(self.parts.size()):
            check_memory(self.words.finish(self.parts[i]))
        self.other.words.end()


cdef class Writing:
    """A table, while it is written out as columns."""
    cdef WriteWords words
    cdef WordCounts table  # which `words` points to

    def __cinit__(self, WordCounts table not None):
        self.table = table

    def write(self):
        with nogil:
            self.words.write()


cdef int check_memory(bint there_was_some) except -1:
    if not there_was_some:
        raise MemoryError("no memory for the table of pretokens")
    return 0
