"""Stage 06: only the neighbourhood of a merge is touched.

Unlike stage 05, which rebuilds a changed word as a new tuple and recounts all of its pairs, this
one changes the word in place, and adjusts only the counts that the merge really changes: with
`(a, b) -> c`, the text `x a b y` loses `(x, a)` and `(b, y)` and gains `(x, c)` and `(c, y)`.

Cost of a changed word: four dictionary operations for each of its pairs -> four for each place
where the pair occurs, which is mostly one.
Memory: a list per word instead of a tuple.
Expect: the longer the words, the more is gained, because a word's length no longer matters.
Trap: the index is now only an upper bound. A word that has lost `(x, a)` in one place may still
have it in another, so it stays in the index of `(x, a)`, and some visits find nothing to do.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping

from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import BYTES, Pair, TieBreak, check_counts, check_size, tie_order

Word = list[bytes]


def learn_merges(
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    tie_break: TieBreak = "lexicographic",
    progress: Progress = None,
) -> list[Pair]:
    """Learn up to `num_merges` merges from words and how often each occurs.

    >>> learn_merges({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 3)
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    num_merges = check_size("num_merges", num_merges)
    order = tie_order(tie_break)
    words = [([BYTES[byte] for byte in word], n) for word, n in check_counts(counts)]
    pair_counts: Counter[Pair] = Counter()
    words_of: defaultdict[Pair, set[int]] = defaultdict(set)
    for index, (word, n) in enumerate(words):
        for pair in zip(word, word[1:]):
            pair_counts[pair] += n
            words_of[pair].add(index)
    heap = [(-n, order.urgency(pair), pair) for pair, n in pair_counts.items()]
    heapq.heapify(heap)

    merges: list[Pair] = []
    with reporting(progress, "merge", num_merges) as report:
        while len(merges) < num_merges and heap:
            negative_count, _, best = heapq.heappop(heap)
            if pair_counts.get(best) != -negative_count:
                continue  # stale: a newer entry for this pair is in the heap, or it is gone
            order.learned(best)
            changes: Counter[Pair] = Counter()
            for index in words_of.pop(best):
                word, n = words[index]
                merge_in_place(word, best, n, changes, words_of, index)
            del pair_counts[best]
            changes.pop(best, None)  # `aaa` lowers the count of the very pair being merged
            for pair, change in changes.items():
                if change:
                    pair_counts[pair] += change
                    if pair_counts[pair]:
                        heapq.heappush(heap, (-pair_counts[pair], order.urgency(pair), pair))
                    else:
                        del pair_counts[pair]
                        words_of.pop(pair, None)
            merges.append(best)
            report(len(merges))
    return merges


def merge_in_place(
    word: Word,
    pair: Pair,
    n: int,
    changes: Counter[Pair],
    words_of: defaultdict[Pair, set[int]],
    index: int,
) -> None:
    """Merge the pair in one word, from left to right, and note which counts that changes."""
    left, right = pair
    new = left + right
    i = 0
    while i + 1 < len(word):
        if word[i] == left and word[i + 1] == right:
            if i > 0:
                before = word[i - 1]
                changes[before, left] -= n
                changes[before, new] += n
                words_of[before, new].add(index)
            if i + 2 < len(word):
                after = word[i + 2]
                changes[right, after] -= n
                changes[new, after] += n
                words_of[new, after].add(index)
            word[i : i + 2] = [new]
        i += 1
