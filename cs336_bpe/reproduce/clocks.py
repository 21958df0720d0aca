"""Parts of a stage timed apart: choosing the best pair, counting, and everything else.

The stages are not touched. A name that a stage's module looks up (`max`, `count_pairs`, `heapq`)
is replaced in that module, for one run, by the same with a clock around it.
"""

import heapq
from collections.abc import Callable, Mapping
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from cs336_bpe import stages
from cs336_bpe.measure.process import measure_call


class Clock:
    """Counts the seconds of calls."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **keywords: Any) -> Any:
            start = perf_counter()
            try:
                return function(*arguments, **keywords)
            finally:
                self.seconds += perf_counter() - start
        return timed


def measure_parts(stage: stages.Stage, counts: Mapping[bytes, int],
                  num_merges: int) -> dict[str, float]:
    """Seconds of a training stage in plain Python: `choosing`, `counting`, `rest` and `total`.

    >>> from cs336_bpe.stages import find
    >>> parts = parts_of(find("train", "stage01"), {b"low": 5, b"lower": 2}, 2)
    >>> sorted(parts), parts["merges"], 0 < parts["choosing"] + parts["rest"] <= parts["total"]
    (['choosing', 'counting', 'merges', 'rest', 'total'], 2, True)
    """
    parts: dict[str, float] = measure_call(parts_of, stage, dict(counts), num_merges).value
    return parts


def parts_of(stage: stages.Stage, counts: dict[bytes, int], num_merges: int) -> dict[str, float]:
    """The same here, in this process."""
    module = stage.load()
    choosing, counting = Clock(), Clock()
    clocked: dict[str, Any] = {"max": choosing.around(max)}
    if hasattr(module, "count_pairs"):
        clocked["count_pairs"] = counting.around(module.count_pairs)
    if hasattr(module, "heapq"):
        clocked["heapq"] = SimpleNamespace(
            heappop=choosing.around(heapq.heappop), heappush=heapq.heappush,
            heapify=heapq.heapify)
    before = {name: getattr(module, name) for name in clocked if hasattr(module, name)}
    try:
        for name, value in clocked.items():
            setattr(module, name, value)
        start = perf_counter()
        merges = module.learn_merges(counts, num_merges)
        total = perf_counter() - start
    finally:
        for name in clocked:
            if name in before:
                setattr(module, name, before[name])
            else:
                delattr(module, name)
    return {"choosing": choosing.seconds, "counting": counting.seconds, "merges": len(merges),
            "rest": total - choosing.seconds - counting.seconds, "total": total}
