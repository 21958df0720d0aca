# cython: language_level=3
"""The object that owns the tables of a compiled pattern."""

from cs336_bpe.native.starts cimport Scanner


cdef class CompiledPattern:
    cdef Scanner scanner
    cdef readonly object automaton
    cdef object tables  # own the memory that `scanner` points to
