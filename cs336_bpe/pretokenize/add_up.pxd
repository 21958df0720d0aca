# cython: language_level=3
"""What `add_up.h` declares, and the columns of three tables as Python objects."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint64_t

from cs336_bpe.pretokenize.word_counts cimport LongTable, ShortTable, TinyTable


cdef extern from "add_up.h" nogil:
    bint add_all[Table_](Table_ &into, const Table_ &others)
    cppclass ColumnWriter:
        uint8_t *text
        uint64_t *lengths
        uint64_t *counts
        void write[Table_](const Table_ &table)


cdef inline tuple columns_of(const ShortTable &shorts, const TinyTable &tinies,
                             const LongTable &longs):
    """What is in the tables: all pretokens in one string, their lengths, their counts."""
    cdef size_t number = shorts.used + tinies.used + longs.used
    cdef ColumnWriter writer
    text = PyBytes_FromStringAndSize(
        NULL, shorts.text_bytes + tinies.text_bytes + longs.text_bytes)
    lengths = PyBytes_FromStringAndSize(NULL, 8 * number)
    counts = PyBytes_FromStringAndSize(NULL, 8 * number)
    # New bytes objects, which nobody else has seen yet, may be written to.
    writer.text = <uint8_t *>PyBytes_AS_STRING(text)
    writer.lengths = <uint64_t *>PyBytes_AS_STRING(lengths)
    writer.counts = <uint64_t *>PyBytes_AS_STRING(counts)
    writer.write(shorts)
    writer.write(tinies)
    writer.write(longs)
    return text, memoryview(lengths).cast("Q"), memoryview(counts).cast("Q")
