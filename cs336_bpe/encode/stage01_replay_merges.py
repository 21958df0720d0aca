"""Stage 01: the definition. Replay every merge, in the order in which they were learned.

A pretoken starts as a row of bytes, and each merge of training is done over again: wherever its
pair stands, the two become one token. What is left at the end is looked up in the vocabulary. This
is the oracle: every other stage must return exactly what this one returns.

Cost of a pretoken: O(all merges x its tokens). GPT-2 has 50,000 merges, and a word needs five.
Memory: the merges, and the vocabulary the other way round.
Expect: some hundred bytes a second.
Trap: merges have an order. To merge whatever happens to be in the vocabulary, from left to right
or the longest first, gives tokens too, but not those that the model was trained on.
"""

from collections.abc import Mapping, Sequence

from cs336_bpe.rules import BYTES, Pair, check_pretoken, check_vocab


class Encoder:
    """Encodes one pretoken after the other.

    >>> vocab = dict(enumerate([*BYTES, b"lo", b"low"]))
    >>> encoder = Encoder(vocab, [(b"l", b"o"), (b"lo", b"w")])
    >>> encoder.encode_pretoken(b"lowlo")
    [257, 256]
    """

    def __init__(self, vocab: Mapping[int, bytes], merges: Sequence[Pair]) -> None:
        self._ids = check_vocab(vocab, merges)
        self._merges = [(left, right) for left, right in merges]

    def encode_pretoken(self, pretoken: bytes) -> list[int]:
        """The ids of the tokens of a pretoken."""
        check_pretoken(pretoken)
        tokens = [BYTES[byte] for byte in pretoken]
        for pair in self._merges:
            tokens = merge_pair(tokens, pair)
        return [self._ids[token] for token in tokens]


def merge_pair(tokens: list[bytes], pair: Pair) -> list[bytes]:
    """Replace the pair by one token wherever it occurs, from left to right.

    >>> merge_pair([b"a", b"a", b"a"], (b"a", b"a"))
    [b'aa', b'a']
    """
    left, right = pair
    merged = []
    i = 0
    while i < len(tokens):
        if tokens[i] == left and i + 1 < len(tokens) and tokens[i + 1] == right:
            merged.append(left + right)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged
