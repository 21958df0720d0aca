# cython: language_level=3
"""What `automaton.h` declares."""

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t

cdef extern from "automaton.h" nogil:
    enum:
        STEP_EMIT, STEP_MARK, STEP_BACK
    cppclass Step:
        uint16_t next, flags
    cppclass Automaton:
        uint32_t num_classes
        bint leaves_gaps
        uint8_t of_byte[256]
        const uint16_t *index
        const uint8_t *blocks
        const Step *steps
        const int16_t *next
        const uint8_t *accept
        const uint8_t *safe
    cppclass DeadEnds:
        size_t again
    cppclass AutomatonScan:
        const uint8_t *text
        size_t at, end, mark
        uint32_t state
        bint lenient, open, invalid
        DeadEnds dead_ends
    void automaton_begin(AutomatonScan *scan, const Automaton *automaton, const uint8_t *text,
                         size_t begin, size_t end)
    size_t automaton_starts(AutomatonScan *scan, size_t *starts, size_t room)
    void automaton_back(AutomatonScan *scan)
    int automaton_outlook(const AutomatonScan *scan, size_t size)
    size_t automaton_match(const Automaton *automaton, const uint8_t *text, size_t at, size_t end,
                           bint lenient, size_t *length_of_first, DeadEnds *dead_ends)
    size_t automaton_last_cut(const Automaton *automaton, const uint8_t *text, size_t size,
                              size_t start, size_t first)
