# cython: language_level=3
# distutils: language = c++
"""Merges as columns of numbers: checked once, and ready for the engine.

`rules.check_merges` looks at one merge after the other, and says of the first wrong one what is
wrong with it. Here the same conditions are looked at in one compiled loop, and the answer is only
whether they hold. So a good vocabulary is checked in milliseconds; and for a bad one, the slow way
finds the words.
"""

import os
from array import array

from cpython.bytes cimport (
    PyBytes_AS_STRING,
    PyBytes_Check,
    PyBytes_FromStringAndSize,
    PyBytes_GET_SIZE,
)
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from cs336_bpe.formats.merge_columns import MergeColumns
from cs336_bpe.rules import BYTES, from_printable

cdef extern from "token_table.h" nogil:
    cppclass TokenTable:
        bint start(size_t num_tokens, uint64_t any_number) except +
        void end()
        bint add(const uint8_t *token, size_t length) except +
        uint32_t find(const uint8_t *token, size_t length)
        uint32_t find_joined(uint32_t first, uint32_t second)

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_ssize_t PyUnicode_FindChar(object text, Py_UCS4 character, Py_ssize_t start, Py_ssize_t end,
                                  int direction) except -2
    Py_UCS4 PyUnicode_READ(int kind, const void *characters, Py_ssize_t at)

cdef uint32_t NO_TOKEN = 0xFFFFFFFF


