# cython: language_level=3
"""What `starts.h` declares."""

from libc.stdint cimport uint8_t

from cs336_bpe.native.automaton cimport Automaton, AutomatonScan

cdef extern from "starts.h" nogil:
    enum:
        BATCH "Starts::BATCH"
    enum:
        NO_MASKS
    enum Gaps:
        SKIP_GAPS, KEEP_GAPS, STOP_AT_GAPS
    cppclass Scanner:
        Automaton automaton
        int masks
        Gaps gaps
    cppclass Starts:
        size_t starts[]
        size_t ready
        bint invalid, unmatched
        size_t skipped
        AutomatonScan run
        void begin(const Scanner *scanner, const uint8_t *text, size_t begin, size_t end,
                   bint lenient)
        bint find()
