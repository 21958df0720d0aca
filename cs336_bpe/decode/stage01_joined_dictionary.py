"""Stage 01: the definition. Look each id up in the vocabulary, and join the bytes.

A vocabulary is a dictionary from ids to bytes, and the text of some ids is the bytes of the first,
then those of the second, and so on. This is the oracle: every other stage must return exactly what
this one returns, and refuse what it refuses.

Cost of an id: a look-up in a dictionary, and a copy of a few bytes.
Memory: the vocabulary; while ids are decoded, 8 bytes per id for a list of their tokens.
Expect: some millions of tokens per second.
Trap: a token may end in the middle of a character. So join first, and decode UTF-8 once at the end;
the text of a single token is often none.
"""

from collections.abc import Mapping

from cs336_bpe.decode.ids import Ids, as_list, plain_ids
from cs336_bpe.rules import check_tokens


class Decoder:
    """Decodes ids of one vocabulary.

    >>> decoder = Decoder({0: b"caf", 1: b"\\xc3", 2: b"\\xa9"})
    >>> decoder.decode_bytes([0, 1, 2]), decoder.decode([0, 1, 2]), decoder.decode([0, 1])
    (b'caf\\xc3\\xa9', 'café', 'caf\\ufffd')
    """

    def __init__(self, vocab: Mapping[int, bytes]) -> None:
        self._tokens = dict(check_tokens(vocab))

    def decode_bytes(self, ids: Ids) -> bytes:
        """The bytes of ids, whether they are text or not."""
        numbers = as_list(ids)
        # A dictionary finds True and 97.0 as well: they are equal to 1 and 97.
        if not set(map(type, numbers)) <= {int}:
            numbers = plain_ids(numbers, self._tokens)
        try:
            return b"".join([self._tokens[number] for number in numbers])
        except KeyError:
            plain_ids(numbers, self._tokens)  # raises, and says where
            raise

    def decode(self, ids: Ids, errors: str = "replace") -> str:
        """The text of ids. Bytes that are not UTF-8 become U+FFFD, or what `errors` says."""
        return self.decode_bytes(ids).decode("utf-8", errors)
