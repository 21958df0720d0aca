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
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libcpp.vector cimport vector

from cs336_bpe.encode.output cimport (
    ENCODE_DONE,
    ENCODE_INVALID,
    ENCODE_NO_MEMORY,
    ENCODE_SURROGATE,
    ENCODE_TOO_LONG,
    ENCODE_UNMATCHED,
    Output,
    fill_list,
    fill_lists,
)
from cs336_bpe.encode.perfect_merges cimport MAX_TOKENS, TOO_LONG, Merges
from cs336_bpe.encode.rolling cimport (
    DEFAULT_BYTES,
    SMALLEST,
    AnyCache,
    MergeablePairs,
    NewWords,
    WholeTokens,
    can_merge_side_by_side,
    keys_init_module,
    write_pretoken,
    write_text,
)
from cs336_bpe.native.automaton cimport (
    STEP_BACK,
    STEP_EMIT,
    Automaton,
    AutomatonScan,
    automaton_back,
    automaton_begin,
    automaton_last_cut,
    automaton_outlook,
    automaton_starts,
)
from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.scanner cimport CompiledPattern
from cs336_bpe.native.special_tokens cimport SpecialSearch, SpecialTokens
from cs336_bpe.native.starts cimport KEEP_GAPS, STOP_AT_GAPS, Scanner

cdef extern from "whole_text.h" nogil:
    cppclass TextView:
        const void *data
        size_t size
        int kind
    cppclass TextEncoder:
        const Scanner *scanner
        AnyCache *cache
        const NewWords *words
        const SpecialTokens *specials
        size_t longest_special
        bint strict
        int encode(const TextView &text, Output *output)

cdef extern from "to_utf8.h" nogil:
    size_t most_bytes(int kind)

cdef extern from "views.h":
    int view_str(object text, TextView *view) except -1

from cs336_bpe.text.utf8 import as_bytes, as_utf8

cdef enum:
    SHORT_TEXT = 1 << 12  # characters: not worth giving up the interpreter's lock
    MOST_KEPT_IDS = 1 << 16
    FEW_IDS = 16

DEFAULT_CACHE_BYTES = DEFAULT_BYTES
SMALLEST_CACHE_BYTES = SMALLEST
MAX_FREE_CACHES = 64
MAX_FREE_IDS = 8  # arrays for parts of a text
MOST_FREE_BYTES = 1 << 22  # of each of them
LARGE = 512  # bytes; more than that are worth looking for one


init_scanner()
keys_init_module()


cdef class Specials:
    """Special tokens to look for in a text, and their ids."""
    cdef SpecialTokens tokens
    cdef readonly size_t longest  # bytes

    def __cinit__(self, dict ids not None):
        for token, number in ids.items():
            data = token.encode()
            self.tokens.add(data, number)
            self.longest = max(self.longest, len(data))

    def first_in(self, text):
        """The place of the first special token in a text, and its length; None if there is none.

        >>> Specials({"<e>": 256}).first_in("one<e>two")
        (3, 3)
        """
        cdef Text data = Text(as_bytes(text))
        cdef SpecialSearch search
        cdef size_t at
        search.begin(&self.tokens, <const uint8_t *>data.view.data, data.view.size)
        at = search.next(0)
        return None if at == data.view.size else (at, search.length)


cdef class Text:
    """A str, or an object with a buffer, as a pointer."""
    cdef TextView view  # into `owner` or into `buffer`
    cdef object owner
    cdef Py_buffer buffer
    cdef bint has_buffer

    def __cinit__(self, text):
        self.owner = text
        if isinstance(text, str):
            view_str(text, &self.view)
        elif isinstance(text, bytes):
            self.view.data = PyBytes_AS_STRING(text)
            self.view.size = PyBytes_GET_SIZE(text)
        else:
            PyObject_GetBuffer(text, &self.buffer, PyBUF_CONTIG_RO)
            self.has_buffer = True
            self.view.data = self.buffer.buf
            self.view.size = self.buffer.len

    def __dealloc__(self):
        if self.has_buffer:
            PyBuffer_Release(&self.buffer)


