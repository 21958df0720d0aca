"""Rungs by their ideas, and work that is done in a process of its own."""

import os
import statistics
from dataclasses import replace
from time import perf_counter

from cs336_bpe import stages
from cs336_bpe.measure.process import Call, measure_call
from cs336_bpe.measure.training import Measurement
from cs336_bpe.reproduce.texts import Text
from cs336_bpe.reproduce.verdicts import Line
from cs336_bpe.rules import END_OF_TEXT

SPECIALS = [END_OF_TEXT]
PUBLISHED_PROCESSES = 16
ENOUGH_MERGES = 0.05  # of all: then the rest may be extrapolated for a ratio
REAL_COUNTS = "TinyStories-train, from saved counts"


def rung(ladder: str, idea: str) -> stages.Stage:
    """A stage by its idea, which stays when stages are numbered anew.

    >>> rung("train", "pair_index").predecessor
    'stage02_incremental_counts'
    """
    for stage in stages.STAGES:
        if stage.ladder == ladder and stage.name.partition("_")[2] == idea:
            return stage
    raise ValueError(f"no stage of {ladder} has the idea {idea!r}")


def label(*rungs: stages.Stage) -> str:
    """
    >>> label(rung("train", "pair_index"), stages.find("train"))
    'train stage03 and stage13'
    """
    ladders = dict.fromkeys(stage.ladder for stage in rungs)
    return ", ".join(f"{ladder} " + " and ".join(stage.number for stage in rungs
                                                 if stage.ladder == ladder) for ladder in ladders)


def cores() -> int:
    return os.cpu_count() or 1


def last_of(ladder: str) -> stages.Stage:
    return stages.find(ladder)


def train_whole(path: str, vocab_size: int, count: stages.Stage, train: stages.Stage,
                workers: int) -> dict[str, float]:
    """A whole run, from a file to the merges: the seconds of both phases. In a fresh process."""
    start = perf_counter()
    counts = count.load().count_pretokens(path, SPECIALS, workers=workers)
    counted = perf_counter()
    merges = train.load().learn_merges(counts, vocab_size - 257)
    return {"count": counted - start, "merge": perf_counter() - counted,
            "total": perf_counter() - start, "merges": len(merges)}


def measure_whole(text: Text, vocab_size: int, count: stages.Stage, train: stages.Stage,
                  workers: int, repeats: int = 1) -> Call:
    """`train_whole` in fresh processes; the run with the median time."""
    count.load()
    train.load()
    calls = [measure_call(train_whole, os.fspath(text.path), vocab_size, count, train, workers)
             for _ in range(repeats)]
    middle = statistics.median_low([call.value["total"] for call in calls])
    return next(call for call in calls if call.value["total"] == middle)


def timed(figure: str, name: str, seconds: float, text: Text, *rungs: stages.Stage,
          last: bool = False, grows: bool = False, note: str = "") -> Line:
    """A line for seconds. If the time grows with the text, it is scaled to the published size;
    else seconds on another text can't be compared."""
    scaled = grows and bool(text.difference)
    return Line(figure, name, seconds * (text.factor if scaled else 1), label(*rungs), text.label,
                last, scaled, "" if scaled else text.difference, note)


def judged(line: Line, run: Measurement) -> Line:
    """A line that rests on a training run: it says so if the run was cut short."""
    if run.complete:
        return line
    return replace(line, reason=line.reason or too_few(run), note="; ".join(filter(None, [
        line.note, f"extrapolated from {run.num_merges:,} of {run.wanted:,} merges"])))


def too_few(*runs: Measurement) -> str:
    """Why a gain between training runs says nothing: one of them has hardly begun."""
    for run in runs:
        if not run.complete and run.num_merges < ENOUGH_MERGES * run.wanted:
            return (f"within its time limit {run.stage.partition('_')[0]} did only "
                    f"{run.num_merges:,} of {run.wanted:,} merges")
    return ""
