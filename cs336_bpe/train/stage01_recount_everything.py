"""Stage 01: the definition. Count every pair, merge the most frequent one, start again.

This is byte-pair encoding as one would explain it on paper, and it is the oracle: every other
stage must return exactly what this one returns.

Cost of a merge: O(all bytes of all words), once to count and once to rewrite.
Memory: one tuple of tokens a word.
Trap: the most frequent pair is not unique. Which one wins must not depend on the order in which
a dictionary happens to list them; see rule 3 in `docs/start/rules.md`.
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

    merges: list[Pair] = []
    with reporting(progress, "merge", num_merges) as report:
        while len(merges) < num_merges:
            pair_counts = count_pairs(words)
            if not pair_counts:
                break
            best = max(pair_counts, key=lambda pair: (pair_counts[pair], order.rank(pair)))
            words = [(merge_word(word, best), n) for word, n in words]
            merges.append(best)
            order.learned(best)
            report(len(merges))
    return merges


def count_pairs(words: list[tuple[Word, int]]) -> Counter[Pair]:
    """How often each pair of neighbours occurs, overlapping ones included."""
    pair_counts: Counter[Pair] = Counter()
    for word, n in words:
        for pair in zip(word, word[1:]):
            pair_counts[pair] += n
    return pair_counts


def merge_word(word: Word, pair: Pair) -> Word:
    """Replace the pair by one token wherever it occurs, from left to right.

    >>> merge_word((b"a", b"a", b"a"), (b"a", b"a"))
    (b'aa', b'a')
    """
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