cdef class Cache:
    """A cache of pretokens and their ids, for one thread at a time."""
    cdef AnyCache table
    cdef Output output  # for ids that become a list

    def __cinit__(self, size_t limit, uint32_t greatest_id):
        if not self.table.start(limit, greatest_id):
            raise MemoryError("no memory for the cache of pretokens")
        self.output.width = 2 if greatest_id < 1 << 16 else 4

    def __dealloc__(self):
        self.table.end()
        self.output.end()

    @property
    def num_bytes(self):
        return self.table.num_bytes()

    @property
    def num_pretokens(self):
        """How many distinct pretokens are in it."""
        return self.table.num_pretokens()

    @property
    def times_full(self):
        """How often the limit was reached, and everything forgotten."""
        return self.table.times_full()

    @property
    def secret(self):
        """The two secret numbers of its hashes."""
        return self.table.secret().a, self.table.secret().b


cdef class Ids:
    """An array of ids, for numpy; it owns its memory."""
    cdef Output output
    cdef bint exported  # somebody has a pointer to it, so it must stay where it is

    def __cinit__(self, int width, size_t most):
        """Room for up to `most` ids; if they can't be had for nothing, for a third of them."""
        self.output.width = width
        if not self.output.room_for_at_most(most, most // 3 + 8):
            raise MemoryError(f"no memory for {most} ids")

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

    def clear(self):
        """Forget the ids, and keep the room for others."""
        if self.exported:
            raise ValueError("these ids can't be forgotten: they are in use")
        self.output.used = 0

    def shrink(self):
        """Give back the memory that is not used."""
        if not self.exported:
            self.output.shrink()


cdef class Offsets:
    """Where the ids of each text begin, and at last where they end: 64-bit integers, for numpy."""
    cdef int64_t *items
    cdef readonly size_t number
    cdef bint exported  # somebody has a pointer to them, so they must stay where they are

    def __cinit__(self, size_t number):
        self.number = number
        self.items = <int64_t *>calloc(number, sizeof(int64_t))
        if self.items == NULL:
            raise MemoryError(f"no memory for {number} offsets")

    def __dealloc__(self):
        free(self.items)

    def extend(self, Offsets others not None):
        """Append those of texts that come after all these."""
        cdef size_t i, number = self.number + others.number - 1
        if self.exported:
            raise ValueError("these offsets can't be extended: they are in use")
        cdef int64_t *items = <int64_t *>realloc(self.items, number * sizeof(int64_t))
        if items == NULL:
            raise MemoryError(f"no memory for {number} offsets")
        self.items = items
        for i in range(1, others.number):
            items[self.number + i - 1] = items[self.number - 1] + others.items[i]
        self.number = number

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        self.exported = True
        PyBuffer_FillInfo(buffer, self, self.items, self.number * sizeof(int64_t), False, flags)


cdef size_t most_ids(TextView text) noexcept nogil:
    """How many ids a text may have: one per byte, and a few that are written for haste."""
    return text.size * (most_bytes(text.kind) if text.kind else 1) + FEW_IDS


cdef int write_id(Output *output, uint32_t number) noexcept nogil:
    if not output.room_for(1):
        return ENCODE_NO_MEMORY
    output.append(&number, 1)
    return ENCODE_DONE


class UnmatchedText(ValueError):
    """A pattern leaves out part of a text that has to be encoded."""


cdef check(int status, text):
    if status == ENCODE_SURROGATE:
        as_utf8(text)  # says where it is
    if status == ENCODE_NO_MEMORY:
        raise MemoryError("no memory for the ids of the text")
    if status == ENCODE_UNMATCHED:
        raise UnmatchedText("the pattern does not match all of the text, and the rest would be "
                            "lost; unmatched='keep' encodes it as pretokens")
    if status == ENCODE_TOO_LONG:
        raise ValueError(f"the text has a pretoken of {TOO_LONG} bytes or more; the limit is "
                         f"{TOO_LONG - 1}")


cdef class Engine:
    """The merges of a vocabulary, and caches.

    `tokens` has the token of each id, special ones included, and `merges` is a `MergeColumns`: they
    have been checked (see `formats.consistent`). `wholes` are tokens that a
    whole pretoken is looked for among before anything is merged.

    >>> from cs336_bpe.formats.consistent import consistent
    >>> tokens = dict(enumerate([*(bytes([byte]) for byte in range(256)), b"lo", b"<e>"]))
    >>> engine = Engine(tokens, consistent(tokens, [(b"l", b"o")], ["<e>"]).merges, 1 << 20)
    >>> engine.as_list(engine.encode_ids("lol<e>", Specials({"<e>": 257}), 2))
    [256, 108, 257]
    """
    cdef Merges merges
    cdef MergeablePairs pairs
    cdef WholeTokens whole
    cdef NewWords words  # points to these
    cdef uint32_t greatest_id
    cdef readonly size_t cache_bytes
    cdef list free_caches, free_ids
    cdef tuple known
    cdef CompiledPattern pattern
    cdef Scanner scanner  # points into `pattern`

    def use_pattern(self, CompiledPattern pattern not None):
        """Cut texts with this pattern. What it does not match is an error unless it keeps gaps."""
        self.pattern = pattern
        self.scanner = pattern.scanner
        if self.scanner.gaps != KEEP_GAPS:
            self.scanner.gaps = STOP_AT_GAPS

    def __cinit__(self, tokens, merges, cache_bytes, dict wholes=None):
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
        self.prepare(wholes)
        self.greatest_id = max(tokens)
        self.cache_bytes = cache_bytes
        # Integers for lists. If ids have large gaps, those beyond are made as they are needed.
        self.known = tuple(range(min(max(tokens) + 1, 4 * len(tokens) + 256)))
        self.free_caches = [Cache(cache_bytes, self.greatest_id)]
        self.free_ids = []

    cdef prepare(self, dict wholes):
        """What new pretokens need besides the merges."""
        if not self.merges.finish():
            raise MemoryError("no memory for the table of merges")
        self.pairs.start(self.merges)
        self.words.merges = &self.merges
        self.words.pairs = &self.pairs
        self.words.whole = NULL
        self.words.may_be_late = can_merge_side_by_side()
        if wholes:
            for token, number in wholes.items():
                self.whole.add(token, number)
            self.words.whole = &self.whole

    def __dealloc__(self):
        self.merges.end()

    def encode_ids(self, text, Specials specials not None, int width, Cache cache=None,
                   bint strict=False):
        """The ids of a text, of 2 or 4 bytes each, or with a width of 0 only their number.

        None if the text must be UTF-8 (`strict`) and isn't.
        """
        cdef Text data = Text(text)
        cdef Ids ids = Ids(width, most_ids(data.view))
        cdef int status = self.write(data.view, specials, cache, strict, ids)
        if status == ENCODE_INVALID:
            return None
        check(status, text)
        ids.output.shrink()
        return ids

    def encode_part(self, text, size_t start, size_t stop, Specials specials not None,
                    Ids ids not None):
        """Append the ids of `text[start:stop]` to others. No copy is made of that part."""
        cdef Text data = Text(text)
        if not start <= stop <= data.view.size:
            raise ValueError(f"there is no part from {start} to {stop} of {data.view.size}")
        if ids.exported:
            raise ValueError("these ids can't be extended: they are in use")
        data.view.data = <const uint8_t *>data.view.data + start * max(data.view.kind, 1)
        data.view.size = stop - start
        cdef int status = self.write(data.view, specials, None, False, ids)
        if status != ENCODE_DONE:
            check(status, text[start:stop])

    cdef int write(self, TextView view, Specials specials, Cache cache, bint strict, Ids ids):
        cdef Cache taken = self.take(cache)
        cdef TextEncoder encoder
        cdef int status
        self.begin(&encoder, taken, specials, strict)
        with nogil:
            status = encoder.encode(view, &ids.output)
        self.give_back(taken, cache)
        return status

    def encode_list(self, text, Specials specials not None):
        """The ids of a text as a list."""
        cdef Text data = Text(text)
        cdef Cache taken = self.take(None)
        cdef TextEncoder encoder
        cdef int status
        cdef list result
        self.begin(&encoder, taken, specials, False)
        if data.view.size < SHORT_TEXT:
            status = encoder.encode(data.view, &taken.output)
        else:
            with nogil:
                status = (encoder.encode(data.view, &taken.output)
                          if taken.output.room_for_at_most(most_ids(data.view),
                                                           data.view.size // 3)
                          else ENCODE_NO_MEMORY)
        try:
            check(status, text)
            result = PyList_New(taken.output.used)
            fill_list(result, taken.output, self.known)
        finally:
            taken.output.forget(MOST_KEPT_IDS)
            self.give_back(taken, None)
        return result

    def encode_many(self, list texts not None, Specials specials not None, int width,
                    Cache cache=None):
        """The ids of many texts, one after the other, and where those of each begin and end."""
        cdef size_t i = 0, number = len(texts), size = 0
        cdef vector[TextView] views
        cdef TextView view
        cdef Offsets offsets = Offsets(number + 1)
        cdef int status = ENCODE_DONE
        cdef TextEncoder encoder
        views.reserve(number)
        for text in texts:
            view_str(text, &view)
            views.push_back(view)
            size += most_ids(view)
        cdef Ids ids = Ids(width, size)
        cdef Cache taken = self.take(cache)
        self.begin(&encoder, taken, specials, False)
        with nogil:
            while i < number and status == ENCODE_DONE:
                status = encoder.encode(views[i], &ids.output)
                i += 1
                offsets.items[i] = ids.output.used
        self.give_back(taken, cache)
        if status != ENCODE_DONE:
            check(status, texts[i - 1])
        ids.output.shrink()
        return ids, offsets

    def encode_texts(self, text, const uint64_t[::1] ends not None, Specials specials not None,
                     separator, int width, Cache cache=None, bint strict=False):
        """The ids of texts that lie one after the other in a buffer, and end at `ends`.

        After each comes `separator`, an id, or nothing if that is None. The result is None if a
        text must be UTF-8 (`strict`) and isn't.
        """
        cdef Text data = Text(text)
        cdef size_t i, start = 0, number = len(ends)
        cdef bint separated = separator is not None
        cdef uint32_t separator_id = separator if separated else 0
        cdef int status = ENCODE_DONE
        cdef TextEncoder encoder
        cdef TextView view
        for i in range(number):
            if ends[i] < start or ends[i] > data.view.size:
                raise ValueError(f"ends[{i}] is {ends[i]}; it must be from {start} to "
                                 f"{data.view.size}")
            start = ends[i]
        cdef Ids ids = Ids(width, start + (number if separated else 0) + FEW_IDS)
        cdef Cache taken = self.take(cache)
        self.begin(&encoder, taken, specials, strict)
        view.kind = 0
        start = 0
        with nogil:
            for i in range(number):
                view.data = <const uint8_t *>data.view.data + start
                view.size = ends[i] - start
                status = encoder.encode(view, &ids.output)
                if separated and status == ENCODE_DONE:
                    status = write_id(&ids.output, separator_id)
                if status != ENCODE_DONE:
                    break
                start = ends[i]
        self.give_back(taken, cache)
        if status == ENCODE_INVALID:
            return None
        check(status, text)
        ids.output.shrink()
        return ids

    def joined(self, list some not None, int width):
        """The ids of texts that were encoded one by one, as `encode_many` gives them."""
        cdef Ids whole = Ids(width, 0)
        cdef Offsets offsets = Offsets(len(some) + 1)
        for i, ids in enumerate(some):
            whole.extend(ids)
            offsets.items[i + 1] = whole.output.used
        return whole, offsets

    def as_lists(self, Ids ids not None, Offsets offsets not None):
        """What `encode_many` gives, as a list for each text."""
        cdef list result = PyList_New(offsets.number - 1)
        fill_lists(result, ids.output, self.known, offsets.items)
        return result

    cdef void begin(self, TextEncoder *encoder, Cache cache, Specials specials,
                    bint strict) noexcept:
        encoder.cache = &cache.table
        encoder.scanner = &self.scanner
        encoder.words = &self.words
        encoder.specials = &specials.tokens
        encoder.longest_special = specials.longest
        encoder.strict = strict

    def encode_pieces(self, pieces, int width, Cache cache=None):
        """The ids of pretokens that somebody else has found; an int stands for itself."""
        cdef Ids ids = Ids(width, 0)
        cdef Cache taken = self.take(cache)
        cdef int status = ENCODE_DONE
        for piece in pieces:
            if isinstance(piece, bytes):
                status = write_pretoken(&taken.table, self.words,
                                        <const uint8_t *>PyBytes_AS_STRING(piece),
                                        PyBytes_GET_SIZE(piece), &ids.output)
            else:
                status = write_id(&ids.output, piece)
            if status != ENCODE_DONE:
                break
        self.give_back(taken, cache)
        check(status, None)
        ids.output.shrink()
        return ids

    def as_list(self, Ids ids not None):
        """Ids as a list of Python integers."""
        cdef list result = PyList_New(ids.output.used)
        fill_list(result, ids.output, self.known)
        return result

    def new_cache(self, cache_bytes):
        """A cache for a caller who encodes much in one thread."""
        return Cache(cache_bytes, self.greatest_id)

    def take_ids(self, int width):
        """An empty array for the ids of a part of a text, to be given back: the system takes its
        time to give out memory, and threads wait for each other meanwhile."""
        cdef Ids ids
        try:
            ids = self.free_ids.pop()
        except IndexError:
            return Ids(width, 0)
        return ids if ids.output.width == width else Ids(width, 0)

    def give_back_ids(self, Ids ids not None):
        """Use the array again for the ids of another part."""
        ids.clear()
        if (len(self.free_ids) < MAX_FREE_IDS
                and ids.output.room * ids.output.width <= MOST_FREE_BYTES):
            self.free_ids.append(ids)

    cdef Cache take(self, Cache given):
        if given is not None:
            return given
        try:
            return self.free_caches.pop()
        except IndexError:
            return Cache(self.cache_bytes, self.greatest_id)

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
    cdef size_t searched  # no special token starts before this place of it, nor may one
    cdef size_t examined  # nor is there a place to cut
    cdef readonly size_t offset  # of what is held, in the whole text

    def __cinit__(self, Engine engine not None, dict special_ids not None, int width, Cache cache):
        self.engine = engine
        self.specials = Specials(special_ids)
        self.width = width
        self.cache = cache
        self.held = bytearray(SCAN_PADDING)
        self.start_anew()

    def add(self, bytes data not None):
        """The ids that are certain now that this has come; and None, or a special token that was
        found: its place in the whole text and its id. Then call it again with nothing."""
        cdef Ids ids = Ids(self.width, len(data))
        cdef SpecialSearch search
        cdef size_t special, limit
        self.held[self.size : self.size] = data
        self.size += len(data)
        limit = self.open_from()
        search.begin(&self.specials.tokens, self.text(), self.size)
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
        cdef Ids ids = Ids(self.width, self.size)
        cdef SpecialSearch search
        cdef size_t special
        search.begin(&self.specials.tokens, self.text(), self.size)
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
        cdef const uint8_t *text = self.text()
        cdef size_t longest = self.specials.longest, at = self.searched
        if self.size >= longest:
            at = max(at, self.size - longest + 1)
        while at < self.size and not self.specials.tokens.is_beginning(text + at, self.size - at):
            at += 1
        return min(at, self.size)

    cdef write_all(self, size_t size, Ids ids):
        """Write the ids of what is held, of which the end is known."""
        check(write_text(&self.engine.scanner, &self.cache.table, self.engine.words, self.text(), 0,
                         size, False, &ids.output), None)

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
                    written = self.run.mark
                    automaton_back(&self.run)
                    number = 1
        run = self.run
        run.at -= written
        run.mark -= min(written, run.mark)
        self.drop(written)
        self.run = run

    cdef write_one(self, size_t start, size_t stop, Ids ids):
        check(write_pretoken(&self.cache.table, self.engine.words, self.text() + start,
                             stop - start, &ids.output), None)

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
