from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string

cdef extern from "ties.h" nogil:
    cdef cppclass TieKey:
        pass

    # Owns the keys, which stay where they are until it goes.
    cdef cppclass TieKeys:
        cbool by_number
        const TieKey *at(int32_t token)
        void add(const string &key) except +
        void add_merged(int32_t left, int32_t right) except +

    cdef cppclass Entry[Pair]:
        int64_t count
        Pair pair
        const TieKey *left
        const TieKey *right
