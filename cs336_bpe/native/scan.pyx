# cython: language_level=3
# distutils: language = c++
"""The scanner that all compiled modules use, and the choice of its path: AVX-512, AVX2, ...

The fastest one that the machine has is chosen at import. Tests choose others.
"""

from libc.stdint cimport uint8_t
from libcpp.vector cimport vector

from array import array

from cs336_bpe.native.classes import case_tables, tables
from cs336_bpe.native.masked_patterns import MASKED_PATTERNS

cdef extern from "scan_paths.h" nogil:
    enum:
        NUM_SCAN_PATHS
    const ScanPath *scan_paths
    const ScanPath *fastest_scan_path()
    enum:
        PLAIN, CASED
    void fill_scan_tables(int kind, const char *index, size_t index_size, const char *classes,
                          size_t classes_size)

cdef const ScanPath *chosen = fastest_scan_path()


cdef const ScanPath *const *where_the_path_is() except NULL:
    return &chosen


def scanner_paths():
    """The names of the paths that this machine can run, the fastest first.

    >>> scanner_paths()[-1]
    'portable'
    """
    return [scan_paths[i].name.decode() for i in range(NUM_SCAN_PATHS) if scan_paths[i].is_here()]


def use_scanner_path(name=None):
    """For tests: scan by the path of this name, or by the fastest if it is None.

    It is for all compiled modules, and not to be called while one is scanning.

    >>> use_scanner_path("portable")
    >>> use_scanner_path()
    """
    global chosen
    if name is None:
        chosen = fastest_scan_path()
        return
    for i in range(NUM_SCAN_PATHS):
        if scan_paths[i].name == name.encode() and scan_paths[i].is_here():
            chosen = &scan_paths[i]
            return
    raise ValueError(f"no scanner path {name!r} on this machine; it has {scanner_paths()}")


def use_portable_scanner(portable):
    """For tests: scan without SIMD, as on a machine that has none. Returns whether it has any.

    >>> has_simd = use_portable_scanner(True)
    >>> has_simd == use_portable_scanner(False)
    True
    """
    use_scanner_path("portable" if portable else None)
    return len(scanner_paths()) > 1


def find_starts(text, pattern="gpt2", *, lenient=False, padding=bytes(SCAN_PADDING), room=512):
    """Where the pretokens of a text, as bytes, start. `pattern`: a name in MASKED_PATTERNS.

    Raises ValueError where the text is not UTF-8, unless `lenient`: then such a byte is a symbol.
    Neither the `padding` after the text nor how much `room` there is for starts at a time may make
    a difference.

    >>> find_starts(b"it's 2 cats").tolist()
    [0, 2, 4, 6]
    """
    cdef int number = list(MASKED_PATTERNS).index(pattern)
    cdef Scan scan
    cdef vector[size_t] starts
    cdef size_t found, size_of_room = max(room, SCAN_ROOM)
    cdef bytes padded = bytes(text) + bytes(padding)
    if len(padding) < SCAN_PADDING:
        raise ValueError(f"{SCAN_PADDING} bytes of padding have to come after the text")
    starts.resize(size_of_room)
    result = array("Q")
    scan_begin(&scan, <const uint8_t *>padded, 0, len(text))
    scan.lenient = lenient
    while scan.at < scan.end:
        found = scan_starts(number, &scan, starts.data(), size_of_room)
        if scan.invalid:
            raise ValueError(f"the text is not UTF-8 at byte {scan.at}")
        result.frombytes((<const char *>starts.data())[:found * sizeof(size_t)])
    return result


def count_starts(const uint8_t[:] text, pattern="gpt2"):
    """How many pretokens a text has, to measure how long it takes to find them.

    The last SCAN_PADDING bytes of `text` are not part of it.

    >>> count_starts(b"it's 2 cats" + bytes(64))
    4
    """
    cdef int number = list(MASKED_PATTERNS).index(pattern)
    cdef Scan scan
    cdef size_t starts[512]
    cdef size_t total = 0
    if len(text) < SCAN_PADDING:
        raise ValueError(f"{SCAN_PADDING} bytes of padding have to come after the text")
    scan_begin(&scan, &text[0], 0, len(text) - SCAN_PADDING)
    with nogil:
        while scan.at < scan.end and not scan.invalid:
            total += scan_starts(number, &scan, starts, 512)
    if scan.invalid:
        raise ValueError(f"the text is not UTF-8 at byte {scan.at}")
    return total


def _fill_tables():
    for kind, (index, classes) in ((PLAIN, tables()), (CASED, case_tables())):
        fill_scan_tables(kind, index, len(index), classes, len(classes))


_fill_tables()
init_scanner()
