# cython: language_level=3
# distutils: language = c++
"""The tokenizer's engine: texts with special tokens in, arrays of ids out, in any thread.

The loop is that of the last stage of the encoding ladder; its headers are in `cs336_bpe/encode`.
Here is what a product needs and a rung doesn't: special tokens, arrays that numpy can use and lists
made from them, one cache for each thread, and text that isn't copied to be encoded.

Many threads may use one engine. What it looks up never changes, and a cache that threads share
would need a lock at every look-up. So each call takes a cache of its own from those that are free,
or makes one, and puts it back for the next call.
"""

from cpython.buffer cimport PyBUF_CONTIG_RO, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.list cimport PyList_New
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cs336_bpe.encode.batches cimport write_pretoken, write_text
from cs336_bpe.encode.merge_numbers cimport MAX_TOKENS, TOO_LONG, Merges
from cs336_bpe.encode.output cimport (
    ENCODE_DONE,
    ENCODE_INVALID,
    ENCODE_NO_MEMORY,
    ENCODE_TOO_LONG,
    Output,
    fill_list,
)
from cs336_bpe.encode.pretoken_cache cimport (
    DEFAULT_BYTES,
    SMALLEST,
    PretokenCache,
    cache_init_module,
)
from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.special_tokens cimport SpecialSearch, SpecialTokens

cdef extern from "cuts.h" nogil:
    size_t last_cut(const uint8_t *text, size_t start, size_t reach)
    size_t final_part(const uint8_t *text, size_t size)

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL


DEFAULT_CACHE_BYTES = DEFAULT_BYTES
SMALLEST_CACHE_BYTES = SMALLEST
MAX_FREE_CACHES = 64
PADDING = SCAN_PADDING  # bytes that must be there after texts in one buffer


init_scanner()
cache_init_module()


cdef class Specials:
    """Special tokens to look for in a text, and their ids."""
    cdef SpecialTokens tokens
    cdef bint any

    def __init__(self, dict ids not None):
        self.any = bool(ids)
        for token, number in ids.items():
            self.tokens.add(token.encode(), number)

    def first_in(self, text):
        """The place of the first special token in a text, and its length; None if there is none.

        >>> Specials({"<e>": 256}).first_in("one<e>two")
        (3, 3)
        """
        cdef Text data = Text(text)
        cdef SpecialSearch search
        cdef size_t at
        if not search.begin(&self.tokens, data.start, data.size):
            raise MemoryError("no memory to look for special tokens")
        at = search.next(0)
        return None if at == data.size else (at, search.length)


cdef class Text:
    """The bytes of a str or of an object with a buffer, as a pointer."""
    cdef const uint8_t *start  # owned by `owner` or by `view`
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


cdef class Cache:
    """A cache of pretokens and their ids, for one thread at a time."""
    cdef PretokenCache table

    def __cinit__(self, size_t limit):
        if not self.table.start(limit):
            raise MemoryError("no memory for the cache of pretokens")

    def __dealloc__(self):
        self.table.end()

    @property
    def num_bytes(self):
        return self.table.num_bytes()

    @property
    def num_pretokens(self):
        """How many distinct pretokens are in it."""
        return self.table.shorts.used + self.table.longs.used

    @property
    def times_full(self):
        """How often the limit was reached, and everything forgotten."""
        return self.table.times_full


cdef class Ids:
    """An array of ids, for numpy; it owns its memory."""
    cdef Output output
    cdef bint exported  # somebody has a pointer to it, so it must stay where it is

    def __cinit__(self, int width, size_t room):
        self.output.width = width
        if not self.output.room_for(room):
            raise MemoryError(f"no memory for {room} ids")

    def __dealloc__(self):
        self.output.end()

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
        if not self.output.room_for(others.output.used):
            raise MemoryError(f"no memory for {self.output.used + others.output.used} ids")
        with nogil:  # fresh memory takes its time
            self.output.extend(others.output)

    def shrink(self):
        """Give back the memory that is not used."""
        if not self.exported:
            self.output.shrink()


