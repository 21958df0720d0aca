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
    cppclass Wanted "TokenTable::Wanted":
        const uint8_t *bytes
    cppclass TokenTable:
        bint start(size_t num_tokens, uint64_t any_number) except +
        void end()
        bint add(const uint8_t *token, size_t length) except +
        uint32_t find(const uint8_t *token, size_t length)
        uint32_t find(const Wanted &wanted)
        Wanted prepared(const uint8_t *token, size_t length)
        uint32_t find_joined(uint32_t first, uint32_t second)
        void prepare_joined(uint32_t first, uint32_t second)

cdef extern from "recover.h" nogil:
    cppclass Recover:
        uint32_t byte_tokens[256]
        uint32_t left
        bint start(size_t num_pairs)
        void end()
        bint add(uint32_t first, uint32_t second, uint32_t rank, uint32_t made)
        size_t merge(const uint8_t *token, size_t length) except +

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_ssize_t PyUnicode_FindChar(object text, Py_UCS4 character, Py_ssize_t start, Py_ssize_t end,
                                  int direction) except -2
    Py_UCS4 PyUnicode_READ(int kind, const void *characters, Py_ssize_t at)

cdef uint32_t NO_TOKEN = 0xFFFFFFFF
cdef enum:
    AT_A_TIME = 256  # merges: few enough to stay in the processor's cache

cdef struct Merge:  # by the places of its tokens in a table
    uint32_t left
    uint32_t right
    uint32_t made


