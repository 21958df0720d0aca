"""Time and memory of one pretokenization stage, measured in a fresh process.

Only the call of `count_pretokens` is timed, and making a dict of what it returns.
"""

import statistics
from dataclasses import asdict, dataclass
from hashlib import sha256
from multiprocessing.connection import Connection
from os import PathLike, fspath
from pathlib import Path
from time import perf_counter
from typing import Any

from cs336_bpe.measure.process import (
    ENOUGH_SECONDS,
    MAX_REPEATS,
    ChildrenMemory,
    Report,
    in_fresh_process,
    peak_memory,
    reset_peak_memory,
)
from cs336_bpe.stages import Stage


@dataclass
class CountMeasurement:
    """What one pretokenization stage did."""

    stage: str
    num_bytes: int
    workers: int
    seconds: float  # the median of `all_seconds`
    all_seconds: list[float]  # until there is a dict of the counts, whoever makes it
    columns_seconds: float  # the median without that dict, for a stage that leaves columns
    peak_bytes: int  # of the process and of those that it starts
    kinds: int
    digest: str  # of the counts, so that stages can be compared

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure_counting(
    stage: Stage,
    path: str | PathLike[str],
    special_tokens: list[str],
    *,
    workers: int = 1,
    report: Report = lambda done, total: None,
) -> CountMeasurement:
    """Run a pretokenization stage, several times if it is quick."""
    children = ChildrenMemory()
    run = in_fresh_process(_count_here, stage, report, fspath(path), special_tokens, workers,
                           look=children.look)
    assert isinstance(run, CountMeasurement)
    run.peak_bytes += children.peak
    return run


def _count_here(pipe: Connection, stage: Stage, path: str, specials: list[str],
                workers: int) -> None:
    try:
        count = stage.load().count_pretokens

        def progress(phase: str, done: int, total: int) -> None:
            pipe.send(("progress", (done, total)))

        before = reset_peak_memory()
        seconds: list[float] = []
        columns_seconds: list[float] = []
        peak = 0
        while not seconds or (sum(seconds) < ENOUGH_SECONDS and len(seconds) < MAX_REPEATS):
            counts: Any = None  # what the run before left is freed here, and not on the clock
            start = perf_counter()
            counts = count(path, specials, workers=workers, progress=progress)
            columns_seconds.append(perf_counter() - start)
            counts.items()  # the dict, if there is none yet
            seconds.append(perf_counter() - start)
            peak = peak or max(0, peak_memory() - before)
        lines = sorted(f"{word.hex()} {n}\n" for word, n in counts.items())
        digest = sha256("".join(lines).encode()).hexdigest()
        pipe.send(("result", CountMeasurement(
            stage.name, Path(path).stat().st_size, workers, statistics.median(seconds), seconds,
            statistics.median(columns_seconds), peak, len(counts), digest)))
    except BaseException as error:
        pipe.send(("error", error))
