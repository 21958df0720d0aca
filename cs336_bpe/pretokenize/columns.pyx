# cython: language_level=3
"""A dict from the columns that a compiled stage leaves, for `PretokenCounts`."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t


def columns_to_dict(bytes text not None, const uint64_t[::1] lengths not None,
                    const uint64_t[::1] counts not None):
    """The pretokens, which lie in `text` one after the other, and the count of each."""
    cdef const char *start = PyBytes_AS_STRING(text)
    cdef uint64_t left = len(text)
    cdef Py_ssize_t i
    cdef dict entries = {}
    if len(lengths) != len(counts):
        raise ValueError(f"there are {len(lengths)} lengths, but {len(counts)} counts")
    for i in range(len(lengths)):
        if lengths[i] > left:
            raise ValueError(f"the pretokens are longer than the text, of {len(text)} bytes")
        entries[PyBytes_FromStringAndSize(start, lengths[i])] = counts[i]
        start += lengths[i]
        left -= lengths[i]
    return entries
