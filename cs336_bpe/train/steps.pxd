from libc.stdint cimport int32_t
from libcpp.vector cimport vector

cdef struct Merge:
    int32_t left, right  # token ids

cdef list as_bytes(vector[Merge] &merged)