cdef class Table:
    """Tokens, and where each of them is."""
    cdef TokenTable table
    cdef list tokens
    cdef vector[Wanted] parts  # of some merges, two for each
    cdef vector[uint8_t] buffer  # their bytes, if they are in the printable alphabet
    cdef vector[size_t] places  # where each of them begins there

    def __cinit__(self, tokens):
        self.tokens = list(tokens)
        if not self.table.start(len(self.tokens), int.from_bytes(os.urandom(8), "little")):
            raise MemoryError(f"no memory for a table of {len(self.tokens)} tokens")
        for token in self.tokens:
            if not isinstance(token, bytes):
                raise TypeError(f"a token is a {type(token).__name__}; it must be bytes")
            self.table.add(<const uint8_t *>PyBytes_AS_STRING(token), PyBytes_GET_SIZE(token))

    def __dealloc__(self):
        self.table.end()

    cdef uint32_t find(self, object token):
        return self.table.find(<const uint8_t *>PyBytes_AS_STRING(token), PyBytes_GET_SIZE(token))

    cdef bint find_merges(self, merges, bint printable, vector[Merge] &found) except -1:
        """Where the parts and the results of merges are; false if one isn't there, or is no merge.

        They are looked up some at a time, in steps, so that they come from memory side by side.
        """
        cdef Py_ssize_t start, number = len(merges)
        cdef size_t i, first
        cdef Merge one
        found.reserve(number)
        for start in range(0, number, AT_A_TIME):
            self.parts.clear()
            self.buffer.clear()
            self.places.clear()
            for merge in merges[start : start + AT_A_TIME]:
                if not self.prepare_parts(merge, printable):
                    return False
            for i in range(self.places.size()):
                self.parts[i].bytes = self.buffer.data() + self.places[i]
            first = found.size()
            for i in range(0, self.parts.size(), 2):
                one.left = self.table.find(self.parts[i])
                one.right = self.table.find(self.parts[i + 1])
                if one.left == NO_TOKEN or one.right == NO_TOKEN:
                    return False
                self.table.prepare_joined(one.left, one.right)
                found.push_back(one)
            for i in range(first, found.size()):
                found[i].made = self.table.find_joined(found[i].left, found[i].right)
                if found[i].made == NO_TOKEN:
                    return False
        return True

    cdef bint prepare_parts(self, object merge, bint printable) except -1:
        """Begin to look for the two parts of a merge; false if it is none."""
        cdef Py_ssize_t space, size
        if printable and isinstance(merge, str):
            size = PyUnicode_GET_LENGTH(merge)
            space = PyUnicode_FindChar(merge, 32, 0, size, 1)
            if size > 8 and (<str>merge)[0] == 35 and (<str>merge).startswith("#version"):
                return False  # some readers leave it out, as if it were a file's first line
            return (space > 0 and self.prepare_printable(merge, 0, space)
                    and self.prepare_printable(merge, space + 1, size))  # it isn't in the alphabet
        if not isinstance(merge, (tuple, list)) or len(merge) != 2:
            return False
        for part in merge:
            if printable and isinstance(part, str):
                if not self.prepare_printable(part, 0, PyUnicode_GET_LENGTH(part)):
                    return False
            elif not printable and PyBytes_Check(part):
                self.parts.push_back(self.table.prepared(
                    <const uint8_t *>PyBytes_AS_STRING(part), PyBytes_GET_SIZE(part)))
            else:
                return False
        return True

    cdef bint prepare_printable(self, str text, Py_ssize_t start, Py_ssize_t end) except -1:
        """The same for a part of a text; false if it isn't in the printable alphabet."""
        cdef int kind = PyUnicode_KIND(text)
        cdef const void *characters = PyUnicode_DATA(text)
        cdef Py_ssize_t i
        cdef Py_UCS4 character
        cdef size_t size = self.buffer.size()
        for i in range(start, end):
            character = PyUnicode_READ(kind, characters, i)
            if character >= 0x200 or byte_of[character] < 0:
                return False
            self.buffer.push_back(<uint8_t>byte_of[character])
        self.parts.push_back(self.table.prepared(self.buffer.data() + size, end - start))
        self.places.push_back(size)  # the buffer may move when it grows
        return True

    cdef bint keep_those_that_happen(self, vector[Merge] &merges) except -1:
        """Of several merges that make a token, keep the one that comes last when the token's bytes
        are merged. False if a merge is there twice."""
        cdef Recover recover
        cdef vector[uint32_t] left_of  # of each token, by what happens
        cdef size_t i, kept = 0
        cdef bytes token
        left_of.resize(len(self.tokens), NO_TOKEN)
        try:
            if not recover.start(merges.size()):
                raise MemoryError(f"no memory for {merges.size()} merges")
            for i in range(merges.size()):
                if not recover.add(merges[i].left, merges[i].right, i, merges[i].made):
                    return False
            for byte in BYTES:
                recover.byte_tokens[PyBytes_AS_STRING(byte)[0] & 0xFF] = self.find(byte)
            for i in range(left_of.size()):
                token = <bytes>self.tokens[i]
                if PyBytes_GET_SIZE(token) > 1 and recover.merge(
                        <const uint8_t *>PyBytes_AS_STRING(token), PyBytes_GET_SIZE(token)) == 1:
                    left_of[i] = recover.left
        finally:
            recover.end()
        for i in range(merges.size()):
            if left_of[merges[i].made] == merges[i].left:
                merges[kept] = merges[i]
                kept += 1
        merges.resize(kept)
        return True

    cdef bint number(self, const vector[Merge] &merges, vector[int32_t] &number_of,
                     bint in_order) except -1:
        """Number the tokens by the merges that make them; false if two make the same, or one joins
        what is not made, or only by a later one although they should be `in_order`."""
        cdef size_t i
        number_of.clear()
        number_of.resize(len(self.tokens), -1)  # not assign(), which Cython takes for safe
        for byte in BYTES:
            number_of[self.find(byte)] = PyBytes_AS_STRING(byte)[0] & 0xFF
        for i in range(merges.size()):
            if number_of[merges[i].made] >= 0 or in_order and (
                    number_of[merges[i].left] < 0 or number_of[merges[i].right] < 0):
                return False
            number_of[merges[i].made] = 256 + <int32_t>i
        for i in range(merges.size()):
            if number_of[merges[i].left] < 0 or number_of[merges[i].right] < 0:
                return False
        return True

    cdef columns(self, const vector[Merge] &merges, const vector[int32_t] &number_of, all_ids,
                 bint all_happen=False):
        """Merges that are numbered, as columns; `all_ids` are those of the tokens of the table."""
        cdef size_t i, number = merges.size()
        id_column, left_column, right_column = _zeros(256 + number), _zeros(number), _zeros(number)
        cdef int32_t[::1] ids = all_ids
        cdef int32_t[::1] id_view = id_column, left_view = left_column, right_view = right_column
        cdef list pairs = []
        for byte in BYTES:
            id_view[PyBytes_AS_STRING(byte)[0] & 0xFF] = ids[self.find(byte)]
        for i in range(number):
            id_view[256 + i] = ids[merges[i].made]
            left_view[i] = number_of[merges[i].left]
            right_view[i] = number_of[merges[i].right]
            # The vocab's own objects, so that each token is in memory once.
            pairs.append((self.tokens[merges[i].left], self.tokens[merges[i].right]))
        return MergeColumns(id_column, left_column, right_column, pairs, all_happen)


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