cdef class Table:
    """Tokens, and where each of them is."""
    cdef TokenTable table
    cdef list tokens  # keeps alive what the table has pointers to
    cdef vector[uint8_t] buffer

    def __cinit__(self, tokens):
        self.tokens = list(tokens)
        if not self.table.start(len(self.tokens), int.from_bytes(os.urandom(8), "little")):
            raise MemoryError(f"no memory for a table of {len(self.tokens)} tokens")
        for token in self.tokens:
            self.table.add(<const uint8_t *>PyBytes_AS_STRING(token), PyBytes_GET_SIZE(token))

    def __dealloc__(self):
        self.table.end()

    cdef uint32_t find(self, object token):
        return self.table.find(<const uint8_t *>PyBytes_AS_STRING(token), PyBytes_GET_SIZE(token))

    cdef uint32_t find_printable(self, str text, Py_ssize_t start, Py_ssize_t end):
        """A part of a text in the printable alphabet; NO_TOKEN for any other text."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void *characters = PyUnicode_DATA(text)
        cdef Py_ssize_t i
        cdef Py_UCS4 character
        self.buffer.clear()
        for i in range(start, end):
            character = PyUnicode_READ(kind, characters, i)
            if character >= 0x200 or byte_of[character] < 0:
                return NO_TOKEN
            self.buffer.push_back(<uint8_t>byte_of[character])
        return self.table.find(self.buffer.data(), self.buffer.size())

    cdef bint find_parts(self, object merge, bint printable, uint32_t *left,
                         uint32_t *right) except -1:
        """The two parts of a merge, if it is one; false if not."""
        cdef Py_ssize_t space, size
        if printable and isinstance(merge, str):
            size = PyUnicode_GET_LENGTH(merge)
            space = PyUnicode_FindChar(merge, 32, 0, size, 1)
            left[0] = self.find_printable(merge, 0, space)
            right[0] = self.find_printable(merge, space + 1, size)  # a space isn't in the alphabet
            return space > 0 and left[0] != NO_TOKEN and right[0] != NO_TOKEN
        if not isinstance(merge, (tuple, list)) or len(merge) != 2:
            return False
        first, second = merge
        if not printable and PyBytes_Check(first) and PyBytes_Check(second):
            left[0], right[0] = self.find(first), self.find(second)
        elif printable and isinstance(first, str) and isinstance(second, str):
            left[0] = self.find_printable(first, 0, PyUnicode_GET_LENGTH(first))
            right[0] = self.find_printable(second, 0, PyUnicode_GET_LENGTH(second))
        else:
            return False
        return left[0] != NO_TOKEN and right[0] != NO_TOKEN


cdef int16_t byte_of[0x200]  # the byte for a character of the printable alphabet, or -1
for code in range(0x200):
    printed = from_printable(chr(code))
    byte_of[code] = -1 if printed is None else printed[0]


def from_printables(texts):
    """The bytes of texts in the printable alphabet, as `rules.from_printable` has them one by one.

    >>> from_printables(["\u0120the", "the end"])
    [b' the', None]
    """
    cdef vector[uint8_t] buffer
    cdef str text
    cdef Py_UCS4 character
    cdef list result = []
    for text in texts:
        buffer.clear()
        for character in text:
            if character >= 0x200 or byte_of[character] < 0:
                result.append(None)
                break
            buffer.push_back(<uint8_t>byte_of[character])
        else:
            result.append(PyBytes_FromStringAndSize(<const char *>buffer.data(), buffer.size()))
    return result


def columns_of(dict ids not None, merges, *, bint printable=False, bint in_order=True):
    """The merges as columns; None if anything is wrong with them.

    `ids` has the id of each token. The conditions are those of `rules.check_merges`: all 256 bytes
    have ids, the parts of a merge are bytes or made by merges before it, its result has an id, and
    no two merges have the same result. (If they need not be `in_order`, a part may be made by a
    merge that comes later.) If merges are in the printable alphabet, each is a pair of
    `str`, or one `str` with a space between the parts.

    >>> ids = {byte: number for number, byte in enumerate(BYTES)} | {b"th": 300, b"the": 301}
    >>> columns = columns_of(ids, ["t h", ("th", "e")], printable=True)
    >>> columns.lefts.tolist(), columns.rights.tolist(), columns.ids[256:].tolist()
    ([116, 256], [104, 101], [300, 301])
    >>> columns_of(ids, [(b"th", b"e"), (b"t", b"h")]) is None
    True
    """
    cdef Table table
    cdef Py_ssize_t place = 0
    cdef uint32_t left = 0, right = 0, made
    if not isinstance(merges, (list, tuple)) or not all(byte in ids for byte in BYTES):
        return None
    table = Table(ids)
    all_ids = array("i", ids.values())
    numbers = array("i", b"\xff" * (4 * len(ids)))  # of those that are made so far
    id_column = array("i", [ids[byte] for byte in BYTES]) + _zeros(len(merges))
    left_column, right_column = _zeros(len(merges)), _zeros(len(merges))
    cdef int32_t[::1] all_ids_view = all_ids, number_of = numbers
    cdef int32_t[::1] id_view = id_column, left_view = left_column, right_view = right_column
    for number, byte in enumerate(BYTES):
        number_of[table.find(byte)] = number
    cdef list pairs = []
    if not in_order:
        for number, merge in enumerate(merges):
            if not table.find_parts(merge, printable, &left, &right):
                return None
            made = table.table.find_joined(left, right)
            if made == NO_TOKEN or number_of[made] >= 0:
                return None
            number_of[made] = 256 + number
    for merge in merges:
        if not table.find_parts(merge, printable, &left, &right):
            return None
        made = table.table.find_joined(left, right)
        if (made == NO_TOKEN or number_of[left] < 0 or number_of[right] < 0
                or (in_order and number_of[made] >= 0)):
            return None
        left_view[place] = number_of[left]
        right_view[place] = number_of[right]
        id_view[256 + place] = all_ids_view[made]
        number_of[made] = 256 + place
        # The vocab's own objects, so that each token is in memory once.
        pairs.append((table.tokens[left], table.tokens[right]))
        place += 1
    return MergeColumns(id_column, left_column, right_column, pairs)


def places_of(list tokens not None, list merges not None):
    """Of each merge in the printable alphabet, where in `tokens` its parts and its result are.

    None if one of them isn't there, or if it is no merge. Nothing is asked of their order.

    >>> [column.tolist() for column in places_of([b"e", b"h", b"he"], ["h e"])]
    [[1], [0], [2]]
    """
    cdef Table table = Table(tokens)
    cdef uint32_t left = 0, right = 0, made
    cdef Py_ssize_t place
    columns = _zeros(len(merges)), _zeros(len(merges)), _zeros(len(merges))
    cdef int32_t[::1] lefts = columns[0], rights = columns[1], results = columns[2]
    for place, merge in enumerate(merges):
        if not table.find_parts(merge, True, &left, &right):
            return None
        made = table.table.find_joined(left, right)
        if made == NO_TOKEN:
            return None
        lefts[place], rights[place], results[place] = left, right, made
    return columns


def columns_of_parts(list tokens not None, list ids not None, lefts, rights):
    """The columns of merges of which the places of both parts in `tokens` are known.

    `lefts` and `rights` are arrays, as `recover.merges_of_ranks` returns them: a token that has no
    parts, but -1, is a byte, and any other comes after its parts that are no bytes. All bytes must
    be there.

    >>> tokens = [*BYTES, b"th", b"the"]
    >>> lefts = array("i", [-1] * 256 + [116, 256])
    >>> rights = array("i", [-1] * 256 + [104, 101])
    >>> columns_of_parts(tokens, list(range(258)), lefts, rights).pairs
    [(b't', b'h'), (b'th', b'e')]
    """
    cdef Py_ssize_t num_tokens = len(tokens), num_merges = num_tokens - 256, i, place = 0
    numbers, id_column = _zeros(num_tokens), _zeros(num_tokens)
    left_column, right_column = _zeros(num_merges), _zeros(num_merges)
    cdef int32_t[::1] left_places = lefts, right_places = rights, number_of = numbers
    cdef int32_t[::1] id_view = id_column, left_view = left_column, right_view = right_column
    cdef list pairs = []
    for i in range(num_tokens):  # first: a byte may come after a token that it is part of
        if left_places[i] < 0:
            number_of[i] = <uint8_t>PyBytes_AS_STRING(tokens[i])[0]
    for i in range(num_tokens):
        if left_places[i] >= 0:
            left_view[place] = number_of[left_places[i]]
            right_view[place] = number_of[right_places[i]]
            pairs.append((tokens[left_places[i]], tokens[right_places[i]]))
            number_of[i] = 256 + place
            place += 1
        id_view[number_of[i]] = ids[i]
    return MergeColumns(id_column, left_column, right_column, pairs)


cdef _zeros(size_t number):
    return array("i", bytes(4 * number))
