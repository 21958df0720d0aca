"""Stage 02: keep the counts, and recount only the words that changed.

Unlike stage 01, which counts all pairs of all words again before every merge, this one counts
them once. A merge changes the pairs only in those words that contain it: take the old pairs of
such a word out of the counts, put its new ones in.

Cost of a merge: counting goes from O(all bytes) to O(bytes of the words that changed). Finding
those words still means looking at every word, but a look is cheap: is the left token in it?
Memory: as before, and one dictionary of pair counts that lives on.
Expect: a large gain, because a typical merge changes less than one word in a hundred.
Trap: a count that falls to zero must leave the dictionary. Else, when all counts are zero, the
pair that "wins" does not exist, and merges are learned that merge nothing.
"""

from collections import Counter
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
    for word, n in words:
        add_pairs(pair_counts, word, n)

    merges: list[Pair] = []
    with reporting(progress, "merge", num_merges) as report:
        while len(merges) < num_merges and pair_counts:
            best = max(pair_counts, key=lambda pair: (pair_counts[pair], order.rank(pair)))
            for index, (word, n) in enumerate(words):
                if best[0] not in word:
                    continue
                merged = merge_word(word, best)
                if len(merged) < len(word):
                    add_pairs(pair_counts, word, -n)
                    add_pairs(pair_counts, merged, n)
                    words[index] = merged, n
            merges.append(best)
            order.learned(best)
            report(len(merges))
    return merges


def add_pairs(pair_counts: Counter[Pair], word: Word, n: int) -> None:
    """Add `n` to the count of each pair in the word; `n` is negative to take them out."""
    for pair in zip(word, word[1:]):
        pair_counts[pair] += n
        if not pair_counts[pair]:
            del pair_counts[pair]


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
