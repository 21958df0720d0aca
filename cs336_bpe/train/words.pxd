# What the stages with flat words share: the array of cells, and how counts get into it.

from libc.stdint cimport int64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

cdef extern from "words.h" nogil:
    cdef cppclass WordSink:
        void make_room(size_t num_cells) except +
        cbool add(const uint8_t *text, size_t size, int64_t count) except +

    # Owns its cells, and frees them when the object that holds it goes, or on `forget`.
    cdef cppclass FlatWords[Cell](WordSink):
        FlatWords() except +
        vector[Cell] cells
        vector[int64_t] large
        Cell &operator[](size_t position)
        size_t size()
        int64_t count_at(size_t position)
        void forget()

cdef int read_words(object counts, WordSink *sink) except -1
