"""Time and memory of one training stage, measured in a fresh process.

A fresh process, because memory that one stage has freed is given to the next, and because what
one stage leaves in the caches helps the next. Only the call of `learn_merges` is timed.
"""

import gc
import multiprocessing
import resource
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

from cs336_bpe.interface import Pair, TieBreak
from cs336_bpe.stages import Stage

MAX_REPEATS = 7
ENOUGH_SECONDS = 1.0


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


def measure(
    stage: Stage,
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    tie_break: TieBreak = "lexicographic",
    limit: float = float("inf"),
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Measurement:
    """Run a stage, several times if it is quick; cut it short if it would exceed `limit` s."""
    stage.load()  # if it can't be imported, say so here
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(
        target=_measure_here, args=(there, stage, dict(counts), num_merges, tie_break, limit)
    )
    process.start()
    there.close()
    try:
        while True:
            kind, value = here.recv()
            if kind == "progress":
                report(*value)
            elif kind == "error":
                raise value
            else:
                assert isinstance(value, Measurement)
                return value
    except EOFError:
        raise RuntimeError(f"the process that measured {stage.name} died") from None
    finally:
        here.close()
        process.terminate()
        process.join()


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
        before = _reset_peak_memory()
        seconds: list[float] = []
        peak = 0
        while not seconds or (sum(seconds) < ENOUGH_SECONDS and len(seconds) < MAX_REPEATS):
            start = perf_counter()
            try:
                merges = learn_merges(counts, target, tie_break=tie_break, progress=progress)
            except _OverLimit:
                target = timeline[-1][0]  # go that far only, this time to the end
                timeline = [(0, 0.0)]
                continue
            seconds.append(perf_counter() - start)
            peak = peak or max(0, _peak_memory() - before)  # of the first run
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


def _reset_peak_memory() -> int:
    """Forget the peak so far, where the system can, and return the memory in use."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return _peak_memory()


def _peak_memory() -> int:
    try:
        return _status("VmHWM")
    except OSError:
        kilo = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kilo


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {name} in /proc/self/status")
