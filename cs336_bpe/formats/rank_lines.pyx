# cython: language_level=3
"""The lines of tiktoken's files: a token in base64, a space, and its rank."""

from base64 import b64encode

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int8_t, uint8_t, uint32_t
from libc.string cimport memchr

from cs336_bpe.rules import MAX_ID

cdef int8_t value_of[256]  # of a character of base64, or -1
for code in range(256):
    value_of[code] = -1
for number in range(64):
    value_of[b64encode(bytes([number << 2]))[0]] = number

cdef long long GREATEST = MAX_ID


cdef Py_ssize_t decode(const uint8_t *text, Py_ssize_t size, uint8_t *result) noexcept nogil:
    """Base64 as it is written: how many bytes it stands for, or -1 if it is not that to the letter.

    Padding must be there, and the bits that don't make a byte must be zero.
    """
    cdef Py_ssize_t used = 0, i, padding = 0
    cdef uint32_t bits = 0
    if size % 4 or not size:
        return -1
    while padding < 2 and text[size - 1 - padding] == 61:  # an equals sign
        padding += 1
    for i in range(size - padding):
        if value_of[text[i]] < 0:
            return -1
        bits = bits << 6 | <uint32_t>value_of[text[i]]
        if i % 4:
            result[used] = <uint8_t>(bits >> (6 - 2 * (i % 4)))
            used += 1
    if padding and bits & ((1 << 2 * padding) - 1):
        return -1
    return used


def read_rank_lines(bytes data not None):
    """The tokens and their ranks, in the order of the lines; None if any line is wrong.

    Empty lines are left out, as tiktoken does.

    >>> read_rank_lines(b"IQ== 0\\n\\nSGk= 256\\r\\n")
    {b'!': 0, b'Hi': 256}
    >>> read_rank_lines(b"IR== 0"), read_rank_lines(b"IQ==  0"), read_rank_lines(b"IQ== 0\\nIQ== 1")
    (None, None, None)
    """
    cdef const uint8_t *at = <const uint8_t *>PyBytes_AS_STRING(data)
    cdef const uint8_t *end = at + PyBytes_GET_SIZE(data)
    cdef const uint8_t *stop
    cdef const uint8_t *line_end
    cdef const uint8_t *space
    cdef long long rank
    cdef Py_ssize_t size, num_lines = 0
    cdef bytes room = PyBytes_FromStringAndSize(NULL, PyBytes_GET_SIZE(data) + 1)
    cdef uint8_t *decoded = <uint8_t *>PyBytes_AS_STRING(room)
    cdef dict ranks = {}
    while at < end:
        stop = <const uint8_t *>memchr(at, 10, end - at)
        if stop == NULL:
            stop = end
        line_end = stop
        if line_end > at and line_end[-1] == 13:
            line_end -= 1
        if line_end > at:
            space = <const uint8_t *>memchr(at, 32, line_end - at)
            if space == NULL or not 1 <= line_end - space - 1 <= 10:
                return None
            size = decode(at, space - at, decoded)
            if size <= 0:
                return None
            rank = 0
            space += 1
            while space < line_end:
                if not 48 <= space[0] <= 57:
                    return None
                rank = 10 * rank + (space[0] - 48)
                space += 1
            if rank > GREATEST:
                return None
            ranks[PyBytes_FromStringAndSize(<const char *>decoded, size)] = rank
            num_lines += 1
        at = stop + 1
    return ranks if len(ranks) == num_lines == len(set(ranks.values())) else None
