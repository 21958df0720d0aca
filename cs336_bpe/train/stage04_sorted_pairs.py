"""Stage 04: a sorted set keeps the best pair at hand.

Unlike stage 03, which looks at every pair to find the best one, this one keeps all pairs sorted
by (count, pair) in a `SortedSet` of the `sortedcontainers` package. The best is the last.

Cost of choosing: O(all pairs) -> O(1). Cost of keeping order: O(log pairs) for each pair whose
count changed in the merge, once to take it out and once to put it in.
Memory: one tuple a pair in the sorted set.
Expect: a large gain on big vocabularies, where there are 100 000 pairs and a merge changes a
hundred of them. On small ones the sorted set costs as much as it saves.
Trap: an entry must be taken out under its *old* count, or the set does not find it. So gather
what a merge changes first, and move each changed pair once.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping

from sortedcontainers import SortedSet

from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import BYTES, Pair, TieBreak, check_counts, check_size, tie_order

Word = tuple[bytes, ...]


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
    words = [(tuple(BYTES[byte] for byte in word), n) for word, n in check_counts(counts)]
    pair_counts: Counter[Pair] = Counter()
    words_of: defaultdict[Pair, set[int]] = defaultdict(set)
    for index, (word, n) in enumerate(words):
        for pair in zip(word, word[1:]):
            pair_counts[pair] += n
            words_of[pair].add(index)
    by_count = SortedSet((n, order.rank(pair), pair) for pair, n in pair_counts.items())

    merges: list[Pair] = []
    with reporting(progress, "merge", num_merges) as report:
        while len(merges) < num_merges and by_count:
            best: Pair = by_count[-1][2]
            order.learned(best)
            changes: Counter[Pair] = Counter()
            for index in list(words_of[best]):
                word, n = words[index]
                merged = merge_word(word, best)
                for pair in zip(word, word[1:]):
                    changes[pair] -= n
                    words_of[pair].discard(index)
                for pair in zip(merged, merged[1:]):
                    changes[pair] += n
                    words_of[pair].add(index)
                words[index] = merged, n
            for pair, change in changes.items():
                if change:
                    rank, before = order.rank(pair), pair_counts[pair]
                    by_count.discard((before, rank, pair))
                    pair_counts[pair] = before + change
                    if pair_counts[pair]:
                        by_count.add((pair_counts[pair], rank, pair))
                    else:
                        del pair_counts[pair], words_of[pair]
            merges.append(best)
            report(len(merges))
    return merges


def merge_word(word: Word, pair: Pair) -> Word:
    """Replace the pair by one token wherever it occurs, from left to right."""
    left, right = pair
    merged = []
    i = 0
    while i < len(word):
        if word[i] == left and i + 1 < len(word) and word[i + 1] == right:
            merged.append(left + right)
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)
