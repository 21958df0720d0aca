"""Detour: count the pairs in parallel processes.

Unlike stage 01, which counts all pairs in one loop, this one cuts the words into batches, has a
pool of processes count them, and adds up what comes back. It is the first thing that many people
try when stage 01 is too slow, with the knobs that they try next: how many processes
(`max_workers`), one pool for all merges or a new one for each (`reuse_pool`), how many words go
into one task (`batch_size`), and leaving rare words out (`min_frequency`).

Cost of a merge: stage 01's counting, divided by the processes; plus pickling every word to a
process and every count back, at every merge, because the words have changed.
Memory: a copy of the words in each process, besides the pickled ones on their way.
Expect: see docs/train/detour_process_pool.md, where each knob is measured.
Trap: `min_frequency` above 1 is not an optimisation but another input. Rare words are many, and
their pairs add up: the merges change.
"""

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from types import TracebackType

from cs336_bpe.common.families import end_with_parent
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import BYTES, Pair, TieBreak, check_counts, check_size, tie_order

Word = tuple[bytes, ...]


def learn_merges(
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    tie_break: TieBreak = "lexicographic",
    progress: Progress = None,
    max_workers: int = 2,
    reuse_pool: bool = True,
    batch_size: int = 10_000,
    min_frequency: int = 1,
) -> list[Pair]:
    """Learn up to `num_merges` merges from words and how often each occurs."""
    with ProcessPoolTrainer(max_workers=max_workers, reuse_pool=reuse_pool,
                            batch_size=batch_size, min_frequency=min_frequency) as trainer:
        return trainer.learn_merges(counts, num_merges, tie_break=tie_break, progress=progress)


class ProcessPoolTrainer:
    """Stage 01 with a pool of processes around the counting. Use it as a context manager.

    >>> with ProcessPoolTrainer(max_workers=2, batch_size=2) as trainer:
    ...     trainer.learn_merges({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 2)
    [(b's', b't'), (b'e', b'st')]
    """

    def __init__(self, *, max_workers: int = 2, reuse_pool: bool = True,
                 batch_size: int = 10_000, min_frequency: int = 1) -> None:
        self.max_workers = check_size("max_workers", max_workers, 1)
        self.reuse_pool = reuse_pool
        self.batch_size = check_size("batch_size", batch_size, 1)
        self.min_frequency = check_size("min_frequency", min_frequency, 1)
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "ProcessPoolTrainer":
        if self.reuse_pool:
            self._pool = ProcessPoolExecutor(self.max_workers, initializer=end_with_parent)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def learn_merges(
        self,
        counts: Mapping[bytes, int],
        num_merges: int,
        *,
        tie_break: TieBreak = "lexicographic",
        progress: Progress = None,
    ) -> list[Pair]:
        """Learn up to `num_merges` merges from the words that occur often enough."""
        num_merges = check_size("num_merges", num_merges)
        order = tie_order(tie_break)
        words = [(tuple(BYTES[byte] for byte in word), n)
                 for word, n in check_counts(counts) if n >= self.min_frequency]

        merges: list[Pair] = []
        with reporting(progress, "merge", num_merges) as report:
            while len(merges) < num_merges:
                pair_counts = self._count_pairs(words)
                if not pair_counts:
                    break
                best = max(pair_counts, key=lambda pair: (pair_counts[pair], order.rank(pair)))
                words = [(merge_word(word, best), n) for word, n in words]
                merges.append(best)
                order.learned(best)
                report(len(merges))
        return merges

    def _count_pairs(self, words: list[tuple[Word, int]]) -> Counter[Pair]:
        batches = [words[start : start + self.batch_size]
                   for start in range(0, len(words), self.batch_size)]
        total: Counter[Pair] = Counter()
        if self.reuse_pool:
            if self._pool is None:
                raise RuntimeError("the pool is closed; use the trainer inside `with`")
            for part in self._pool.map(count_pairs, batches):
                total.update(part)
        else:
            with ProcessPoolExecutor(self.max_workers, initializer=end_with_parent) as pool:
                for part in pool.map(count_pairs, batches):
                    total.update(part)
        return total


def count_pairs(words: list[tuple[Word, int]]) -> Counter[Pair]:
    """How often each pair of neighbours occurs in one batch of words."""
    pair_counts: Counter[Pair] = Counter()
    for word, n in words:
        for pair in zip(word, word[1:]):
            pair_counts[pair] += n
    return pair_counts


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
