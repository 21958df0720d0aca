# cython: language_level=3
# distutils: language = c++
"""Stage 07: whole texts: the scanner, a table of pretokens in C, arrays, and threads.

Unlike stage 06, which is given one pretoken at a time and hands back a list, this one is given a
text. The scanner of the pretokenization ladder finds the pretokens 64 bytes at a time. Their ids
are looked up in a table that has the ids beside the bytes, and are written to an array. So for a
word that has been seen before, which is nearly every one, no Python object is touched and no merge
is looked at. The parts are `merge_ranks.h` (one pretoken) and `word_table.h` (text), plain C.

Cost: some instructions a byte, and a visit to a table for each pretoken; merges for new ones only.
Memory: 32 bytes for each kind of pretoken of up to 15 bytes, 40, the bytes and the ids for a longer
one, and about as much again that is free; at most `cache_bytes` for each thread that encodes.
Expect: many times stage 06, for no list is made for each pretoken; about twice as fast again
when the table is warm.
Trap: a table that is shared by threads needs a lock at every look-up. Each thread has one of its
own while it encodes, and puts it back for the next one.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.buffer cimport PyBUF_CONTIG_RO, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.list cimport PyList_New
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from libcpp.string cimport string

from cs336_bpe.native.classes import tables
from cs336_bpe.rules import check_vocab

cdef extern from "word_table.h" nogil:
    enum:
        SCAN_PADDING
        ENCODE_DONE
        ENCODE_NO_MEMORY
        ENCODE_TOO_LONG
        ENCODE_INVALID
        SMALLEST
        TOO_LONG
        MAX_TOKENS
    void scan_init_module(const char *index, size_t index_size, const char *classes,
                          size_t classes_size)
    int scan_use_portable
    int scan_has_avx2()
    void words_init_module()

    ctypedef struct Merges:
        uint32_t *ids
    Merges *merges_new(size_t num_merges)
    void merges_free(Merges *merges)
    void merges_add(Merges *merges, uint32_t left, uint32_t right, uint32_t id)
    ctypedef struct Lists:
        pass
    Py_ssize_t encode_pretoken(const Merges *merges, Lists *lists, const uint8_t *text,
                               size_t length, uint32_t *ids)

    ctypedef struct Words:
        size_t size, short_used, long_used, times_full
        Lists lists
    Words *words_new(size_t limit)
    void words_free(Words *words)

    ctypedef struct Output:
        void *ids
        size_t used, room
        int width
    int output_room_for(Output *output, size_t number)
    void output_free(Output *output)
    void output_shrink(Output *output)
    void output_extend(Output *output, const Output *others)
    void output_append(Output *output, const uint32_t *ids, size_t number)
    int encode_text(Words *words, const Merges *merges, const uint8_t *text, size_t begin,
                    size_t end, int strict, Output *output)
    int encode_piece(Words *words, const Merges *merges, const uint8_t *text, size_t length,
                     Output *output)
    size_t last_cut(const uint8_t *text, size_t start, size_t reach)
    size_t final_part(const uint8_t *text, size_t size)

cdef extern from "special_tokens.h" nogil:
    cppclass SpecialTokens:
        void add(string token, unsigned id) except +
    cppclass SpecialSearch:
        size_t length
        uint32_t id
        bint begin(const SpecialTokens *specials, const uint8_t *text, size_t size)
        size_t next(size_t at)

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef extern from *:
    """
    /* Fill a new list with the Python integers of ids; those in `known` are not made anew. */
    static int fill_list(PyObject *list, const void *ids, int width, Py_ssize_t size,
                         PyObject *known) {
        PyObject **items = ((PyListObject *)list)->ob_item;
        size_t num_known = (size_t)PyTuple_GET_SIZE(known);
        advise_huge(items, (size_t)size * sizeof *items);
        for (Py_ssize_t i = 0; i < size; i++) {
            uint32_t id = width == 2 ? ((const uint16_t *)ids)[i] : ((const uint32_t *)ids)[i];
            if (id < num_known) {
                items[i] = PyTuple_GET_ITEM(known, (Py_ssize_t)id);
                Py_INCREF(items[i]);
            } else if (!(items[i] = PyLong_FromUnsignedLong(id))) {
                return -1;
            }
        }
        return 0;
    }
    """
    int fill_list(list result, const void *ids, int width, Py_ssize_t size,
                  tuple known) except -1


DEFAULT_CACHE_BYTES = 128 << 20
SMALLEST_CACHE_BYTES = SMALLEST
MAX_FREE_MEMORIES = 64


cdef init_module():
    index, classes = tables()
    scan_init_module(index, len(index), classes, len(classes))
    words_init_module()


init_module()


def use_portable_scanner(portable):
    """For tests: do without AVX2, as on a machine that has none. Returns whether it has."""
    global scan_use_portable
    scan_use_portable = bool(portable)
    return bool(scan_has_avx2())


cdef class Specials:
    """Special tokens to look for in a text, and their ids."""
    cdef SpecialTokens tokens

    def __init__(self, dict ids not None):
        for token, number in ids.items():
            self.tokens.add(token.encode(), number)

    def first_in(self, text):
        """The place of the first special token in a text, and its length; None if there is none."""
        cdef Text data = Text(text)
        cdef SpecialSearch search
        cdef size_t at
        if not search.begin(&self.tokens, data.start, data.size):
            raise MemoryError
        at = search.next(0)
        return None if at == data.size else (at, search.length)


NO_SPECIALS = Specials({})


cdef class Text:
    """The bytes of a str or of an object with a buffer, as a pointer."""
    cdef const uint8_t *start
    cdef size_t size
    cdef object owner
    cdef Py_buffer view
    cdef bint has_view

    def __init__(self, text):
        cdef Py_ssize_t size = 0
        if isinstance(text, str):
            if text.isascii():  # then its characters are its bytes
                self.owner = text
                self.start = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &size)
                self.size = size
                return
            text = text.encode()
        if isinstance(text, bytes):
            self.owner = text
            self.start = <const uint8_t *>PyBytes_AS_STRING(text)
            self.size = PyBytes_GET_SIZE(text)
        else:
            PyObject_GetBuffer(text, &self.view, PyBUF_CONTIG_RO)
            self.has_view = True
            self.start = <const uint8_t *>self.view.buf
            self.size = self.view.len

    def __dealloc__(self):
        if self.has_view:
            PyBuffer_Release(&self.view)


cdef class Memory:
    """A table of pretokens, for one thread at a time."""
    cdef Words *words

    def __cinit__(self, size_t limit):
        self.words = words_new(limit)
        if self.words == NULL:
            raise MemoryError("no memory for the table of pretokens")

    def __dealloc__(self):
        words_free(self.words)

    @property
    def num_bytes(self):
        return self.words.size

    @property
    def kinds(self):
        return self.words.short_used + self.words.long_used

    @property
    def times_full(self):
        """How often the limit was reached, and everything forgotten."""
        return self.words.times_full


cdef class Ids:
    """An array of ids, for numpy; it owns its memory."""
    cdef Output output
    cdef bint exported  # somebody has a pointer to it, so it must stay where it is

    def __cinit__(self, int width, size_t room):
        self.output.width = width
        if not output_room_for(&self.output, room):
            raise MemoryError(f"no memory for {room} ids")

    def __dealloc__(self):
        output_free(&self.output)

    def __len__(self):
        return self.output.used

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        self.exported = True
        PyBuffer_FillInfo(buffer, self, self.output.ids, self.output.used * self.output.width,
                          False, flags)

    def extend(self, Ids others not None):
        """Append other ids of the same width."""
        if self.exported or others.output.width != self.output.width:
            raise ValueError("these ids can't be extended: they are in use, or of another width")
        if not output_room_for(&self.output, others.output.used):
            raise MemoryError(f"no memory for {self.output.used + others.output.used} ids")
        with nogil:  # fresh memory takes its time
            output_extend(&self.output, &others.output)

    def shrink(self):
        """Give back the memory that is not used."""
        if not self.exported:
            output_shrink(&self.output)

    cdef list as_list(self, tuple known):
        cdef list result = PyList_New(self.output.used)
        fill_list(result, self.output.ids, self.output.width, self.output.used, known)
        return result


cdef int encode_whole(Words *words, const Merges *merges, const SpecialTokens *specials,
                      const uint8_t *text, size_t size, int strict,
                      Output *output) noexcept nogil:
    """Encode a text with special tokens, behind whose end nothing can be read.

    The scanner reads a little further than the text. So the end of it, from a place where it can
    be cut, is copied to where there is room.
    """
    cdef SpecialSearch search
    cdef uint8_t on_stack[1024 + SCAN_PADDING]
    cdef uint8_t *copy = on_stack
    cdef size_t cut = 0, at = 0, special, copied_from
    cdef int status = ENCODE_DONE
    if not search.begin(specials, text, size):
        return ENCODE_NO_MEMORY
    if size > 1024:
        cut = last_cut(text, size - SCAN_PADDING, 1 << 16)
    special = search.next(at)
    while special < cut:
        status = encode_text(words, merges, text, at, special, strict, output)
        if status == ENCODE_DONE:
            status = append_special(output, search.id)
        if status != ENCODE_DONE:
            return status
        at = special + search.length
        special = search.next(at)
    if at < cut:
        status = encode_text(words, merges, text, at, cut, strict, output)
        if status != ENCODE_DONE:
            return status
        at = cut
    copied_from = at
    if size - at > 1024:
        copy = <uint8_t *>malloc(size - at + SCAN_PADDING)
        if copy == NULL:
            return ENCODE_NO_MEMORY
    memcpy(copy, text + at, size - at)
    memset(copy + (size - at), 0, SCAN_PADDING)
    while status == ENCODE_DONE:
        status = encode_text(words, merges, copy, at - copied_from, special - copied_from, strict,
                             output)
        if special == size or status != ENCODE_DONE:
            break
        status = append_special(output, search.id)
        at = special + search.length
        special = search.next(at)
    if copy != on_stack:
        free(copy)
    return status


cdef int append_special(Output *output, uint32_t number) noexcept nogil:
    if not output_room_for(output, 1):
        return ENCODE_NO_MEMORY
    output_append(output, &number, 1)
    return ENCODE_DONE


cdef check(int status):
    if status == ENCODE_NO_MEMORY:
        raise MemoryError("no memory for the ids of the text")
    if status == ENCODE_TOO_LONG:
        raise ValueError(f"the text has a pretoken of {TOO_LONG} bytes or more; the limit is "
                         f"{TOO_LONG - 1}")


cdef class Encoder:
    """Encodes pretokens and texts with the merges of a vocabulary.

    Many threads may use one encoder: what it looks up never changes, and each call takes a memory
    of its own from those that are free, or makes one.
    """
    cdef Merges *merges
    cdef readonly size_t cache_bytes
    cdef readonly size_t max_id
    cdef list free_memories
    cdef tuple known

    def __cinit__(self):
        self.merges = NULL

    def __init__(self, vocab, merges, *, cache_bytes=DEFAULT_CACHE_BYTES, ids=None):
        if self.merges != NULL:
            raise TypeError("an encoder can't be changed; make another one")
        if ids is None:
            ids = check_vocab(vocab, merges)
        if len(merges) > MAX_TOKENS - 256:
            raise ValueError(f"there are {len(merges)} merges; this stage can have at most "
                             f"{MAX_TOKENS - 256}")
        cdef dict numbers = {bytes([byte]): byte for byte in range(256)}
        self.merges = merges_new(len(merges))
        if self.merges == NULL:
            raise MemoryError(f"no memory for {len(merges)} merges")
        for byte in range(256):
            self.merges.ids[byte] = ids[bytes([byte])]
        for left, right in merges:
            merges_add(self.merges, numbers[left], numbers[right], ids[left + right])
            numbers[left + right] = len(numbers)
        self.cache_bytes = cache_bytes
        self.max_id = max(vocab)
        # Integers for lists. If ids have large gaps, those beyond are made as they are needed.
        self.known = tuple(range(min(self.max_id + 1, 4 * len(vocab) + 256)))
        self.free_memories = [Memory(cache_bytes)]

    def __dealloc__(self):
        merges_free(self.merges)

    def encode_pretoken(self, pretoken):
        """The ids of one pretoken, which is not looked for in the table."""
        if not isinstance(pretoken, bytes):
            raise TypeError(f"pretoken is {pretoken!r}, a {type(pretoken).__name__}; it must be "
                            f"bytes")
        cdef const uint8_t *text = <const uint8_t *>PyBytes_AS_STRING(pretoken)
        cdef size_t size = PyBytes_GET_SIZE(pretoken)
        cdef Ids ids = Ids(4, size)
        cdef Py_ssize_t number
        if size >= TOO_LONG:
            check(ENCODE_TOO_LONG)
        cdef Memory taken = self.take(None)
        with nogil:
            number = encode_pretoken(self.merges, &taken.words.lists, text, size,
                                     <uint32_t *>ids.output.ids)
        self.give_back(taken, None)
        if number < 0:
            check(ENCODE_NO_MEMORY)
        ids.output.used = number
        return ids.as_list(self.known)

    def encode_text(self, text):
        """The ids of a text without special tokens, as a list."""
        return self.as_list(self.encode_ids(text, NO_SPECIALS, 2 if self.max_id < 1 << 16 else 4))

    def encode_ids(self, text, Specials specials not None, int width, Memory memory=None,
                   bint strict=False):
        """The ids of a text, of 2 or 4 bytes each; None if it must be UTF-8 and is not."""
        cdef Text data = Text(text)
        cdef Ids ids = Ids(width, data.size // 3 + 8)
        cdef int status
        cdef Memory taken = self.take(memory)
        with nogil:
            status = encode_whole(taken.words, self.merges, &specials.tokens, data.start,
                                  data.size, strict, &ids.output)
        self.give_back(taken, memory)
        if status == ENCODE_INVALID:
            return None
        check(status)
        output_shrink(&ids.output)
        return ids

    def encode_pieces(self, pieces, int width, Memory memory=None):
        """The ids of pretokens that somebody else has found; an int stands for itself."""
        cdef Ids ids = Ids(width, 8)
        cdef Memory taken = self.take(memory)
        cdef int status = ENCODE_DONE
        for piece in pieces:
            if isinstance(piece, bytes):
                status = encode_piece(taken.words, self.merges,
                                      <const uint8_t *>PyBytes_AS_STRING(piece),
                                      PyBytes_GET_SIZE(piece), &ids.output)
            else:
                status = append_special(&ids.output, piece)
            if status != ENCODE_DONE:
                break
        self.give_back(taken, memory)
        check(status)
        output_shrink(&ids.output)
        return ids

    def as_list(self, Ids ids not None):
        """Ids as a list of Python integers."""
        return ids.as_list(self.known)

    cdef Memory take(self, Memory given):
        if given is not None:
            return given
        try:
            return self.free_memories.pop()
        except IndexError:
            return Memory(self.cache_bytes)

    cdef give_back(self, Memory taken, Memory given):
        if given is None and len(self.free_memories) < MAX_FREE_MEMORIES:
            self.free_memories.append(taken)

    def new_memory(self, cache_bytes):
        """A table of its own for a caller who encodes much in one thread."""
        return Memory(cache_bytes)


def final_length(bytes text not None):
    """How many bytes of a text are cut into pretokens for good, whatever may follow it.

    The last pretoken may go on, so it is not among them.

    >>> final_length(b"Hello, worl")
    6
    """
    cdef size_t size = len(text)
    padded = text + bytes(SCAN_PADDING)
    return final_part(<const uint8_t *>PyBytes_AS_STRING(padded), size)
