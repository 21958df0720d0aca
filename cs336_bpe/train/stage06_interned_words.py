"""Stage 06: words as lists of integers, and only the neighbourhood of a merge is touched.

Unlike stage 05, which rebuilds a changed word as a new tuple and recounts all of its pairs, this
one changes the word in place, and adjusts only the counts that the merge really changes: with
`(a, b) -> c`, the text `x a b y` loses `(x, a)` and `(b, y)` and gains `(x, c)` and `(c, y)`.
Tokens are integers (their ids), so comparing and hashing them is cheap.

Cost of a changed word: O(its pairs), four dictionary operations each -> four for each place
where the pair occurs, which is mostly one.
Memory: a list of small integers a word instead of a tuple of bytes objects.
Expect: updates several times cheaper; this is the last large gain that plain Python has to offer.
Trap: the index is now only an upper bound. A word that has lost `(x, a)` in one place may still
have it in another, so it stays in the index of `(x, a)`, and visits may be in vain.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping

from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import BYTES, Pair, TieBreak, check_counts, check_size, tie_order

IdPair = tuple[int, int]


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
    words = [(list(word), n) for word, n in check_counts(counts)]
    tokens = list(BYTES)  # id -> bytes
    pair_counts: Counter[IdPair] = Counter()
    words_of: defaultdict[IdPair, set[int]] = defaultdict(set)
    for index, (word, n) in enumerate(words):
        for pair in zip(word, word[1:]):
            pair_counts[pair] += n
            words_of[pair].add(index)

    def entry(pair: IdPair) -> tuple[int, tuple[object, object], IdPair]:
        return -pair_counts[pair], order.urgency((tokens[pair[0]], tokens[pair[1]])), pair

    heap = [entry(pair) for pair in pair_counts]
    heapq.heapify(heap)

    merges: list[Pair] = []
    with reporting(progress, "merge", num_merges) as report:
        while len(merges) < num_merges and heap:
            negative_count, _, best = heapq.heappop(heap)
            if pair_counts.get(best) != -negative_count:
                continue
            left, right = tokens[best[0]], tokens[best[1]]
            merges.append((left, right))
            order.learned((left, right))
            new_id = len(tokens)
            tokens.append(left + right)
            changes: Counter[IdPair] = Counter()
            for index in words_of.pop(best):
                word, n = words[index]
                merge_in_place(word, best, new_id, n, changes, words_of, index)
            del pair_counts[best]
            changes.pop(best, None)  # `aaa` lowers the count of the very pair being merged
            for pair, change in changes.items():
                if change:
                    pair_counts[pair] += change
                    if pair_counts[pair]:
                        heapq.heappush(heap, entry(pair))
                    else:
                        del pair_counts[pair]
                        words_of.pop(pair, None)
            report(len(merges))
    return merges


def merge_in_place(
    word: list[int],
    pair: IdPair,
    new_id: int,
    n: int,
    changes: Counter[IdPair],
    words_of: defaultdict[IdPair, set[int]],
    index: int,
) -> None:
    """Merge the pair in one word, and note which counts that changes."""
    left, right = pair
    i = 0
    while i + 1 < len(word):
        if word[i] == left and word[i + 1] == right:
            if i > 0:
                before = word[i - 1]
                changes[before, left] -= n
                changes[before, new_id] += n
                words_of[before, new_id].add(index)
            if i + 2 < len(word):
                after = word[i + 2]
                changes[right, after] -= n
                changes[new_id, after] += n
                words_of[new_id, after].add(index)
            word[i : i + 2] = [new_id]
        i += 1
