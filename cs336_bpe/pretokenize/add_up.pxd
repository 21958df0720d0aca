# cython: language_level=3
"""What `add_up.h` declares, and columns as Python objects."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint64_t


cdef extern from "add_up.h" nogil:
    bint add_all[Into, From_](Into &into, const From_ &others)
    bint empty_into[From_, Into](From_ &table, size_t most, Into &into)
    cppclass ColumnSizes:
        size_t number, text_bytes
    ColumnSizes column_sizes[A](const A &a)
    ColumnSizes column_sizes[A, B, C](const A &a, const B &b, const C &c)
    cppclass ColumnWriter:
        uint8_t *text
        uint64_t *lengths
        uint64_t *counts
        void write[Table_](const Table_ &table)


cdef inline tuple new_columns(ColumnSizes sizes, ColumnWriter *writer):
    """Room for all pretokens in one string, their lengths, their counts; and who writes there."""
    text = PyBytes_FromStringAndSize(NULL, sizes.text_bytes)
    lengths = PyBytes_FromStringAndSize(NULL, 8 * sizes.number)
    counts = PyBytes_FromStringAndSize(NULL, 8 * sizes.number)
    # New bytes objects, which nobody else has seen yet, may be written to.
    writer.text = <uint8_t *>PyBytes_AS_STRING(text)
    writer.lengths = <uint64_t *>PyBytes_AS_STRING(lengths)
    writer.counts = <uint64_t *>PyBytes_AS_STRING(counts)
    return text, memoryview(lengths).cast("Q"), memoryview(counts).cast("Q")
