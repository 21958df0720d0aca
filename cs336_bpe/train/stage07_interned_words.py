"""Stage 07: tokens are small integers, their ids.

Unlike stage 06, whose words are lists of byte strings, this one has lists of integers. Token 256
is what the first merge made, and so on; the bytes of a token are looked up only where ties and
results need them. A pair of integers is hashed and compared without a look at any byte.

Cost of a merge: as stage 06, with cheaper comparisons and hashes.
Memory: as stage 06. Python keeps one object for each of the integers up to 256, as stage 06 did
for each byte; a later token is one object that all its places share.
Expect: something, because the dictionaries hash two tokens at every step. But a byte string
remembers its hash once it is known, so less than it seems.
Trap: ties are still decided by bytes, not by ids. An id says when a token was made.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping

from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import BYTES, Pair, TieBreak, check_counts, check_size, tie_order

Word = list[int]
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
                continue  # stale: a newer entry for this pair is in the heap, or it is gone
            left, right = tokens[best[0]], tokens[best[1]]
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
            merges.append((left, right))
            report(len(merges))
    return merges


def merge_in_place(
    word: Word,
    pair: IdPair,
    new_id: int,
    n: int,
    changes: Counter[IdPair],
    words_of: defaultdict[IdPair, set[int]],
    index: int,
) -> None:
    """Merge the pair in one word, from left to right, and note which counts that changes."""
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
