# cython: language_level=3
# distutils: language = c++
"""Stage 11: the bytes of many characters are packed side by side.

Unlike stage 10, which writes text character by character where it isn't ASCII, and has to find out
of each how many bytes it has, this one takes eight bytes at a time. It packs the first bytes of all
characters that begin there, then their second bytes, and so on, and works on all of them together
(`packed_chars.h`). Ids become bytes as in stage 10.

Cost of eight bytes: about forty instructions, whatever is in them, and no branch that depends on it.
Memory: the same.
Expect: more the less ASCII a text has. Nothing for bytes, and nothing for text in ASCII.
Trap: eight characters are stored, though fewer may have begun. So near the end of the text, where
there is no room for that, characters are written one by one.
"""

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint8_t

from cs336_bpe.decode.stage10_lists_in_pieces import Decoder as ListDecoder

cdef extern from "packed_chars.h":
    object text_from_packed(const uint8_t *data, size_t size)


class Decoder(ListDecoder):
    """Decodes ids of one vocabulary; many threads may use it at once.

    >>> decoder = Decoder({0: b"caf", 1: b"\\xc3", 2: b"\\xa9"})
    >>> decoder.decode_bytes([0, 1, 2]), decoder.decode([0, 1, 2]), decoder.decode([0, 1])
    (b'caf\\xc3\\xa9', 'café', 'caf\\ufffd')
    """

    def decode(self, ids, errors="replace"):
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says."""
        data = self.decode_bytes(ids)
        text = text_from_packed(<const uint8_t *>PyBytes_AS_STRING(data), len(data))
        return data.decode("utf-8", errors) if text is None else text
