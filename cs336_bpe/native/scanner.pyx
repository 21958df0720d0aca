# cython: language_level=3
# distutils: language = c++
"""Compiled patterns, ready to run: the tables of an automaton where C can use them."""

from cpython.buffer cimport PyBUF_CONTIG_RO, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int16_t, uint8_t, uint16_t
from libc.string cimport memcpy

from functools import lru_cache

from cs336_bpe.native.automaton cimport AutomatonScan, Step, automaton_begin, automaton_last_cut
from cs336_bpe.native.automaton cimport automaton_starts
from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.starts cimport KEEP_GAPS, NO_MASKS, SKIP_GAPS, STOP_AT_GAPS, Starts

from cs336_bpe.native.masked_patterns import number_of_masks
from cs336_bpe.patterns import compile_pattern
from cs336_bpe.patterns.tables import make_tables
from cs336_bpe.rules import require_pattern

init_scanner()

KEPT = 64  # compiled patterns


cdef class CompiledPattern:
    """A pattern that compiled code can run. It never changes, and many threads may use it.

    What no match takes is left out, or with `keep_gaps` a piece of its own.

    >>> words = compiled("[a-z]+|[^a-z]")
    >>> words.starts(b"two words")
    [0, 3, 4]
    """

    def __cinit__(self, automaton, bint keep_gaps=False):
        tables = make_tables(automaton)
        self.automaton = automaton
        self.tables = tables
        masks = number_of_masks(automaton)
        self.scanner.masks = NO_MASKS if masks is None else masks
        self.scanner.gaps = KEEP_GAPS if keep_gaps else SKIP_GAPS
        self.scanner.automaton.num_classes = tables.num_classes
        self.scanner.automaton.leaves_gaps = tables.leaves_gaps
        memcpy(self.scanner.automaton.of_byte, PyBytes_AS_STRING(tables.of_byte), 256)
        self.scanner.automaton.index = <const uint16_t *>PyBytes_AS_STRING(tables.block_index)
        self.scanner.automaton.blocks = <const uint8_t *>PyBytes_AS_STRING(tables.blocks)
        self.scanner.automaton.steps = <const Step *>PyBytes_AS_STRING(tables.steps)
        self.scanner.automaton.next = <const int16_t *>PyBytes_AS_STRING(tables.next)
        self.scanner.automaton.accept = <const uint8_t *>PyBytes_AS_STRING(tables.accept)
        safe = tables.safe_keeping_gaps if keep_gaps else tables.safe
        self.scanner.automaton.safe = <const uint8_t *>PyBytes_AS_STRING(safe)

    @property
    def leaves_gaps(self):
        """Whether there is a text of which a part belongs to no match."""
        return self.automaton.leaves_gaps

    @property
    def has_masks(self):
        """Whether it runs by masks, and not as an automaton."""
        return self.scanner.masks != NO_MASKS

    def starts(self, bytes text not None, *, bint lenient=False, gaps="skip", bint masks=True):
        """Where the pretokens of a text start.

        For tests and for those who look; what counts and encodes uses `Starts` in C.
        """
        cdef bytes padded = text + bytes(SCAN_PADDING)
        cdef Scanner scanner = self.scanner
        cdef Starts starts
        cdef list found = []
        cdef size_t i
        if not masks:
            scanner.masks = NO_MASKS
        scanner.gaps = {"skip": SKIP_GAPS, "keep": KEEP_GAPS, "raise": STOP_AT_GAPS}[gaps]
        starts.begin(&scanner, <const uint8_t *>PyBytes_AS_STRING(padded), 0, len(text), lenient)
        while starts.find():
            for i in range(starts.ready):
                found.append(starts.starts[i])
        if starts.invalid:
            raise ValueError("the text is not UTF-8")
        if starts.unmatched:
            raise ValueError(f"no match takes the character at byte {starts.run.at}")
        return found

    def bytes_taken(self, bytes text not None):
        """How many bytes the automaton takes to find the starts of a text. What it gives back
        after an attempt in vain, it takes again.

        >>> compiled("a+b|.").bytes_taken(b"aaac")
        10
        """
        cdef bytes padded = text + bytes(SCAN_PADDING)
        cdef Scanner scanner = self.scanner
        cdef Starts starts
        scanner.masks = NO_MASKS
        starts.begin(&scanner, <const uint8_t *>PyBytes_AS_STRING(padded), 0, len(text), True)
        while starts.find():
            pass
        return len(text) + starts.run.dead_ends.again

    def certain_starts(self, bytes text not None):
        """The starts that are certain, whatever may follow the text; the last one is still open.

        >>> compiled("[a-z]+|[^a-z]").certain_starts(b"two words")
        [0, 3, 4]
        """
        cdef bytes padded = text + bytes(SCAN_PADDING)
        cdef size_t starts[64]
        cdef size_t i, number = 1
        cdef AutomatonScan run
        cdef list found = []
        automaton_begin(&run, &self.scanner.automaton,
                        <const uint8_t *>PyBytes_AS_STRING(padded), 0, len(text))
        run.lenient = run.open = True
        while number:
            number = automaton_starts(&run, starts, 64)
            for i in range(number):
                found.append(starts[i])
        return found

    def last_cut(self, data, size_t size, Py_ssize_t first=1, size_t last=<size_t>-1):
        """The last place in `data[first:last]` where a text of `size` bytes may be cut; 0 if there
        is none.

        >>> compiled("[a-z]+|[^a-z]").last_cut(b"two words", 9)
        4
        """
        cdef Py_buffer view
        cdef size_t cut
        last = min(last, size)
        if not last:
            return 0
        PyObject_GetBuffer(data, &view, PyBUF_CONTIG_RO)
        try:
            with nogil:
                cut = automaton_last_cut(&self.scanner.automaton, <const uint8_t *>view.buf, size,
                                         last - 1, max(first, 1))
        finally:
            PyBuffer_Release(&view)
        return cut


@lru_cache(maxsize=KEPT)
def compiled(pattern, bint keep_gaps=False):
    """A pattern, or the one of that name, compiled; `Unsupported` if it can't be."""
    return CompiledPattern(compile_pattern(require_pattern(pattern)), keep_gaps)