def not_printable(texts):
    """Those of some texts that are not in the printable alphabet.

    >>> not_printable(["\u0120the", "the end"])
    ['the end']
    """
    cdef str text
    cdef Py_UCS4 character
    cdef list result = []
    for text in texts:
        for character in text:
            if character >= 0x200 or byte_of[character] < 0:
                result.append(text)
                break
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
    cdef vector[Merge] found
    cdef vector[int32_t] number_of
    if not isinstance(merges, (list, tuple)) or not all(byte in ids for byte in BYTES):
        return None
    table = Table(ids)
    if not table.find_merges(merges, printable, found):
        return None
    if not table.number(found, number_of, in_order):
        return None
    return table.columns(found, number_of, array("i", ids.values()))


def columns_of_ranked(dict ids not None, list merges not None):
    """The same for merges in the printable alphabet that may be in any order, and of which several
    may make the same token: then it is the one that happens (see `recover.pyx`).

    None if a merge is there twice, joins what is no token, or makes none.

    >>> ids = {byte: number for number, byte in enumerate(BYTES)}
    >>> ids |= {b"bc": 300, b"ab": 301, b"abc": 302}
    >>> columns_of_ranked(ids, ["a b", "b c", "a bc", "ab c"]).pairs
    [(b'a', b'b'), (b'b', b'c'), (b'ab', b'c')]
    """
    cdef Table table
    cdef vector[Merge] found
    cdef vector[int32_t] number_of
    cdef bint all_happen = False
    if not all(byte in ids for byte in BYTES):
        return None
    table = Table(ids)
    if not table.find_merges(merges, True, found):
        return None
    if not table.number(found, number_of, True):
        if not table.keep_those_that_happen(found):
            return None
        all_happen = table.number(found, number_of, False)
        assert all_happen, "what happens joins what is made, and makes each token once"
    return table.columns(found, number_of, array("i", ids.values()), all_happen)


def are_in_order(columns):
    """Whether every merge comes after those that make its parts.

    >>> ids = {byte: number for number, byte in enumerate(BYTES)} | {b"ab": 256, b"abc": 257}
    >>> [are_in_order(columns_of_ranked(ids, merges))
    ...  for merges in (["a b", "ab c"], ["ab c", "a b"])]
    [True, False]
    """
    cdef int32_t[::1] lefts = columns.lefts, rights = columns.rights
    cdef Py_ssize_t i
    for i in range(len(columns.lefts)):
        if lefts[i] >= 256 + i or rights[i] >= 256 + i:
            return False
    return True


def columns_of_parts(list tokens not None, list ids not None, lefts, rights):
    """The columns of merges of which the places of both parts in `tokens` are known.

    `lefts` and `rights` are arrays, as `recover.merges_of_ranks` returns them; a byte has no parts,
    but -1. So has a token that no merge makes. All bytes must be there.

    >>> tokens = [*BYTES, b"th", b"the"]
    >>> lefts = array("i", [-1] * 256 + [116, 256])
    >>> rights = array("i", [-1] * 256 + [104, 101])
    >>> columns_of_parts(tokens, list(range(258)), lefts, rights).pairs
    [(b't', b'h'), (b'th', b'e')]
    """
    cdef Py_ssize_t num_tokens = len(tokens), num_merges = num_tokens - lefts.count(-1)
    cdef Py_ssize_t i, place = 0
    numbers, id_column = _zeros(num_tokens), _zeros(256 + num_merges)
    left_column, right_column = _zeros(num_merges), _zeros(num_merges)
    cdef int32_t[::1] left_places = lefts, right_places = rights, number_of = numbers
    cdef int32_t[::1] id_view = id_column, left_view = left_column, right_view = right_column
    cdef list pairs = []
    for i in range(num_tokens):  # first: a part may come after a token that it is part of
        if left_places[i] >= 0:
            number_of[i] = 256 + <int32_t>place
            place += 1
        elif PyBytes_GET_SIZE(tokens[i]) == 1:
            number_of[i] = <uint8_t>PyBytes_AS_STRING(tokens[i])[0]
        else:
            continue
        id_view[number_of[i]] = ids[i]
    for i in range(num_tokens):
        if left_places[i] >= 0:
            place = number_of[i] - 256
            left_view[place] = number_of[left_places[i]]
            right_view[place] = number_of[right_places[i]]
            pairs.append((tokens[left_places[i]], tokens[right_places[i]]))
    return MergeColumns(id_column, left_column, right_column, pairs, True)


cdef _zeros(size_t number):
    return array("i", bytes(4 * number))