cdef int write_whole(PretokenCache *cache, const Merges *merges, const SpecialTokens *specials,
                     const uint8_t *text, size_t size, bint strict, Output *output) noexcept nogil:
    """Encode a text with special tokens, after whose end nothing can be read.

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
        status = write_text(cache, merges[0], text, at, special, strict, output)
        if status == ENCODE_DONE:
            status = write_id(output, search.id)
        if status != ENCODE_DONE:
            return status
        at = special + search.length
        special = search.next(at)
    if at < cut:
        status = write_text(cache, merges[0], text, at, cut, strict, output)
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
        status = write_text(cache, merges[0], copy, at - copied_from, special - copied_from, strict,
                            output)
        if special == size or status != ENCODE_DONE:
            break
        status = write_id(output, search.id)
        at = special + search.length
        special = search.next(at)
    if copy != on_stack:
        free(copy)
    return status


cdef int write_one(PretokenCache *cache, const Merges *merges, const SpecialTokens *specials,
                   bint has_specials, const uint8_t *text, size_t at, size_t end, bint strict,
                   Output *output) noexcept nogil:
    """Encode `text[at:end]`, after whose end the scanner may read."""
    cdef SpecialSearch search
    cdef size_t special
    cdef int status
    if not has_specials:
        return write_text(cache, merges[0], text, at, end, strict, output)
    if not search.begin(specials, text, end):
        return ENCODE_NO_MEMORY
    while True:
        special = search.next(at)
        status = write_text(cache, merges[0], text, at, special, strict, output)
        if special == end or status != ENCODE_DONE:
            return status
        status = write_id(output, search.id)
        if status != ENCODE_DONE:
            return status
        at = special + search.length


cdef int write_id(Output *output, uint32_t number) noexcept nogil:
    if not output.room_for(1):
        return ENCODE_NO_MEMORY
    output.append(&number, 1)
    return ENCODE_DONE


cdef check(int status):
    if status == ENCODE_NO_MEMORY:
        raise MemoryError("no memory for the ids of the text")
    if status == ENCODE_TOO_LONG:
        raise ValueError(f"the text has a pretoken of {TOO_LONG} bytes or more; the limit is "
                         f"{TOO_LONG - 1}")


cdef class Engine:
    """The merges of a vocabulary, and caches.

    `tokens` has the token of each id, special ones included, and `ids` the id of each token that is
    not special; both are consistent with `merges` (see `separate_specials`).

    >>> tokens = dict(enumerate([*(bytes([byte]) for byte in range(256)), b"lo", b"<e>"]))
    >>> ids = {token: number for number, token in tokens.items() if number < 257}
    >>> engine = Engine(tokens, [(b"l", b"o")], ids, 1 << 20)
    >>> engine.as_list(engine.encode_ids("lol<e>", Specials({"<e>": 257}), 2))
    [256, 108, 257]
    """
    cdef Merges merges
    cdef readonly size_t cache_bytes
    cdef list free_caches
    cdef tuple known

    def __cinit__(self, tokens, merges, dict ids not None, cache_bytes):
        cdef dict numbers = {bytes([byte]): byte for byte in range(256)}
        if len(merges) > MAX_TOKENS - 256:
            raise ValueError(f"there are {len(merges)} merges; there can be at most "
                             f"{MAX_TOKENS - 256}")
        if not self.merges.start(len(merges)):
            raise MemoryError(f"no memory for {len(merges)} merges")
        for byte in range(256):
            self.merges.ids[byte] = ids[bytes([byte])]
        for left, right in merges:
            self.merges.add(numbers[left], numbers[right], ids[left + right])
            numbers[left + right] = len(numbers)
        self.cache_bytes = cache_bytes
        # Integers for lists. If ids have large gaps, those beyond are made as they are needed.
        self.known = tuple(range(min(max(tokens) + 1, 4 * len(tokens) + 256)))
        self.free_caches = [Cache(cache_bytes)]

    def __dealloc__(self):
        self.merges.end()

    def encode_ids(self, text, Specials specials not None, int width, Cache cache=None,
                   bint strict=False):
        """The ids of a text, of 2 or 4 bytes each, or with a width of 0 only their number.

        None if the text must be UTF-8 (`strict`) and isn't.
        """
        cdef Text data = Text(text)
        cdef Ids ids = Ids(width, data.size // 3 + 8)
        cdef int status
        cdef Cache taken = self.take(cache)
        with nogil:
            status = write_whole(&taken.table, &self.merges, &specials.tokens, data.start,
                                 data.size, strict, &ids.output)
        self.give_back(taken, cache)
        if status == ENCODE_INVALID:
            return None
        check(status)
        ids.output.shrink()
        return ids

    def encode_texts(self, text, const uint64_t[::1] ends not None, Specials specials not None,
                     separator, int width, Cache cache=None, bint strict=False):
        """The ids of texts that lie one after the other in a buffer, and end at `ends`.

        After each comes `separator`, an id, or nothing if that is None. `PADDING` bytes after the
        last text must be there. None if a text must be UTF-8 (`strict`) and isn't.
        """
        cdef Text data = Text(text)
        cdef Ids ids = Ids(width, data.size // 3 + 8)
        cdef int status = ENCODE_DONE
        cdef size_t i, start = 0, number = len(ends)
        cdef bint separated = separator is not None
        cdef uint32_t separator_id = separator if separated else 0
        cdef Cache taken
        if number and (ends[number - 1] + SCAN_PADDING > data.size):
            raise ValueError("there must be padding after the last text")
        taken = self.take(cache)
        with nogil:
            for i in range(number):
                status = write_one(&taken.table, &self.merges, &specials.tokens, specials.any,
                                   data.start, start, ends[i], strict, &ids.output)
                if separated and status == ENCODE_DONE:
                    status = write_id(&ids.output, separator_id)
                if status != ENCODE_DONE:
                    break
                start = ends[i]
        self.give_back(taken, cache)
        if status == ENCODE_INVALID:
            return None
        check(status)
        ids.output.shrink()
        return ids

    def encode_pieces(self, pieces, int width, Cache cache=None):
        """The ids of pretokens that somebody else has found; an int stands for itself."""
        cdef Ids ids = Ids(width, 8)
        cdef Cache taken = self.take(cache)
        cdef int status = ENCODE_DONE
        for piece in pieces:
            if isinstance(piece, bytes):
                status = write_pretoken(&taken.table, self.merges,
                                        <const uint8_t *>PyBytes_AS_STRING(piece),
                                        PyBytes_GET_SIZE(piece), &ids.output)
            else:
                status = write_id(&ids.output, piece)
            if status != ENCODE_DONE:
                break
        self.give_back(taken, cache)
        check(status)
        ids.output.shrink()
        return ids

    def as_list(self, Ids ids not None):
        """Ids as a list of Python integers."""
        cdef list result = PyList_New(ids.output.used)
        fill_list(result, ids.output, self.known)
        return result

    def new_cache(self, cache_bytes):
        """A cache for a caller who encodes much in one thread."""
        return Cache(cache_bytes)

    cdef Cache take(self, Cache given):
        if given is not None:
            return given
        try:
            return self.free_caches.pop()
        except IndexError:
            return Cache(self.cache_bytes)

    cdef give_back(self, Cache taken, Cache given):
        if given is None and len(self.free_caches) < MAX_FREE_CACHES:
            self.free_caches.append(taken)


def final_length(bytes text not None):
    """How many bytes of a text are cut into pretokens for good, whatever may follow it.

    The last pretoken may go on, so it isn't among them.

    >>> final_length(b"Hello, worl")
    6
    """
    cdef size_t size = len(text)
    padded = text + bytes(SCAN_PADDING)
    return final_part(<const uint8_t *>PyBytes_AS_STRING(padded), size)
