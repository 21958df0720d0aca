"""Time and memory of one training stage, measured in a fresh process.

Only the call of `learn_merges` is timed.
"""

import gc
import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from cs336_bpe.measure.process import (
    ENOUGH_SECONDS,
    MAX_REPEATS,
    Report,
    in_fresh_process,
    peak_memory,
    reset_peak_memory,
)
from cs336_bpe.rules import Pair, TieBreak
from cs336_bpe.stages import Stage


@dataclass
class Measurement:
    """What one stage did: `seconds` for `num_merges` merges, of `wanted` that were asked for."""

    stage: str
    wanted: int
    num_merges: int
    seconds: float  # the median of `all_seconds`
    all_seconds: list[float]
    whole_seconds: float  # for all merges: extrapolated if not `complete`, else `seconds`
    peak_bytes: int  # resident memory at its peak, less what was there before
    complete: bool  # or cut short, because all merges would have taken longer than the limit
    merges: list[Pair]

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        del values["merges"]
        return values


class _OverLimit(Exception):
    """Raised in a progress call to end a run that takes too long."""


def measure_training(
    stage: Stage,
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    tie_break: TieBreak = "lexicographic",
    limit: float = float("inf"),
    report: Report = lambda done, total: None,
) -> Measurement:
    """Run a training stage, several times if it is quick; cut it short at `limit` seconds."""
    run = in_fresh_process(_measure_here, stage, report, dict(counts), num_merges, tie_break,
                           limit)
    assert isinstance(run, Measurement)
    return run


def _measure_here(pipe: Connection, stage: Stage, counts: dict[bytes, int], num_merges: int,
                  tie_break: TieBreak, limit: float) -> None:
    try:
        learn_merges = stage.load().learn_merges
        target = num_merges
        timeline = [(0, 0.0)]  # merges done, seconds since the start

        def progress(phase: str, done: int, total: int) -> None:
            timeline.append((done, perf_counter() - start))
            pipe.send(("progress", (done, total)))
            if target == num_merges and 0 < done < total and timeline[-1][1] > limit:
                raise _OverLimit

        gc.collect()
        before = reset_peak_memory()
        seconds: list[float] = []
        peak = 0
        while not seconds or (sum(seconds) < ENOUGH_SECONDS and len(seconds) < MAX_REPEATS):
            timeline = [(0, 0.0)]  # of this run alone: points of two runs have no pace in common
            start = perf_counter()
            try:
                merges = learn_merges(counts, target, tie_break=tie_break, progress=progress)
            except _OverLimit:
                target = timeline[-1][0]  # go that far only, this time to the end
                continue
            seconds.append(perf_counter() - start)
            peak = peak or max(0, peak_memory() - before)  # of the first run
        complete = target == num_merges
        median = statistics.median(seconds)
        whole = median if complete else _extrapolate(timeline, num_merges)
        pipe.send(("result", Measurement(
            stage.name, num_merges, len(merges), median, seconds, whole, peak, complete, merges,
        )))
    except BaseException as error:
        pipe.send(("error", error))


def _extrapolate(timeline: list[tuple[int, float]], num_merges: int) -> float:
    """The seconds for all merges, if the rest goes at the pace of the last third done.

    >>> _extrapolate([(0, 0.0), (10, 5.0), (20, 6.0), (30, 7.0)], 100)
    14.0
    """
    done, elapsed = timeline[-1]
    earlier, then = max(point for point in timeline if point[0] <= done * 2 / 3)
    return elapsed + (num_merges - done) * (elapsed - then) / (done - earlier)
