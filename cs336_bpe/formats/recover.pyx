# cython: language_level=3
# distutils: language = c++
"""Which merge makes each token: found by merging the token's own bytes.

Files from elsewhere may leave open by which merge a token is made. A list of merges may have
several that would give the same token (Llama 3's has), and tiktoken's ranks have no merges at all.
Yet only one of them ever happens:

    Whatever the rank of a pair is, each token is made by at most one pair. It is the one that
    comes last when the bytes of the token, alone, are merged lowest rank first, leftmost first.

Proof. Look at a text in which a merge makes the token t, and at the bytes that become this t. Until
then no merge has joined one of them with a byte outside: what it made would reach across an end of
t, and tokens are never taken apart. So every merge that touched these bytes joined two neighbours
among them. When it was done, it had the lowest rank in the whole text, leftmost first; so it had
that among the bytes of t too. What happens outside changes no pair inside. So the merges inside are
those that the bytes of t alone go through, in the same order, up to the one that makes t.

The converse is as useful: if merging its bytes doesn't end with t alone, no merge ever makes t. And
a pair that would make t, but isn't the one that comes last, can be left out of a list of merges.
"""

import os
from array import array

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

cdef extern from "recover.h" nogil:
    cppclass Recover:
        uint32_t byte_tokens[256]
        uint32_t left
        uint32_t right
        bint start(size_t num_pairs)
        void end()
        bint add(uint32_t first, uint32_t second, uint32_t rank, uint32_t made)
        size_t merge(const uint8_t *token, size_t length) except +
        uint32_t part(size_t place)

    cppclass TokenTable:
        bint start(size_t num_tokens, uint64_t any_number) except +
        void end()
        bint add(const uint8_t *token, size_t length) except +
    cppclass JoinedRanks:
        TokenTable table
    cppclass RecoverJoined:
        JoinedRanks pairs
        uint32_t byte_tokens[256]
        uint32_t left
        uint32_t right
        size_t merge(const uint8_t *token, size_t length) except +


cdef class Recovery:
    """Owns the table of pairs."""
    cdef Recover state
    cdef list tokens  # each one is bytes

    def __cinit__(self, tokens, size_t num_pairs):
        cdef bytes token
        cdef uint32_t number = 0
        if not self.state.start(num_pairs):
            raise MemoryError(f"no memory for {num_pairs} merges")
        self.tokens = list(tokens)
        for token in self.tokens:  # raises if one is not bytes
            if token is None or not 0 < PyBytes_GET_SIZE(token) < 0x7FFFFFFF:
                raise ValueError(f"tokens[{number}] is empty, or has more than 2^31 bytes")
            if PyBytes_GET_SIZE(token) == 1:
                self.state.byte_tokens[<uint8_t>PyBytes_AS_STRING(token)[0]] = number
            number += 1

    def __dealloc__(self):
        self.state.end()

    cdef size_t merge(self, size_t number) except 0:
        """Merge the bytes of a token; how many parts are left."""
        cdef bytes token = <bytes>self.tokens[number]
        return self.state.merge(<const uint8_t *>PyBytes_AS_STRING(token), PyBytes_GET_SIZE(token))

    cdef bint makes(self, size_t left, size_t right, size_t made) except -1:
        """Whether two tokens together are the third."""
        cdef bytes first = <bytes>self.tokens[left]
        cdef bytes second = <bytes>self.tokens[right]
        cdef bytes whole = <bytes>self.tokens[made]
        cdef Py_ssize_t middle = PyBytes_GET_SIZE(first), rest = PyBytes_GET_SIZE(second)
        cdef const char *start = PyBytes_AS_STRING(whole)
        return (PyBytes_GET_SIZE(whole) == middle + rest
                and memcmp(start, PyBytes_AS_STRING(first), middle) == 0
                and memcmp(start + middle, PyBytes_AS_STRING(second), rest) == 0)


cdef _column(size_t size):
    """A column of `size` numbers, all -1."""
    return array("i", b"\xff" * (4 * size))


def last_merges(tokens, lefts, rights, made):
    """For each token, the numbers of the two tokens that are joined to make it; -1 if none are.

    Merges are in three columns, in the order of their ranks: the one at `i` joins the tokens number
    `lefts[i]` and `rights[i]` to the token number `made[i]`. Several may make the same token, and a
    merge may come before those that make its parts; but none may be there twice.

    >>> tokens = [b"a", b"b", b"c", b"ab", b"bc", b"abc", b"cab"]
    >>> merges = [("ab", "c"), ("a", "b"), ("b", "c"), ("a", "bc")]
    >>> number = {token.decode(): number for number, token in enumerate(tokens)}
    >>> columns = [[number[left], number[right], number[left + right]] for left, right in merges]
    >>> lefts, rights = last_merges(tokens, *zip(*columns))
    >>> [(tokens[left], tokens[right]) for left, right in zip(lefts, rights) if left >= 0]
    [(b'a', b'b'), (b'b', b'c'), (b'ab', b'c')]

    `abc` is made of `ab` and `c`, although `a` with `bc` is a merge too: (a, b) comes first.
    """
    cdef size_t num_merges = len(lefts), num_tokens = len(tokens), left, right, result, i
    if len(rights) != num_merges or len(made) != num_merges:
        raise ValueError(f"there are {num_merges} left parts, {len(rights)} right parts and "
                         f"{len(made)} results; a merge has one of each")
    cdef Recovery recovery = Recovery(tokens, num_merges)
    for i, (first, second, third) in enumerate(zip(lefts, rights, made)):
        left, right, result = first, second, third
        if left >= num_tokens or right >= num_tokens or result >= num_tokens:
            raise ValueError(f"merge {i} is ({left}, {right}) -> {result}; there are only "
                             f"{num_tokens} tokens")
        if not recovery.makes(left, right, result):
            raise ValueError(f"merge {i} is ({left}, {right}) -> {result}; but {tokens[left]!r} "
                             f"and {tokens[right]!r} do not make {tokens[result]!r}")
        if not recovery.state.add(left, right, i, result):
            raise ValueError(f"merge {i} is ({left}, {right}), which is there already")
    left_parts, right_parts = _column(num_tokens), _column(num_tokens)
    cdef int32_t[:] left_view = left_parts, right_view = right_parts
    for i in range(num_tokens):
        if PyBytes_GET_SIZE(<bytes>recovery.tokens[i]) > 1 and recovery.merge(i) == 1:
            left_view[i] = recovery.state.left
            right_view[i] = recovery.state.right
    return left_parts, right_parts


