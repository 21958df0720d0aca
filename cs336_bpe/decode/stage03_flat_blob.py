"""Stage 03: one blob with offsets, and numpy.

Unlike stage 02, which has an object for each token, this one has all tokens in one row of bytes,
and an array that says where each begins. Then numpy does the rest, with a handful of calls for
thousands of ids: the lengths of the tokens, where each begins in the result, and for each byte of
the result its place in the blob.

Cost of an id: some numbers written and read again, 8 bytes each, for every byte of the result.
Memory: the tokens' bytes, and 16 bytes for each id up to the greatest; ids from `FAR` on stay in a
dictionary. While ids are decoded, some hundred kB.
Expect: much for arrays. For a list less, because numpy must make an array of it first.
Trap: all ids at once would need 8 bytes for each byte of the result, several times over. They would
be in no cache, and that is several times slower. So take `BLOCK` ids at a time.
"""

from collections.abc import Mapping
from typing import Any

import numpy

from cs336_bpe.decode.ids import Ids, as_ids, plain_ids
from cs336_bpe.rules import check_tokens

FAR = 1 << 18
BLOCK = 1 << 13


class Decoder:
    """Decodes ids of one vocabulary.

    >>> decoder = Decoder({0: b"caf", 1: b"\\xc3", 2: b"\\xa9"})
    >>> decoder.decode_bytes([0, 1, 2]), decoder.decode([0, 1, 2]), decoder.decode([0, 1])
    (b'caf\\xc3\\xa9', 'café', 'caf\\ufffd')
    """

    def __init__(self, vocab: Mapping[int, bytes]) -> None:
        self._tokens = dict(check_tokens(vocab))
        size = 1 + max((number for number in self._tokens if number < FAR), default=-1)
        tokens = [self._tokens.get(number, b"") for number in range(size)]
        self._blob = numpy.frombuffer(b"".join(tokens), numpy.uint8)
        self._lengths = numpy.array(list(map(len, tokens)), numpy.int64)
        self._starts = self._lengths.cumsum() - self._lengths

    def decode_bytes(self, ids: Ids) -> bytes:
        """The bytes of ids, whether they are text or not."""
        given = as_ids(ids)
        if isinstance(given, memoryview) or set(map(type, given)) <= {int}:
            try:
                numbers = numpy.asarray(given, None if len(given) else numpy.int64)
                return b"".join([self._join(numbers[first : first + BLOCK])
                                 for first in range(0, len(numbers), BLOCK)])
            except (IndexError, OverflowError, ValueError):  # the first of them refuses a gap
                pass
        return b"".join([self._tokens[number] for number in plain_ids(given, self._tokens)])

    def _join(self, numbers: "numpy.ndarray[Any, Any]") -> bytes:
        if numbers.min() < 0:
            raise IndexError("a negative id")  # which numpy would take from the end
        lengths = self._lengths[numbers]
        if not lengths.all():
            raise IndexError("an id without a token")
        ends = lengths.cumsum()
        # Where a token begins in the blob, less where it begins in the result: added to the place
        # of each of its bytes in the result, that is the byte's place in the blob.
        shifts = self._starts[numbers] - (ends - lengths)
        places = numpy.arange(ends[-1]) + numpy.repeat(shifts, lengths)
        return bytes(self._blob[places])

    def decode(self, ids: Ids, errors: str = "replace") -> str:
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says."""
        return self.decode_bytes(ids).decode("utf-8", errors)
