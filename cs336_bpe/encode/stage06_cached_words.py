"""Stage 06: a cache of the pretokens that have been seen.

Unlike stage 05, which encodes ` the` anew each time it comes, this one keeps the result. Text
repeats itself: of a million words of English, nine in ten have occurred before.

The cache is bounded. It has two halves, a young and an old one. A result is put into the young
half; when that is full, it becomes the old half, and what was the old half is forgotten. A word
that is found in the old half moves to the young one, so what is in use stays, and what came once
goes. Long pretokens are not kept: they seldom come again, and with them a bound on the number of
results would be no bound on memory.

Cost of a pretoken: one look-up in a dictionary, if it is in the cache; as in stage 05, if not.
Memory: at most 2 x 65,536 results (and one for each thread that was just putting one in) for
pretokens of at most 64 bytes: some 30 MB for words, 100 MB at the very worst.
Expect: the longer the text, the more: nothing on the first page, ten times where it repeats itself.
Trap: a list that is kept and handed out can be changed by whoever got it. So tuples are kept, and
everybody gets a list of their own.
"""

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from cs336_bpe.rules import BYTES, Pair, check_pretoken, check_vocab

HALF = 65_536
LONGEST_KEPT = 64


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
        self._young: dict[bytes, tuple[int, ...]] = {}
        self._old: dict[bytes, tuple[int, ...]] = {}

    def encode_pretoken(self, pretoken: bytes) -> list[int]:
        """The ids of the tokens of a pretoken."""
        if not isinstance(pretoken, bytes):  # a call for each pretoken would cost a third
            check_pretoken(pretoken)
        known = self._young.get(pretoken)
        if known is None:
            known = self._old.get(pretoken)
            if known is None:
                tokens = merge_by_rank(pretoken, self._merges, self._ranks)
                known = tuple([self._ids[token] for token in tokens])
            if len(pretoken) <= LONGEST_KEPT:
                self._remember(pretoken, known)
        return list(known)

    def _remember(self, pretoken: bytes, ids: tuple[int, ...]) -> None:
        # No lock. A single operation on a dictionary is safe, and if two threads both find the
        # young half full, results are forgotten too early: never wrong ones, and never too many.
        young = self._young
        if len(young) >= HALF:
            self._old = young
            self._young = young = {}
        young[pretoken] = ids


def merge_by_rank(
    pretoken: bytes, merges: Sequence[Pair], ranks: Mapping[Pair, int]
) -> list[bytes]:
    """The tokens of a pretoken."""
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
