"""Run a ladder rung by rung, check that all rungs agree, and tabulate what each one gains."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

from cs336_bpe import stages
from cs336_bpe.interface import Pair, TieBreak
from cs336_bpe.measure import Measurement, measure


class StagesDisagree(AssertionError):
    """Two stages learnt different merges; no time is worth showing before that is mended."""


@dataclass
class Row:
    """One line of the table."""

    stage: stages.Stage
    run: Measurement
    gain: float | None  # how many times faster than the rung before
    total_gain: float | None  # how many times faster than the first rung
    estimated: bool  # whether a gain rests on an extrapolated time

    def as_json(self) -> dict[str, Any]:
        return {"idea": self.stage.idea, "gain": self.gain, "total_gain": self.total_gain,
                "estimated": self.estimated, **self.run.as_json()}


def run_training_ladder(
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    rungs: Iterable[stages.Stage] | None = None,
    tie_break: TieBreak = "lexicographic",
    limit: float | Mapping[str, float] = 15.0,
    report: Callable[[stages.Stage, int, int], None] = lambda stage, done, total: None,
) -> list[Row]:
    """Measure every rung, each in a fresh process, and compare all merges before returning.

    A rung that takes more than `limit` seconds does only as many merges as fit; its time for all
    of them is extrapolated, and the row says so. The limit may depend on the stage's number.
    """
    rows: list[Row] = []
    for stage in stages.ladder("train") if rungs is None else rungs:
        seconds = limit if isinstance(limit, (int, float)) else limit.get(stage.number, inf)
        run = measure(stage, counts, num_merges, tie_break=tie_break, limit=seconds,
                      report=partial(report, stage))
        gain = total_gain = None
        estimated = False
        if rows:
            before, first = rows[-1].run, rows[0].run
            gain = before.whole_seconds / run.whole_seconds
            total_gain = first.whole_seconds / run.whole_seconds
            estimated = not (run.complete and before.complete and first.complete)
        rows.append(Row(stage, run, gain, total_gain, estimated))
    check_agreement([(row.stage.name, row.run.merges) for row in rows])
    return rows


def check_agreement(results: list[tuple[str, list[Pair]]]) -> None:
    """Raise unless all merge lists are equal, as far as the shorter of two goes.

    >>> check_agreement([("one", [(b"a", b"b")]), ("two", [(b"a", b"b"), (b"ab", b"c")])])
    """
    longest_name, longest = max(results, key=lambda result: len(result[1]))
    for name, merges in results:
        if merges != longest[: len(merges)]:
            at = next(i for i, pair in enumerate(merges) if pair != longest[i])
            raise StagesDisagree(f"{name} and {longest_name} disagree at merge {at}: "
                                 f"{merges[at]} and {longest[at]}")


HEADER = ("stage", "seconds", "x before", "x stage01", "merges/s", "peak MB", "idea")


def table(rows: list[Row]) -> list[tuple[str, ...]]:
    """The cells of the table, as text. `~` marks what rests on an extrapolated time."""
    cells: list[tuple[str, ...]] = [HEADER]
    for row in rows:
        about = "~" if row.estimated else ""
        cells.append((
            row.stage.number,
            ("" if row.run.complete else "~") + _number(row.run.whole_seconds),
            "" if row.gain is None else about + _number(row.gain),
            "" if row.total_gain is None else about + _number(row.total_gain),
            f"{row.run.num_merges / row.run.seconds:,.0f}",
            f"{row.run.peak_bytes / 1e6:,.1f}",
            row.stage.idea,
        ))
    return cells


def as_text(cells: list[tuple[str, ...]]) -> str:
    """A table for the terminal: numbers to the right, words to the left."""
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = []
    for line in cells:
        parts = [cell.ljust(width) if column in (0, len(line) - 1) else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(line, widths))]
        lines.append("  ".join(parts).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return os.linesep.join(lines)


def footnotes(rows: list[Row]) -> list[str]:
    """What a reader must know about the table."""
    notes = []
    cut = [row for row in rows if not row.run.complete]
    if cut:
        done = ", ".join(f"{row.stage.number} {row.run.num_merges:,}" for row in cut)
        notes.append(f"~ rests on an extrapolation: only the first merges were done ({done} of "
                     f"{cut[0].run.wanted:,}); the rest is taken to go at the pace of the last.")
    whole = [row.stage.number for row in rows if row.run.complete]
    if whole:
        notes.append(f"All stages agree; whole lists of {rows[-1].run.num_merges:,} merges "
                     f"compared for {', '.join(whole)}.")
    return notes


def _number(value: float) -> str:
    """Three digits, whatever the size.

    >>> _number(0.02345), _number(1.234), _number(12.34), _number(1234.5)
    ('0.0234', '1.23', '12.3', '1,234')
    """
    if value >= 100:
        return f"{value:,.0f}"
    decimals = 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    return f"{value:.{decimals}f}"
