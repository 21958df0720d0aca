# cython: language_level=3
# distutils: language = c++
"""Where in a text a character of some set is, so that only these places have to be looked at."""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint8_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector


cdef extern from "stretches.h" nogil:
    enum:
        SET_BELOW
    cppclass Stretch:
        size_t start
        size_t end
    cbool find_stretches(const uint8_t *text, size_t size, const uint8_t *set, size_t gap,
                         vector[Stretch] &found) except +


NUM_BYTES = SET_BELOW // 8
"""Of a set: a bit for each code point, the lowest first. Those that have none are in the set."""


def stretches(bytes text not None, bytes members not None, size_t gap=64):
    """The stretches of a text that begin with the character before one of the set, and end after
    one; those less than `gap` bytes apart as one. None if the text is not UTF-8.

    >>> marks = bytearray(NUM_BYTES)
    >>> marks[0x301 >> 3] |= 1 << (0x301 & 7)
    >>> text = "cafe\u0301s and cafés".encode()
    >>> [text[start:end].decode() for start, end in stretches(text, bytes(marks))] == ["e\u0301"]
    True
    """
    cdef vector[Stretch] found
    cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(text)
    cdef const uint8_t *bits = <const uint8_t *>PyBytes_AS_STRING(members)
    cdef size_t size = len(text)
    cdef cbool valid
    if len(members) != NUM_BYTES:
        raise ValueError(f"a set has {NUM_BYTES} bytes, not {len(members)}")
    with nogil:
        valid = find_stretches(data, size, bits, gap, found)
    return [(one.start, one.end) for one in found] if valid else None
