"""Time and memory of one stage, measured in a fresh process.

A fresh process, because memory that one stage has freed is given to the next, and because what
one stage leaves in the caches helps the next. Only the call of the stage's function is timed.
"""

import gc
import multiprocessing
import resource
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from multiprocessing.connection import Connection
from os import PathLike, fspath
from pathlib import Path
from time import perf_counter
from typing import Any

from cs336_bpe.interface import Pair, TieBreak
from cs336_bpe.stages import Stage

Report = Callable[[int, int], None]

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


@dataclass
class CountMeasurement:
    """What one pretokenization stage did."""

    stage: str
    num_bytes: int
    workers: int
    seconds: float  # the median of `all_seconds`
    all_seconds: list[float]  # until there is a dict of the counts, whoever makes it
    columns_seconds: float  # the median without that dict, for a stage that leaves columns
    peak_bytes: int
    kinds: int
    digest: str  # of the counts, so that stages can be compared

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class _OverLimit(Exception):
    """Raised in a progress call to end a run that takes too long."""


def measure(
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


def measure_counting(
    stage: Stage,
    path: str | PathLike[str],
    special_tokens: list[str],
    *,
    workers: int = 1,
    report: Report = lambda done, total: None,
) -> CountMeasurement:
    """Run a pretokenization stage, several times if it is quick."""
    run = in_fresh_process(_count_here, stage, report, fspath(path), special_tokens, workers)
    assert isinstance(run, CountMeasurement)
    return run


def in_fresh_process(target: Callable[..., None], stage: Stage, report: Callable[..., None],
                     *arguments: object) -> object:
    """Call `target(pipe, stage, *arguments)` in a new process and return the result it sends.

    What it sends as "progress" on the way goes to `report`; an "error" is raised here.
    """
    stage.load()  # if it can't be imported, say so here
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(there, stage, *arguments))
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
                return value
    except EOFError:
        raise RuntimeError(f"the process that measured {stage.name} died") from None
    finally:
        here.close()
        process.terminate()
        process.join()


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
            start = perf_counter()
            try:
                merges = learn_merges(counts, target, tie_break=tie_break, progress=progress)
            except _OverLimit:
                target = timeline[-1][0]  # go that far only, this time to the end
                timeline = [(0, 0.0)]
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


def reset_peak_memory() -> int:
    """Forget the peak so far, where the system can, and return the memory in use."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return peak_memory()


def peak_memory() -> int:
    """Resident memory at its peak since the start, or since it was reset."""
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
