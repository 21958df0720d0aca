"""Training that goes on from given merges.

If the text is the one that they were learned from, one longer run begins with the same merges, and
is the answer: the engine learns all of them again, which takes no longer than training does. On any
other text it would begin differently. Then the given merges are made first, whatever their counts,
and the rest is learned one by one, as in stage 06 but simpler; that is slow, and exact.
"""

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import (
    BYTES,
    LearnMerges,
    Pair,
    TieBreak,
    check_counts,
    check_merges,
    tie_order,
)


def check_given(given: Sequence[Pair], num_merges: int) -> list[Pair]:
    """Merges to go on from, if they are consistent and there is room for them."""
    tokens = [*BYTES, *(b"".join(pair) for pair in given)]
    check_merges({token: number for number, token in enumerate(tokens)}, given)
    if len(given) > num_merges:
        raise ValueError(f"continue_from has {len(given)} merges, but the vocabulary has room for "
                         f"only {num_merges}: ask for a larger vocab_size")
    return [(left, right) for left, right in given]


def continue_merges(counts: Mapping[bytes, int], given: list[Pair], num_merges: int,
                    learn_merges: LearnMerges, tie_break: TieBreak,
                    progress: Progress = None) -> list[Pair]:
    """`num_merges` merges, of which the first are given.

    >>> from cs336_bpe.train.stage01_recount_everything import learn_merges
    >>> counts = {b"low": 5, b"lower": 2, b"newest": 6}
    >>> continue_merges(counts, [(b"l", b"o")], 3, learn_merges, "lexicographic")
    [(b'l', b'o'), (b'w', b'e'), (b'we', b's')]
    """
    merges = learn_merges(counts, num_merges, tie_break=tie_break, progress=progress)
    if merges[: len(given)] == given:
        return merges
    words = _Words(counts, tie_break)
    for pair in given:
        words.merge(pair)
    merges = list(given)
    with reporting(progress, "merge", num_merges) as report:
        while len(merges) < num_merges and (best := words.best()) is not None:
            words.merge(best)
            merges.append(best)
            report(len(merges))
    return merges


class _Words:
    """Words as lists of tokens, how often each pair occurs, and where."""

    def __init__(self, counts: Mapping[bytes, int], tie_break: TieBreak) -> None:
        self.order = tie_order(tie_break)
        items = check_counts(counts)
        self.words = [[word[at : at + 1] for at in range(len(word))] for word, _ in items]
        self.times = [times for _, times in items]
        self.counts: dict[Pair, int] = {}
        self.places: dict[Pair, set[int]] = {}
        for number in range(len(self.words)):
            self._count(number, 1)
        self.heap = [(-count, self.order.urgency(pair), pair)
                     for pair, count in self.counts.items()]
        heapify(self.heap)

    def _count(self, number: int, sign: int) -> None:
        """Add the pairs of a word, or take them away."""
        word = self.words[number]
        for pair in zip(word, word[1:]):
            self.counts[pair] = self.counts.get(pair, 0) + sign * self.times[number]
            self.places.setdefault(pair, set()).add(number)

    def best(self) -> Pair | None:
        """The pair to merge next. An entry whose count has changed is put back with the new one."""
        while self.heap:
            count, urgency, pair = self.heap[0]
            if -count == self.counts[pair]:
                return pair if count else None
            heappop(self.heap)
            if self.counts[pair] > 0:
                heappush(self.heap, (-self.counts[pair], urgency, pair))
        return None

    def merge(self, pair: Pair) -> None:
        left, right = pair
        token = left + right
        self.order.learned(pair)
        born: set[Pair] = set()
        for number in self.places.pop(pair, ()):
            self._count(number, -1)
            word, merged, at = self.words[number], [], 0
            while at < len(word):
                if word[at : at + 2] == [left, right]:
                    merged.append(token)
                    at += 2
                else:
                    merged.append(word[at])
                    at += 1
            self.words[number] = merged
            self._count(number, 1)
            born.update(two for two in zip(merged, merged[1:]) if token in two)
        for two in born:
            heappush(self.heap, (-self.counts[two], self.order.urgency(two), two))
