"""Stage 04: the pair of the lowest rank, found with `min`.

Unlike stage 03, which asks for every merge whether its pair is present, this one turns the
question round: of the pairs that are present, which one's merge comes first? A dictionary has the
rank of each merge, `min` finds the lowest, and the list of merges is never walked again. This is
the encoder that most people know: minbpe has it, and so has the educational part of tiktoken.

Cost of a pretoken: O(all merges) -> O(its bytes) for each merge that applies, so O(its bytes^2).
Memory: one dictionary entry per merge, and a pretoken's tokens.
Expect: a hundred times, and more with more merges: it does not matter how many there are.
Trap: taking the lowest rank next is replaying in order only if no merge makes a pair whose turn is
over. `check_vocab` sees to that: no two merges make the same token, and parts come first.
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
        self._ranks = {(left, right): rank for rank, (left, right) in enumerate(merges)}

    def encode_pretoken(self, pretoken: bytes) -> list[int]:
        """The ids of the tokens of a pretoken."""
        check_pretoken(pretoken)
        tokens = [BYTES[byte] for byte in pretoken]
        ranks = self._ranks
        after_all = len(ranks)
        while len(tokens) > 1:
            pair = min(zip(tokens, tokens[1:]), key=lambda pair: ranks.get(pair, after_all))
            if pair not in ranks:
                break
            tokens = merge_pair(tokens, pair)
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
