# cython: language_level=3
# distutils: language = c++
"""What the compiled stages share: all tokens in one row of bytes, and ids of any type."""

from cpython.buffer cimport (
    PyBUF_CONTIG_RO,
    PyBUF_FORMAT,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset, strlen

from cs336_bpe.rules import MAX_ID, check_tokens

cdef extern from "token_table.h" nogil:
    enum:
        NO_ID
    bint add_up_any(const Tokens &tokens, const void *ids, int width, bint with_sign, size_t size,
                    size_t *total)

cdef enum:
    # The table may have this many entries for each token, and so many more: then it is small.
    MOST_PER_TOKEN = 4
    SMALL = 1 << 16


cdef class TokenTable:
    """The tokens of a vocabulary. It never changes."""

    def __cinit__(self, vocab):
        try:
            self.fill(vocab)
        except (TypeError, ValueError, OverflowError, AttributeError):
            self.fill(dict(check_tokens(vocab)))  # says what is wrong with which token

    cdef void fill(self, vocab) except *:
        cdef Tokens *tokens = &self.tokens
        cdef size_t i, num_places, num_bytes = 0
        cdef long long number
        numbers = sorted(vocab)
        tokens.num_near = tokens.num_far = 0
        for i, key in enumerate(numbers):
            if type(key) is not int:
                raise TypeError(f"{key!r} is not a plain integer")
            number = key
            if number < 0 or number > <long long>MAX_ID:
                raise ValueError(f"the id {number} is not between 0 and {MAX_ID}")
            if number < <long long>(MOST_PER_TOKEN * i + SMALL):
                tokens.num_near = number + 1
                tokens.num_far = len(numbers) - i - 1
        if numbers and not tokens.num_near:
            tokens.num_far = len(numbers)
        for token in vocab.values():
            if not isinstance(token, bytes) or not token:
                raise ValueError(f"{token!r} is not a token")
            num_bytes += PyBytes_GET_SIZE(token)
        if num_bytes >= NO_ID:
            raise ValueError(f"the tokens have {num_bytes:,} bytes together; 4 GB is the limit")
        num_places = tokens.num_near + tokens.num_far
        tokens.blob = <uint8_t *>malloc(num_bytes + TOKEN_PADDING)
        tokens.offsets = <uint32_t *>calloc(num_places + 2, sizeof(uint32_t))
        tokens.far_ids = <uint32_t *>calloc(tokens.num_far + 1, sizeof(uint32_t))
        if tokens.blob == NULL or tokens.offsets == NULL or tokens.far_ids == NULL:
            raise MemoryError(f"no memory for a table of {num_places:,} tokens")
        self.copy(vocab, numbers)

    cdef void copy(self, vocab, list numbers) except *:
        cdef Tokens *tokens = &self.tokens
        cdef size_t place, done = 0, num_far = 0
        cdef uint32_t end = 0
        for number in numbers:
            token = vocab[number]
            place = number
            if place >= tokens.num_near:
                tokens.far_ids[num_far] = <uint32_t>place
                place = tokens.num_near + num_far
                num_far += 1
            while done <= place:  # of the gap before it, and its own
                tokens.offsets[done] = end
                done += 1
            memcpy(tokens.blob + end, PyBytes_AS_STRING(token), PyBytes_GET_SIZE(token))
            end += <uint32_t>PyBytes_GET_SIZE(token)
        tokens.offsets[done] = tokens.offsets[done + 1] = end  # the place of no id, and its end
        memset(tokens.blob + end, 0, TOKEN_PADDING)

    def __dealloc__(self):
        free(self.tokens.blob)
        free(self.tokens.offsets)
        free(self.tokens.far_ids)


cdef class GivenIds:
    """Ids that somebody gave us, and how many bytes their tokens have.

    Those of a list are copied at once, because a list must be read under the interpreter's lock,
    and what follows need not be. Those of an array stay where they are.
    """

    cdef bint read(self, TokenTable table, ids) except -1:
        """Look at all ids: the first of two passes. False if they can't all be decoded."""
        cdef bint good
        self.take(table, ids)
        if self.size < FEW_IDS:
            return self.add_up()
        with nogil:
            good = self.add_up()
        return good

    cdef int take(self, TokenTable table, ids) except -1:
        """Remember ids, and don't look at them yet."""
        self.table = table
        self.tokens = &table.tokens
        self.size = len(ids)
        if isinstance(ids, (list, tuple)):
            self.own = <uint32_t *>malloc(self.size * sizeof(uint32_t) + 1)
            if self.own == NULL:
                raise MemoryError(f"no memory for {self.size:,} ids")
            copy_objects(ids, 0, self.size, self.own)
            self.ids = self.own
            self.width = sizeof(uint32_t)
        else:
            PyObject_GetBuffer(ids, &self.view, PyBUF_CONTIG_RO | PyBUF_FORMAT)
            self.has_view = True
            self.ids = self.view.buf
            self.width = <int>self.view.itemsize
            self.with_sign = self.view.format[strlen(self.view.format) - 1] >= b"a"  # a small one
        return 0

    cdef bint add_up(self) noexcept nogil:
        return add_up_any(self.tokens[0], self.ids, self.width, self.with_sign, self.size,
                          &self.total)

    def __dealloc__(self):
        if self.has_view:
            PyBuffer_Release(&self.view)
        free(self.own)
