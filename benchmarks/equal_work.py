"""What the benchmarks under pytest share: groups of equal work, and a table for each.

All rows of a group do the same work and have the same result, which is checked before the time is
taken. So a ratio between two rows is one between two programs. A rung that would need more than
`--budget` seconds is left out, with its reason in the table. It is never given less to do.
"""

import importlib
import importlib.metadata
import os
from dataclasses import dataclass, field
from functools import cache
from time import process_time

import pytest

from cs336_bpe import stages
from cs336_bpe.common.amounts import three_digits
from cs336_bpe.measure import ladders

BUDGET = 5.0  # seconds that one run of a row may take; --budget changes it
ENOUGH_SECONDS = 1.0  # a row is run again until its runs take that long
MAX_ROUNDS = 15


@dataclass(frozen=True)
class Group:
    """A piece of work that all rows of a table do."""

    ladder: str
    title: str
    num_bytes: int  # of the text
    num_merges: int = 0  # of a training run
    done: list = field(default_factory=list, compare=False)  # rows of its table, and those skipped

    @property
    def name(self):
        return f"{self.ladder}: {self.title}"


def cpu_seconds():
    """Processor time until now, with that of processes that have ended: it decides which rungs can
    do a piece of work, so that this does not depend on what else the machine does."""
    times = os.times()
    return process_time() + times.children_user + times.children_system


def rungs(ladder):
    """A decorator: a test for every rung, in order. The fixture `stage` makes a stage of its name,
    because only a name can be saved with a run."""
    numbers = [stage.number for stage in stages.ladder(ladder)]
    return pytest.mark.parametrize("stage", [f"{ladder}/{number}" for number in numbers],
                                   indirect=True, ids=numbers)


@cache
def missing(package):
    """Why a peer can't be measured, or an empty string."""
    try:
        importlib.import_module(package)
    except ImportError as error:
        return f"{package} is not installed ({error}): pip install -e '.[bench]'"
    return ""


def peer_name(package):
    """The row of a peer. It sorts after the rungs, also in pytest-benchmark's own table."""
    return f"theirs: {package} {importlib.metadata.version(package)}"


def skip(group, name, reason):
    """Leave a row out, and say so in the table."""
    group.done.append({"group": group.name, "name": name, "skipped": reason})
    pytest.skip(f"{name}: {reason}")


def skip_if_too_slow(group, name, seconds, budget):
    """A row that can't do the work in time does not do a part of it."""
    if seconds > budget:
        skip(group, name, f"would take about {three_digits(seconds)} s, more than "
                          f"--budget={budget:g}")


def time_row(benchmark, group, name, call, *, make=tuple, seconds=None, stage=None, **more):
    """Time `call(*make())` as a row of a group, and return the result of its last run.

    `make` is run before every round, and is not timed: an encoder with an empty cache. `seconds` is
    about how long a round takes, which decides how often it is run.
    """
    benchmark.group, benchmark.name = group.name, name
    if seconds is None:
        arguments = make()
        start = cpu_seconds()
        call(*arguments)
        seconds = cpu_seconds() - start
    rounds = max(1, min(MAX_ROUNDS, int(ENOUGH_SECONDS / max(seconds, 1e-9))))
    found = benchmark.pedantic(call, setup=lambda: (make(), {}), rounds=rounds)
    benchmark.extra_info.update(
        ladder=group.ladder, stage=stage.name if stage else None, num_bytes=group.num_bytes,
        num_merges=group.num_merges, **more)
    if benchmark.stats is not None:  # it is None with --benchmark-disable
        median = benchmark.stats.stats.median
        benchmark.extra_info["bytes_per_second"] = group.num_bytes / median
        if group.num_merges:
            benchmark.extra_info["merges_per_second"] = group.num_merges / median
        group.done.append({
            "group": group.name, "name": name,
            "stats": {key: getattr(benchmark.stats.stats, key) for key in ("median", "min", "max")},
            "extra_info": dict(benchmark.extra_info)})
    return found


# --- Tables ------------------------------------------------------------------------------------


def by_group(rows):
    """The rows of a run, of this one or of a saved one, by their group, in the order of the run."""
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    for name, group in groups.items():
        groups[name] = sorted(group, key=lambda row: row["name"])
    return groups


def as_ladder_row(row):
    """As measure/ladders.py has them, so that its ratios can be taken."""
    seconds = row["stats"]["median"]
    info = row["extra_info"]
    return {"stage": info["stage"] or row["name"], "seconds": seconds, "whole_seconds": seconds,
            "bytes_per_second": info["bytes_per_second"]}


def cells(rows):
    """The table of one group, from rows as pytest-benchmark saves them. Skipped rows have none."""
    rows = [row for row in rows if "stats" in row]
    measured = [as_ladder_row(row) for row in rows]
    ours = [one for one, row in zip(measured, rows) if row["extra_info"]["stage"]]
    merging = any("merges_per_second" in row["extra_info"] for row in rows)
    first, last = (ladders.number(one) for one in (ours[0], ours[-1])) if ours else ("", "")
    header = ("row", "median", "least", "MB/s", *(["merges/s"] if merging else []), "x before",
              f"x {first}", f"of {last}'s time", "idea")
    table = [header]
    for row, one in zip(rows, measured):
        info = row["extra_info"]
        gains = ["", ""]
        if ours:
            before = ladders.predecessor(info["ladder"], ours, one)
            gains = ["" if other is None or other is one
                     else three_digits(other["seconds"] / one["seconds"])
                     for other in (before, ours[0])]
            place = ours.index(one) if one in ours else 0
            if gains[0] and ours[place - 1] is not before:
                gains[0] += f" ({ladders.number(before).removeprefix('stage')})"
        stage = info["stage"] and stages.find(info["ladder"], info["stage"])
        table.append((
            row["name"], readable(row["stats"]["median"]), readable(row["stats"]["min"]),
            three_digits(info["bytes_per_second"] / 1e6),
            *([three_digits(info["merges_per_second"])] if merging else []), *gains,
            three_digits(one["seconds"] / ours[-1]["seconds"]) + "x" if ours else "",
            stage.idea if stage else info.get("agrees", "")))
    return table


def skipped(rows):
    """A line for every row that was left out."""
    return [f"{row['name']}: {row['skipped']}" for row in rows if "skipped" in row]


def readable(seconds):
    """A time with its unit.

    >>> [readable(seconds) for seconds in (12.34, 0.01234, 0.000012)]
    ['12.3 s', '12.3 ms', '12.0 us']
    """
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{three_digits(seconds / size)} {unit}"
    return f"{three_digits(seconds / 1e-6)} us"
