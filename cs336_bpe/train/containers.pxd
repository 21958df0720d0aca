from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.utility cimport pair
from libcpp.vector cimport vector

# All own what is in them, and free it when the object that holds them goes.
cdef extern from "containers.h" nogil:
    cdef cppclass Lists:
        vector[int32_t] items
        int32_t &operator[](size_t at)
        void lay_out[Owner](vector[Owner] &owners, size_t first) except +
        void append[Owner](Owner &owner, int32_t item)
        void give_back(uint32_t begin, uint32_t end) except +
        void forget()

    # What Cython declares of the library's tables and heaps says that they can't fail. They can.
    cdef cppclass PairTable[Value]:
        cppclass iterator:
            pair[uint64_t, Value] &operator*()
            iterator operator++()
            bint operator!=(iterator)
        iterator begin()
        iterator end()
        Value *of(uint64_t pair) except +
        size_t count(uint64_t pair)
        size_t erase(uint64_t pair)

    cdef cppclass Queue "std::priority_queue" [Entry]:
        cbool empty()
        const Entry &top()
        void push(Entry entry) except +
        void pop()

    cdef cppclass Heap[Entry]:
        vector[Entry] entries
        cbool empty()
        const Entry &top()
        void push(Entry entry) except +
        void pop()
        void replace_top(Entry entry)
