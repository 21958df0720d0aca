"""Stage 02: a list instead of a dictionary.

Unlike stage 01, which hashes each id to find its token, this one takes it as a place in a list: ids
are small integers, and nearly all of them are in use. Where one is not, the list has None, which
`join` refuses.

Cost of an id: a read from a list, and a copy of a few bytes.
Memory: 16 bytes for each id up to the greatest; so a vocabulary with one id far above the others
would take much. Ids from `FAR` on stay in a dictionary.
Expect: a little. The dictionary was not slow: an integer is its own hash.
Trap: in Python, -1 is a place too, the last one. So the list is twice as long as it needs to be,
and its second half, where negative ids are found, has no tokens.
"""

from collections.abc import Mapping

from cs336_bpe.decode.ids import Ids, as_list, plain_ids
from cs336_bpe.rules import check_tokens

FAR = 1 << 18


class Decoder:
    """Decodes ids of one vocabulary.

    >>> decoder = Decoder({0: b"caf", 1: b"\\xc3", 2: b"\\xa9"})
    >>> decoder.decode_bytes([0, 1, 2]), decoder.decode([0, 1, 2]), decoder.decode([0, 1])
    (b'caf\\xc3\\xa9', 'café', 'caf\\ufffd')
    """

    def __init__(self, vocab: Mapping[int, bytes]) -> None:
        self._tokens = dict(check_tokens(vocab))
        size = 1 + max((number for number in self._tokens if number < FAR), default=-1)
        self._list = [self._tokens.get(number) for number in range(size)] + [None] * size

    def decode_bytes(self, ids: Ids) -> bytes:
        """The bytes of ids, whether they are text or not."""
        numbers = as_list(ids)
        try:
            if set(map(type, numbers)) <= {int}:
                return b"".join([self._list[number] for number in numbers])  # type: ignore[misc]
        except (IndexError, TypeError):  # no such place; None
            pass
        return b"".join([self._tokens[number] for number in plain_ids(numbers, self._tokens)])

    def decode(self, ids: Ids, errors: str = "replace") -> str:
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says."""
        return self.decode_bytes(ids).decode("utf-8", errors)
