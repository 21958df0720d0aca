"""Stage 03: an index from each pair to the words that contain it.

Unlike stage 02, which looks at every word at every merge to find the few that change, this one
remembers for each pair which words hold it, so that a merge visits only those.

Cost of a merge: O(all words) -> O(words that contain the pair). Choosing the best pair is now
what is left: O(all pairs).
Memory: one set entry for each pair of each word.
Expect: large gains once merges become rare; little on the first ones, which touch most words
anyway.
Trap: the index must lose a word when the word loses the pair, or it grows without end and
visits words in vain.
"""

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

    merges: list[Pair] = []
    with reporting(progress, "merge", num_merges) as report:
        while len(merges) < num_merges and pair_counts:
            best = max(pair_counts, key=lambda pair: (pair_counts[pair], order.rank(pair)))
            for index in list(words_of[best]):
                word, n = words[index]
                merged = merge_word(word, best)
                for pair in zip(word, word[1:]):
                    pair_counts[pair] -= n
                    words_of[pair].discard(index)
                    if not pair_counts[pair]:
                        del pair_counts[pair], words_of[pair]
                for pair in zip(merged, merged[1:]):
                    pair_counts[pair] += n
                    words_of[pair].add(index)
                words[index] = merged, n
            merges.append(best)
            order.learned(best)
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