def merges_of_ranks(tokens):
    """The same for tiktoken's ranks: two neighbours are joined if together they are a token.

    `tokens` are in the order of their ranks. A token gets two parts if merges of lower ranks leave
    two parts of it, and -1 if not. If all tokens but the bytes get two parts, these are the merges
    that tiktoken does, which has no bound on ranks. It joins two neighbours of a higher rank only
    if there is no other pair; but then two parts are left, and joining them makes the token.

    >>> tokens = [b"t", b"h", b"i", b"n", b"th", b"in", b"thin", b"hint"]
    >>> lefts, rights = merges_of_ranks(tokens)
    >>> [(tokens[left], tokens[right]) for left, right in zip(lefts, rights) if left >= 0]
    [(b't', b'h'), (b'i', b'n'), (b'th', b'in')]
    """
    cdef size_t num_tokens = len(tokens), i
    cdef Recovery recovery = Recovery(tokens, num_tokens)
    left_parts, right_parts = _column(num_tokens), _column(num_tokens)
    cdef int32_t[:] left_view = left_parts, right_view = right_parts
    for i in range(num_tokens):
        if PyBytes_GET_SIZE(<bytes>recovery.tokens[i]) > 1 and recovery.merge(i) == 2:
            left_view[i] = recovery.state.part(0)
            right_view[i] = recovery.state.part(1)
            recovery.state.add(recovery.state.part(0), recovery.state.part(1), i, i)
    return left_parts, right_parts


def merges_of_any_ranks(list tokens not None):
    """The same for ranks in which a token may need others of a higher rank, or is made by none.

    `tokens` are distinct, in the order of their ranks, and have all 256 bytes. Two neighbours are
    joined if together they are a token, whatever its rank is. So the bytes of every token are
    merged among all tokens, and it gets the two parts that were joined last, if nothing else is
    left.

    >>> tokens = [bytes([byte]) for byte in range(256)] + [b"abc", b"ab", b"bcd"]
    >>> lefts, rights = merges_of_any_ranks(tokens)
    >>> [(tokens[left], tokens[right]) for left, right in zip(lefts, rights) if left >= 0]
    [(b'ab', b'c'), (b'a', b'b')]
    """
    cdef RecoverJoined state
    cdef bytes token
    cdef size_t i, num_tokens = len(tokens)
    left_parts, right_parts = _column(num_tokens), _column(num_tokens)
    cdef int32_t[:] left_view = left_parts, right_view = right_parts
    if not state.pairs.table.start(num_tokens, int.from_bytes(os.urandom(8), "little")):
        raise MemoryError(f"no memory for {num_tokens} tokens")
    try:
        for i in range(num_tokens):
            token = tokens[i]
            state.pairs.table.add(<const uint8_t *>PyBytes_AS_STRING(token),
                                  PyBytes_GET_SIZE(token))
            if PyBytes_GET_SIZE(token) == 1:
                state.byte_tokens[<uint8_t>PyBytes_AS_STRING(token)[0]] = i
        for i in range(num_tokens):
            token = tokens[i]
            if PyBytes_GET_SIZE(token) > 1 and state.merge(
                    <const uint8_t *>PyBytes_AS_STRING(token), PyBytes_GET_SIZE(token)) == 1:
                left_view[i] = state.left
                right_view[i] = state.right
    finally:
        state.pairs.table.end()
    return left_parts, right_parts


def parts_left(columns, words):
    """How many parts the merges leave of each word. `columns` is a `MergeColumns`.

    >>> from cs336_bpe.formats.columns import columns_of
    >>> ids = {bytes([byte]): byte for byte in range(256)} | {b"th": 256}
    >>> parts_left(columns_of(ids, [(b"t", b"h")]), [b"th", b"the", b"then"])
    [1, 2, 3]
    """
    cdef int32_t[:] lefts = columns.lefts, rights = columns.rights
    cdef size_t num_merges = len(columns.lefts), i
    cdef Recovery recovery
    if not words:
        return []
    recovery = Recovery(words, num_merges)
    for i in range(256):
        recovery.state.byte_tokens[i] = i
    for i in range(num_merges):
        recovery.state.add(lefts[i], rights[i], i, 256 + i)
    return [recovery.merge(i) for i in range(len(words))]
