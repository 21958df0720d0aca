# cython: language_level=3
"""What `output.h` and `fill_list.h` declare."""

from libc.stdint cimport int64_t, uint32_t


cdef extern from "../encode/output.h" nogil:
    enum:
        ENCODE_DONE
        ENCODE_NO_MEMORY
        ENCODE_TOO_LONG
        ENCODE_INVALID
        ENCODE_UNMATCHED
        ENCODE_SURROGATE
    cppclass Output:
        void *ids
        size_t used, room
        int width
        bint room_for(size_t number)
        bint room_for_at_most(size_t most, size_t likely)
        void append(const uint32_t *others, size_t number)
        void extend(const Output &others)
        void shrink()
        void forget(size_t most_kept)
        void end()

cdef extern from "../encode/fill_list.h":
    int fill_list(list result, const Output &output, tuple known) except -1
    int fill_lists(list result, const Output &output, tuple known, const int64_t *offsets) except -1
