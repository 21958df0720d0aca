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
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.list cimport PyList_New
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cs336_bpe.encode.batches cimport write_pretoken, write_text
from cs336_bpe.encode.merge_numbers cimport MAX_TOKENS, TOO_LONG, Merges
from cs336_bpe.encode.output cimport (
    ENCODE_DONE,
    ENCODE_INVALID,
    ENCODE_NO_MEMORY,
    ENCODE_TOO_LONG,
    ENCODE_UNMATCHED,
    Output,
    fill_list,
)
from cs336_bpe.encode.pretoken_cache cimport (
    DEFAULT_BYTES,
    SMALLEST,
    PretokenCache,
    cache_init_module,
)
from cs336_bpe.native.automaton cimport (
    STEP_BACK,
    STEP_EMIT,
    Automaton,
    AutomatonScan,
    automaton_begin,
    automaton_last_cut,
    automaton_outlook,
    automaton_starts,
)
from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.scanner cimport CompiledPattern
from cs336_bpe.native.special_tokens cimport SpecialSearch, SpecialTokens
from cs336_bpe.native.starts cimport KEEP_GAPS, STOP_AT_GAPS, Scanner

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL


DEFAULT_CACHE_BYTES = DEFAULT_BYTES
SMALLEST_CACHE_BYTES = SMALLEST
MAX_FREE_CACHES = 64
LARGE = 512  # bytes; more than that are worth looking for one


init_scanner()
cache_init_module()


cdef class Specials:
    """Special tokens to look for in a text, and their ids."""
    cdef SpecialTokens tokens

    def __init__(self, dict ids not None):
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


cdef int write_whole(const Scanner *scanner, PretokenCache *cache, const Merges *merges,
                     const SpecialTokens *specials, const uint8_t *text, size_t size, bint strict,
                     Output *output) noexcept nogil:
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
        cut = automaton_last_cut(&scanner.automaton, text, size, size - SCAN_PADDING, 1)
    special = search.next(at)
    while special < cut:
        status = write_text(scanner, cache, merges[0], text, at, special, strict, output)
        if status == ENCODE_DONE:
            status = write_id(output, search.id)
        if status != ENCODE_DONE:
            return status
        at = special + search.length
        special = search.next(at)
    if at < cut:
        status = write_text(scanner, cache, merges[0], text, at, cut, strict, output)
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
        status = write_text(scanner, cache, merges[0], copy, at - copied_from,
                            special - copied_from, strict, output)
        if special == size or status != ENCODE_DONE:
            break
        status = write_id(output, search.id)
        at = special + search.length
        special = search.next(at)
    if copy != on_stack:
        free(copy)
    return status


cdef int write_id(Output *output, uint32_t number) noexcept nogil:
    if not output.room_for(1):
        return ENCODE_NO_MEMORY
    output.append(&number, 1)
    return ENCODE_DONE


cdef check(int status):
    if status == ENCODE_NO_MEMORY:
        raise MemoryError("no memory for the ids of the text")
    if status == ENCODE_UNMATCHED:
        raise ValueError("the pattern does not match all of the text; unmatched='keep' encodes "
                         "the rest too")
    if status == ENCODE_TOO_LONG:
        raise ValueError(f"the text has a pretoken of {TOO_LONG} bytes or more; the limit is "
                         f"{TOO_LONG - 1}")


cdef class Engine:
    """The merges of a vocabulary, and caches.

    `tokens` has the token of each id, special ones included, and `merges` is a `MergeColumns`: they
    have been checked (see `formats.consistent`).

    >>> from cs336_bpe.formats.consistent import consistent
    >>> tokens = dict(enumerate([*(bytes([byte]) for byte in range(256)), b"lo", b"<e>"]))
    >>> engine = Engine(tokens, consistent(tokens, [(b"l", b"o")], ["<e>"]).merges, 1 << 20)
    >>> engine.as_list(engine.encode_ids("lol<e>", Specials({"<e>": 257}), 2))
    [256, 108, 257]
    """
    cdef Merges merges
    cdef readonly size_t cache_bytes
    cdef list free_caches
    cdef tuple known
    cdef CompiledPattern pattern
    cdef Scanner scanner  # points into `pattern`

    def use_pattern(self, CompiledPattern pattern not None, bint keep_unmatched):
        """Cut texts with this pattern. What it does not match is an error, or kept as pretokens."""
        self.pattern = pattern
        self.scanner = pattern.scanner
        self.scanner.gaps = KEEP_GAPS if keep_unmatched else STOP_AT_GAPS

    def __cinit__(self, tokens, merges, cache_bytes):
        cdef int32_t[::1] ids = merges.ids, lefts = merges.lefts, rights = merges.rights
        cdef Py_ssize_t num_merges = len(merges.lefts), i
        if num_merges > MAX_TOKENS - 256:
            raise ValueError(f"there are {num_merges} merges; there can be at most "
                             f"{MAX_TOKENS - 256}")
        if not self.merges.start(num_merges):
            raise MemoryError(f"no memory for {num_merges} merges")
        for i in range(256):
            self.merges.ids[i] = ids[i]
        for i in range(num_merges):
            self.merges.add(lefts[i], rights[i], ids[256 + i])
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
            status = write_whole(&self.scanner, &taken.table, &self.merges, &specials.tokens, data.start,
                                 data.size, strict, &ids.output)
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


