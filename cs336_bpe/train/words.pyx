# cython: language_level=3
# cython: cdivision=True
# distutils: language = c++
# (Divided is only what is not negative, by what is greater than 0.)
"""From counts to cells: the entries of a mapping, checked, go into an array of cells.

No idea of the ladder is in here. Every stage with flat words (10 and later) starts with this.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint64_t

from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import MAX_TOTAL, check_count, check_counts, check_total
from collections.abc import Mapping

# A merge uses up a cell and makes at most two pairs and two positions. So with at most this many
# cells, pair numbers stay below 2^31 and places in an array of positions below 2^32.
MAX_CELLS = 2**30 - 2**16


cdef int64_t LIMIT = MAX_TOTAL  # as a C integer: it is compared with for every entry


cdef int read_words(object counts, WordSink *sink) except -1:
    """Put every pretoken that has a pair into the sink, or raise an error that names the entry."""
    if not isinstance(counts, Mapping):
        check_counts(counts)  # raises
    columns = counts.columns if isinstance(counts, PretokenCounts) else None
    if columns is not None:
        make_room(sink, len(columns.text) + len(columns.lengths))
        read_columns(columns.text, columns.lengths, columns.counts, sink)
    else:
        make_room(sink, sum([len(word) + 1 for word in counts if isinstance(word, bytes)]))
        read_entries(counts, sink)
    return 0


cdef int make_room(WordSink *sink, size_t num_cells) except -1:
    if num_cells + 1 > MAX_CELLS:
        raise ValueError(f"counts has {num_cells + 1} bytes of distinct pretokens, more than the "
                         f"{MAX_CELLS} that this stage can number; use stage09 or drop rare ones")
    sink.make_room(num_cells)
    return 0


cdef int read_entries(object counts, WordSink *sink) except -1:
    cdef int64_t total = 0
    for word, number in counts.items():
        if type(word) is not bytes or type(number) is not int or not 0 <= number <= MAX_TOTAL:
            number = check_count(word, number)  # raises, or makes an int of what can be one
        if not add(<const uint8_t *>PyBytes_AS_STRING(word), PyBytes_GET_SIZE(word), number, &total,
                   sink):
            check_counts(counts)  # raises: it knows the whole sum, and whether another one is worse
            raise RuntimeError("counts changed while it was read")
    return 0


cdef int read_columns(const uint8_t[::1] text, const uint64_t[::1] lengths,
                      const uint64_t[::1] counts, WordSink *sink) except -1:
    """The same from arrays, as a compiled stage of pretokenization leaves them."""
    cdef Py_ssize_t i, at = 0
    cdef int64_t total = 0
    cdef const uint8_t *start = &text[0] if text.shape[0] else NULL
    for i in range(lengths.shape[0]):
        if lengths[i] > <uint64_t>(text.shape[0] - at) or counts[i] > <uint64_t>LIMIT:
            raise ValueError(f"the columns of counts are wrong at entry {i}")
        if not add(start + at, lengths[i], counts[i], &total, sink):
            check_total(sum([int(length) * int(count) for length, count in zip(lengths, counts)]))
            raise RuntimeError("counts changed while it was read")
        at += lengths[i]
    return 0


cdef bint add(const uint8_t *text, Py_ssize_t size, int64_t count, int64_t *total,
              WordSink *sink) except? False:
    """False if the total is too large by now, or there is no room."""
    if size > 0 and count > (LIMIT - total[0]) / size:
        return False
    total[0] += count * size
    return size < 2 or count == 0 or sink.add(text, size, count)
