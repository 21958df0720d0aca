from libc.stdint cimport int32_t, uint32_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

# Both own what is in them, and free it when the object that holds them goes.
cdef extern from "containers.h" nogil:
    cdef cppclass Lists:
        vector[int32_t] items
        int32_t &operator[](size_t at)
        void lay_out[Owner](vector[Owner] &owners, size_t first) except +
        void append[Owner](Owner &owner, int32_t item)
        void give_back(uint32_t begin, uint32_t end) except +
        void forget()

    cdef cppclass Heap[Entry]:
        vector[Entry] entries
        cbool empty()
        const Entry &top()
        void push(Entry entry) except +
        void pop()
        void replace_top(Entry entry)
