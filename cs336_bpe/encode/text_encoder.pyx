# cython: language_level=3
# distutils: language = c++
"""An encoder of whole texts, as Python sees it: text comes in, and a list goes out.

Stages 10 to 17 differ in what is between. Each has its own tables, which `__cinit__` makes together
with `known` and `most`, and its own `write_one`, or `write_whole`, if it does not go from
pretoken to pretoken.

The interpreter's lock is kept while they work: from stage 11 on they have something that changes.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.list cimport PyList_New
from libc.stdint cimport uint8_t

from cs336_bpe.encode.output cimport (
    ENCODE_DONE,
    ENCODE_NO_MEMORY,
    ENCODE_TOO_LONG,
    Output,
    fill_list,
)
from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.starts cimport Starts

from cs336_bpe.native.scanner import compiled
from cs336_bpe.rules import GPT2_PATTERN, check_pretoken

init_scanner()


cdef class TextEncoder:
    """Encodes texts, and pretokens; for stages to build on."""

    def __cinit__(self, *_):
        self.pattern = compiled(GPT2_PATTERN)

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
        if self.known is None:
            raise NotImplementedError("a TextEncoder has no tables; take the Encoder of a stage")
        try:
            status = ENCODE_NO_MEMORY
            if output.room_for(size // 3 + 1):  # as in English; it grows where there are more ids
                status = (self.write_whole(text, size, &output) if cut
                          else self.write_one(text, size, &output))
            if status == ENCODE_NO_MEMORY:
                raise MemoryError(f"no memory for the ids of {size} bytes")
            if status == ENCODE_TOO_LONG:
                raise ValueError(f"there is a pretoken of more than {self.most} bytes; split it")
            result = PyList_New(output.used)
            fill_list(result, output, self.known)
            return result
        finally:
            output.end()

    cdef int write_whole(self, const uint8_t *text, size_t size, Output *output) noexcept nogil:
        """Find the pretokens of a text, and write their ids."""
        cdef Starts starts
        cdef size_t i, start, stop
        cdef int status
        starts.begin(&self.pattern.scanner, text, 0, size, True)
        while starts.find():
            for i in range(starts.ready):
                start, stop = starts.starts[i], starts.starts[i + 1]
                status = self.write_one(text + start, stop - start, output)
                if status != ENCODE_DONE:
                    return status
        return ENCODE_DONE

    cdef int write_one(self, const uint8_t *text, size_t size, Output *output) noexcept nogil:
        """Write the ids of a pretoken. Every stage has its own."""
        return ENCODE_TOO_LONG
