# cython: language_level=3
"""What `scan.h` declares, and how a compiled module gets the scanner ready.

The scanner is compiled once, in `scan.pyx`. Every module that includes `scan.h` calls
`init_scanner()` once, when it is imported, to know where it is.
"""

from libc.stdint cimport uint8_t


cdef extern from "scan.h" nogil:
    enum:
        SCAN_PADDING
        SCAN_ROOM
        NUM_SCAN_PATTERNS
    ctypedef struct Scan:
        size_t at, end
        bint invalid, lenient
    ctypedef struct ScanPath:
        const char *name
        int (*is_here)()
    const ScanPath *const *scan_path
    void scan_begin(Scan *scan, const uint8_t *text, size_t begin, size_t end)
    size_t scan_starts(int pattern, Scan *scan, size_t *starts, size_t room)


cdef const ScanPath *const *where_the_path_is() except NULL


cdef inline int init_scanner() except -1:
    global scan_path
    scan_path = where_the_path_is()
    return 0