cdef class OpenText:
    """A text that comes in parts. What is certain is encoded at once, whatever may follow.

    Held back are the last pretoken, which may go on, and the beginning of what may become a special
    token. Nothing is scanned twice, however small the parts are: the automaton stays where it is
    until more comes.
    """
    cdef Engine engine
    cdef Specials specials
    cdef Cache cache
    cdef int width
    cdef AutomatonScan run
    cdef bytearray held  # begins where a pretoken starts; then SCAN_PADDING bytes
    cdef size_t size  # of what is held
    cdef size_t searched  # no special token starts before this place of it
    cdef size_t examined  # nor is there a place to cut
    cdef size_t longest  # special token
    cdef frozenset beginnings  # of special tokens
    cdef readonly size_t offset  # of what is held, in the whole text

    def __init__(self, Engine engine not None, dict special_ids not None, int width, Cache cache):
        self.engine = engine
        self.specials = Specials(special_ids)
        self.width = width
        self.cache = cache
        self.held = bytearray(SCAN_PADDING)
        tokens = [token.encode() for token in special_ids]
        self.longest = max(map(len, tokens), default=0)
        self.beginnings = frozenset(
            token[:length] for token in tokens for length in range(1, len(token)))
        self.start_anew()

    def add(self, bytes data not None):
        """The ids that are certain now that this has come; and None, or a special token that was
        found: its place in the whole text and its id. Then call it again with nothing."""
        cdef Ids ids = Ids(self.width, len(data) // 3 + 8)
        cdef SpecialSearch search
        cdef size_t special, limit
        self.held[self.size : self.size] = data
        self.size += len(data)
        limit = self.open_from()
        if not search.begin(&self.specials.tokens, self.text(), self.size):
            raise MemoryError("no memory to look for special tokens")
        special = search.next(self.searched)
        if special < limit:  # one that can't become a longer one
            self.write_all(special, ids)
            self.drop(special)
            place = self.offset, search.id
            self.drop(search.length)
            return ids, place
        self.searched = limit
        if special == limit < self.size:  # one is there, and may become longer: the text ends
            self.write_all(limit, ids)
            self.drop(limit)
        else:
            self.write_certain(limit, ids)
        return ids, None

    def end(self):
        """The ids of what is held, after which nothing comes; call it until there is no place."""
        cdef Ids ids = Ids(self.width, self.size // 3 + 8)
        cdef SpecialSearch search
        cdef size_t special
        if not search.begin(&self.specials.tokens, self.text(), self.size):
            raise MemoryError("no memory to look for special tokens")
        special = search.next(0)
        self.write_all(special, ids)
        self.drop(special)
        if not self.size:
            return ids, None
        place = self.offset, search.id
        self.drop(search.length)
        return ids, place

    cdef const uint8_t *text(self):
        return <const uint8_t *>PyByteArray_AS_STRING(self.held)

    cdef size_t open_from(self):
        """Where the first special token may begin of which the end has not come yet."""
        cdef size_t at = self.size - self.longest + 1 if self.size >= self.longest else 0
        while at < self.size:
            if bytes(self.held[at : self.size]) in self.beginnings:
                return at
            at += 1
        return self.size

    cdef write_all(self, size_t size, Ids ids):
        """Write the ids of what is held, of which the end is known."""
        check(write_text(&self.engine.scanner, &self.cache.table, self.engine.merges, self.text(), 0,
                         size, False, &ids.output))

    cdef write_certain(self, size_t limit, Ids ids):
        """Write the ids of the pretokens before `limit` that are certain, and drop them."""
        cdef const Automaton *automaton = &self.engine.scanner.automaton
        cdef size_t starts[64]
        cdef size_t i, number = 1, cut = 0, written = 0
        cdef AutomatonScan run
        cdef int outlook
        if limit - self.examined > LARGE:
            cut = automaton_last_cut(automaton, self.text(), limit, limit,
                                     max(self.examined, 1))
            self.examined = limit
        if cut:
            self.write_all(cut, ids)
            self.drop(cut)
            limit -= cut
        if automaton.leaves_gaps:
            return  # only what is before a cut is certain
        self.run.text = self.text()
        self.run.end = limit
        while number:
            number = automaton_starts(&self.run, starts, 64)
            for i in range(number):
                self.write_one(written, starts[i], ids)
                written = starts[i]
            if not number and self.run.at == limit:
                outlook = automaton_outlook(&self.run, self.size)
                if outlook == STEP_EMIT:
                    self.write_one(written, limit, ids)
                    self.drop(limit)
                    return
                if outlook == STEP_BACK:
                    self.write_one(written, self.run.mark, ids)
                    written = self.run.at = self.run.mark
                    self.run.state = 0
                    number = 1
        run = self.run
        run.at -= written
        run.mark -= min(written, run.mark)
        self.drop(written)
        self.run = run

    cdef write_one(self, size_t start, size_t stop, Ids ids):
        check(write_pretoken(&self.cache.table, self.engine.merges, self.text() + start,
                             stop - start, &ids.output))

    cdef drop(self, size_t size):
        """Forget the beginning of what is held, which has been written."""
        del self.held[:size]
        self.size -= size
        self.offset += size
        self.searched -= min(size, self.searched)
        self.examined -= min(size, self.examined)
        self.start_anew()

    cdef start_anew(self):
        automaton_begin(&self.run, &self.engine.scanner.automaton, self.text(), 0, 0)
        self.run.lenient = self.run.open = True
