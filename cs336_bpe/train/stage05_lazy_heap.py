"""Stage 05: a heap that is allowed to hold stale entries.

Unlike stage 04, which takes a pair out of the sorted set and puts it back whenever its count
changes, this one only ever pushes: a changed pair gets a new entry in a heap, and the old entry
stays behind. It is recognised when it surfaces, because its count is no longer the pair's count,
and thrown away then.

Cost of a changed pair: two operations on a sorted set -> one push. Cost of choosing: O(1) -> one
pop for each stale entry on top; every entry is popped at most once.
Memory: one entry for each change, not for each pair. That is what laziness costs.
Expect: choosing becomes a small part of the whole, and what is left is the update of the words.
Trap: `heapq` gives the smallest first, ties included. Negating the count is not enough: the
pair must be turned round as well, see `LexicographicOrder.urgency`.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping

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
                    pair_counts[pair] += change
                    if pair_counts[pair]:
                        heapq.heappush(heap, (-pair_counts[pair], order.urgency(pair), pair))
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
