"""A page on which one steps through the lazy heap of training: what is pushed, and what is stale.

Stage 05 is run and watched. Whenever its heap or its counts have changed, that is a step.
"""

from collections.abc import Mapping
from typing import Any

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.pages.page import byte_string, write_page
from cs336_bpe.pages.play.watching import watch
from cs336_bpe.pages.play.words import words_to_show
from cs336_bpe.rules import Pair
from cs336_bpe.train.stage05_lazy_heap import learn_merges

NUM_MERGES = 12
Entry = tuple[int, Any, Pair]


def write_heap_page(path: AnyPath, counts: Mapping[bytes, int] | None = None,
                    num_merges: int = NUM_MERGES, *,
                    title: str = "A heap with stale entries") -> int:
    """Write a page that steps through the heap of training on a few words; return its size in
    bytes. The words are those of `write_training_page`.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     size = write_heap_page(Path(folder, "heap.html"), {b"banana": 2, b"band": 1})
    ...     size == Path(folder, "heap.html").stat().st_size
    True
    """
    words = words_to_show(counts)
    watcher = Watcher()
    merges = watch(learn_merges, dict(words), num_merges, look=watcher.look)
    return write_page(path, "play/heap", title, {
        "words": [[byte_string(word), n] for word, n in words],
        "merges": [list(map(byte_string, merge)) for merge in merges],
        "steps": watcher.steps,
    })


class Watcher:
    """Notes what a lazy heap goes through."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.heap: list[Entry] = []
        self.counts: dict[Pair, int] = {}

    def look(self, variables: Mapping[str, Any]) -> None:
        """Make a step of what has changed since the last look."""
        if "merges" not in variables:
            return  # the heap is not ready yet
        heap, counts = variables["heap"], variables["pair_counts"]
        if not self.steps:
            self.note("start", variables)
        elif len(heap) < len(self.heap):
            count, _, pair = self.heap[0]
            self.note("pop" if counts.get(pair) == -count else "stale", variables, pair, -count)
        elif len(heap) > len(self.heap):
            pair = variables["pair"]
            self.note("push", variables, pair, counts[pair], self.counts.get(pair, 0))
        elif len(counts) < len(self.counts):
            pair = (self.counts.keys() - counts.keys()).pop()
            if any(entry[2] == pair for entry in heap):  # not the one that has just been merged
                self.note("gone", variables, pair, 0, self.counts[pair])
            self.counts = dict(counts)

    def note(self, kind: str, variables: Mapping[str, Any], pair: Pair | None = None,
             count: int = 0, before: int = 0) -> None:
        """A step, and everything as it is after it."""
        self.heap, self.counts = list(variables["heap"]), dict(variables["pair_counts"])
        self.steps.append({
            "kind": kind, "pair": pair and list(map(byte_string, pair)), "count": count,
            "before": before, "merged": len(variables["merges"]),
            "heap": [[*map(byte_string, entry[2]), -entry[0]] for entry in self.heap],
            "words": [list(map(byte_string, word)) for word, _ in variables["words"]],
            "counts": [[*map(byte_string, pair), n] for pair, n in self.counts.items()],
        })
