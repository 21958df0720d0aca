# cython: language_level=3
"""What `word_counts.h` declares. Who starts a table has to end it. What returns a bint returns
False if there is no memory."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint64_t


cdef extern from "word_counts.h" nogil:
    enum:
        TINY
        SHORT
    cppclass ShortKey:
        pass
    uint64_t tiny_key(const uint8_t *text, size_t length)
    ShortKey counted_key(const uint8_t *text, size_t length)

    cppclass TinyEntry:
        uint64_t count
        size_t length()
    cppclass ShortEntry:
        uint64_t count
        size_t length()
    cppclass LongEntry:
        uint64_t count
        size_t length()

    cppclass TinyTable "CountTable<TinyEntry>":
        TinyEntry *entries
        size_t mask, used
        const uint8_t *bytes(const TinyEntry &entry)
        bint start(size_t size)
        void end()
        void clear()
        void prefetch(uint64_t hash)
        uint64_t hash_of(uint64_t key)
        bint add(uint64_t key, uint64_t hash, uint64_t n)
        bint tidy()
    cppclass ShortTable "CountTable<ShortEntry>":
        ShortEntry *entries
        size_t mask, used
        const uint8_t *bytes(const ShortEntry &entry)
        bint start(size_t size)
        void end()
        void clear()
        void prefetch(uint64_t hash)
        uint64_t hash_of(ShortKey key)
        bint add(ShortKey key, uint64_t hash, uint64_t n)
        bint tidy()
    cppclass LongTable:
        LongEntry *entries
        size_t mask, used
        const uint8_t *bytes(const LongEntry &entry)
        bint start(size_t size)
        void end()
        void clear()
        bint add(const uint8_t *pretoken, size_t length, uint64_t n)


ctypedef fused AnyTable:
    TinyTable
    ShortTable
    LongTable


cdef inline int add_to_dict(AnyTable *table, dict counts) except -1:
    """Make a Python object of every pretoken in a table."""
    cdef size_t i
    cdef const char *start
    for i in range(table.mask + 1):
        if table.entries[i].count:
            start = <const char *>table.bytes(table.entries[i])
            pretoken = PyBytes_FromStringAndSize(start, table.entries[i].length())
            counts[pretoken] = table.entries[i].count
    return 0
