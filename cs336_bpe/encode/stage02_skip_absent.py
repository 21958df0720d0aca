"""Stage 02: skip the merges whose tokens are not there.

Unlike stage 01, which walks over the pretoken once for every merge, this one keeps a set of the
tokens that are present, and walks only if both tokens of the merge are in it. A word of five bytes
has five tokens at most, so nearly all of 50,000 merges end at the first question.

Cost of a pretoken: O(all merges x its tokens) -> O(all merges), one or two look-ups each.
Memory: the set of a pretoken's tokens, besides what stage 01 has.
Expect: ten times or so, because a look-up is that much cheaper than a walk; and no more than
that, because every pretoken still goes through the whole list of merges.
Trap: a merge adds a token to the set, and may take two away. One that stays in the set though
it is gone costs a useless walk; one that is missing costs a merge.
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
        present = set(tokens)
        for left, right in self._merges:
            if left in present and right in present:
                merged = merge_pair(tokens, (left, right))
                if len(merged) < len(tokens):
                    tokens = merged
                    present = set(tokens)
        return [self._ids[token] for token in tokens]


def merge_pair(tokens: list[bytes], pair: Pair) -> list[bytes]:
    """Replace the pair by one token wherever it occurs, from left to right."""
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
