"""Stage 05: a heap of the pairs that are there, by the rank of their merge.

Unlike stage 04, which looks at all pairs before each merge, and copies all tokens to do it, this
one keeps the pairs in a heap, with the lowest rank on top. A merge changes two pairs only, its
neighbours', so tokens stay where they are, linked to the ones before and after them.

Cost of a pretoken: O(its bytes^2) -> O(its bytes x log(its bytes)).
Memory: per byte of the pretoken three list entries, and the heap.
Expect: much for long pretokens, and little for words: with five pairs there is not much to keep in
order. What it gives is a bound for all input.
Trap: an entry of the heap may be stale, because its tokens have been merged with others since.
"""

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

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
        self._ranks = {pair: rank for rank, pair in enumerate(self._merges)}

    def encode_pretoken(self, pretoken: bytes) -> list[int]:
        """The ids of the tokens of a pretoken."""
        check_pretoken(pretoken)
        tokens = merge_by_rank(pretoken, self._merges, self._ranks)
        return [self._ids[token] for token in tokens]


def merge_by_rank(
    pretoken: bytes, merges: Sequence[Pair], ranks: Mapping[Pair, int]
) -> list[bytes]:
    """The tokens of a pretoken.

    >>> merges = [(b"a", b"a"), (b"aa", b"b")]
    >>> merge_by_rank(b"aaab", merges, {merges[0]: 0, merges[1]: 1})
    [b'aa', b'a', b'b']
    """
    # A token stands where its first byte was; the other places are empty. An empty token at the
    # end is the neighbour of the last one. It is that of the first one too: tokens[-1].
    tokens = [*(BYTES[byte] for byte in pretoken), b""]
    before = list(range(-1, len(pretoken)))
    after = list(range(1, len(pretoken) + 2))
    heap = []
    for place, pair in enumerate(zip(tokens, tokens[1:])):
        if pair in ranks:
            heap.append((ranks[pair], place))  # of equal ranks, the leftmost comes first
    heapify(heap)
    while heap:
        rank, place = heappop(heap)
        left, right = merges[rank]
        gone = after[place]
        if tokens[place] != left or tokens[gone] != right:
            continue  # stale
        tokens[place], tokens[gone] = left + right, b""
        after[place] = after[gone]
        before[after[gone]] = place
        for first, second in ((before[place], place), (place, after[place])):
            new_rank = ranks.get((tokens[first], tokens[second]))
            if new_rank is not None:  # it is greater than `rank`: its token is new
                heappush(heap, (new_rank, first))
    return [token for token in tokens if token]
