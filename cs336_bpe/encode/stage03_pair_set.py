"""Stage 03: skip the merges whose pair is not there.

Unlike stage 02, which asks whether both tokens of a merge are present, somewhere, this one keeps a
set of the pairs of neighbours. Its answer is exact: it walks over the pretoken only to merge.

Cost of a pretoken: O(all merges), one look-up each, as before; but none of the walks is in vain.
Memory: the set of a pretoken's pairs instead of its tokens.
Expect: slower than stage 02. A pair is a tuple, and Python hashes a tuple anew at each look-up,
where a bytes object keeps its hash. This is paid for all merges, and saves a few walks. It
stays on the ladder because it looks like an improvement, and because of what follows from it.
Trap: a better filter is no better if asking it costs more than what it saves.
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
        present = set(zip(tokens, tokens[1:]))
        for pair in self._merges:
            if pair in present:
                tokens = merge_pair(tokens, pair)
                present = set(zip(tokens, tokens[1:]))
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
