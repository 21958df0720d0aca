# cython: language_level=3
"""What `scan.h` declares, and how a compiled module gets the scanner ready.

`scan.h` keeps the classes of all characters in static tables, so every module that includes it has
its own. It calls `init_scanner()` once, when it is imported.
"""

cdef extern from "scan.h" nogil:
    enum:
        SCAN_PADDING
    int scan_use_portable
    bint scan_has_avx2()
    void scan_init_module(const char *index, size_t index_size, const char *classes,
                          size_t classes_size)


cdef int add_switch(int *use_portable) except -1


cdef inline int init_scanner() except -1:
    from cs336_bpe.native.classes import tables

    index, classes = tables()
    scan_init_module(index, len(index), classes, len(classes))
    return add_switch(&scan_use_portable)
