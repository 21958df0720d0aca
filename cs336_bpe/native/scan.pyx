# cython: language_level=3
# distutils: language = c++
"""One switch for the scanners of all compiled modules: do without AVX2.

Every module that includes `scan.h` has its own tables and its own switch, and tells this one where
that is: see `init_scanner` in `scan.pxd`.
"""

from libcpp.vector cimport vector

cdef vector[int *] switches


cdef int add_switch(int *use_portable) except -1:
    switches.push_back(use_portable)
    return 0


def use_portable_scanner(portable):
    """For tests: do without AVX2, as on a machine that has none. Returns whether it has.

    It is for modules that have been imported already, and not to be called while one is scanning.
    """
    cdef int *switch
    for switch in switches:
        switch[0] = bool(portable)
    return bool(scan_has_avx2())
