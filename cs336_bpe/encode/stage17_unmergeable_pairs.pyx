# cython: language_level=3
# distutils: language = c++
"""Stage 17: new words are cut where no merge can cross.

Unlike stage 16, which merges a new word as a whole, this one first cuts a long one between two
bytes that no merge joins (`mergeable_pairs.h`). The parts are looked up like words, because other
words have them too; only parts that are new are merged.

Cost: a look at 8 kB of bits for each byte of a long new word.
Memory: 8 kB.
Expect: much on languages that GPT-2 has few tokens for, nothing on English.
Trap: a cut must be right whatever is around it. It is: see the page.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.list cimport PyList_New
from libc.stdint cimport uint8_t

from cs336_bpe.encode.output cimport ENCODE_NO_MEMORY, ENCODE_TOO_LONG, Output, fill_list
from cs336_bpe.encode.perfect_merges cimport MAX_TOKENS, TOO_LONG, Merges
from cs336_bpe.encode.rolling cimport (
    DEFAULT_BYTES,
    AnyCache,
    MergeablePairs,
    NewWords,
    keys_init_module,
    write_pretoken,
    write_text,
)
from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.scanner cimport CompiledPattern

from cs336_bpe.native.scanner import compiled
from cs336_bpe.rules import BYTES, GPT2_PATTERN, check_pretoken, check_vocab

cdef CompiledPattern GPT2 = compiled(GPT2_PATTERN)
init_scanner()
keys_init_module()


cdef class Encoder:
    """Encodes texts, and pretokens.

    >>> vocab = dict(enumerate([*BYTES, b"lo", b"low"]))
    >>> encoder = Encoder(vocab, [(b"l", b"o"), (b"lo", b"w")])
    >>> encoder.encode_pretoken(b"lowlo"), encoder.encode_text("low lo")
    ([257, 256], [257, 32, 256])
    """

    cdef Merges merges
    cdef MergeablePairs pairs
    cdef NewWords words  # points to them
    cdef AnyCache cache
    cdef tuple known  # integers for lists, so that not every id is a new object

    def __cinit__(self, vocab, merges):
        ids = check_vocab(vocab, merges)
        if len(merges) > MAX_TOKENS - 256:
            raise ValueError(f"there are {len(merges)} merges; there can be at most "
                             f"{MAX_TOKENS - 256}")
        if not self.merges.start(len(merges)):
            raise MemoryError(f"no memory for a table of {len(merges)} merges")
        if not self.cache.start(DEFAULT_BYTES, max(vocab)):
            raise MemoryError("no memory for the cache of pretokens")
        cdef dict numbers = {token: byte for byte, token in enumerate(BYTES)}
        for byte, token in enumerate(BYTES):
            self.merges.ids[byte] = ids[token]
        for left, right in merges:
            self.merges.add(numbers[left], numbers[right], ids[left + right])
            numbers[left + right] = len(numbers)
        if not self.merges.finish():
            raise MemoryError(f"no memory for a table of {len(merges)} merges")
        self.words.merges = &self.merges
        self.pairs.start(self.merges)
        self.words.pairs = &self.pairs
        self.words.whole = NULL
        self.known = tuple(range(4 * len(vocab)))

    def __dealloc__(self):
        self.merges.end()
        self.cache.end()

    def encode_pretoken(self, pretoken):
        """The ids of the tokens of a pretoken."""
        check_pretoken(pretoken)
        return self.encode_all(pretoken, PyBytes_GET_SIZE(pretoken), False)

    def encode_text(self, text):
        """The ids of a text, in which no special tokens are looked for."""
        if isinstance(text, str):
            text = text.encode()
        if not isinstance(text, bytes):
            raise TypeError(f"text is a {type(text).__name__}; it must be bytes or str")
        return self.encode_all(text + bytes(SCAN_PADDING), PyBytes_GET_SIZE(text), True)

    cdef list encode_all(self, bytes data, size_t size, bint cut):
        cdef const uint8_t *text = <const uint8_t *>PyBytes_AS_STRING(data)
        cdef Output output
        cdef int status
        try:
            if cut:
                status = write_text(&GPT2.scanner, &self.cache, self.words, text, 0, size, False,
                                    &output)
            else:
                status = write_pretoken(&self.cache, self.words, text, size, &output)
            if status == ENCODE_NO_MEMORY:
                raise MemoryError(f"no memory for the ids of {size} bytes")
            if status == ENCODE_TOO_LONG:
                raise ValueError(f"there is a pretoken of {TOO_LONG} bytes or more; split it")
            result = PyList_New(output.used)
            fill_list(result, output, self.known)
            return result
        finally:
            output.end()
