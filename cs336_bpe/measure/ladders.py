"""Run a ladder rung by rung, check that all rungs agree, and tabulate what each one gains."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from os import PathLike
from typing import Any

from cs336_bpe import stages
from cs336_bpe.common.amounts import three_digits
from cs336_bpe.measure.counting import measure_counting
from cs336_bpe.measure.encoding import END, EncodeMeasurement, measure_encoding
from cs336_bpe.measure.training import Measurement, measure_training
from cs336_bpe.rules import Pair, TieBreak


class StagesDisagree(AssertionError):
    """Two stages gave different results; no time is worth showing before that is mended."""


@dataclass
class Row:
    """One line of the table."""

    stage: stages.Stage
    run: Measurement
    gain: float | None  # how many times faster than the rung before
    total_gain: float | None  # how many times faster than the first rung

    def as_json(self) -> dict[str, Any]:
        return {"idea": self.stage.idea, "gain": self.gain, "total_gain": self.total_gain,
                **self.run.as_json()}


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
        run = measure_training(stage, counts, num_merges, tie_break=tie_break, limit=seconds,
                      report=partial(report, stage))
        gain = total_gain = None
        if rows:
            gain = rows[-1].run.whole_seconds / run.whole_seconds
            total_gain = rows[0].run.whole_seconds / run.whole_seconds
        rows.append(Row(stage, run, gain, total_gain))
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


def table(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The cells of the table, as text, from rows as JSON. `~`: rests on an extrapolated time."""
    cells: list[tuple[str, ...]] = [HEADER]
    for before, row in zip([None, *rows], rows):
        def marked(value: float | None, *measured: Any) -> str:
            if value is None:
                return ""
            return ("" if all(one["complete"] for one in measured) else "~") + three_digits(value)
        cells.append((
            row["stage"].partition("_")[0],
            marked(row["whole_seconds"], row),
            marked(row["gain"], row, before),
            marked(row["total_gain"], row, rows[0]),
            f"{row['num_merges'] / row['seconds']:,.0f}",
            f"{row['peak_bytes'] / 1e6:,.1f}",
            row["idea"],
        ))
    return cells


def footnotes(rows: list[dict[str, Any]]) -> list[str]:
    """What a reader must know about the table."""
    notes = []
    cut = [row for row in rows if not row["complete"]]
    if cut:
        done = ", ".join(f"{row['stage'].partition('_')[0]} {row['num_merges']:,}" for row in cut)
        notes.append(f"~ rests on an extrapolation: only the first merges were done ({done} of "
                     f"{cut[0]['wanted']:,}); the rest is taken to go at the pace of the last.")
    whole = [row["stage"].partition("_")[0] for row in rows if row["complete"]]
    if whole:
        notes.append(f"All stages agree; whole lists of {rows[-1]['num_merges']:,} merges compared "
                     f"for {', '.join(whole)}.")
    return notes


# --- The pretokenization ladder ----------------------------------------------------------------


def run_counting_ladder(
    path: str | PathLike[str],
    special_tokens: list[str],
    *,
    workers: int = 2,
    report: Callable[[stages.Stage, int, int], None] = lambda stage, done, total: None,
) -> list[dict[str, Any]]:
    """Measure every pretokenization stage on a file, each in a fresh process, with one worker; and
    those that can share the work with `workers` as well. All counts are compared."""
    runs: list[dict[str, Any]] = []
    for stage in stages.ladder("pretokenize"):
        for number in (1, workers) if stage.parallel and workers > 1 else (1,):
            measured = measure_counting(stage, path, special_tokens, workers=number,
                                        report=partial(report, stage))
            runs.append({"idea": stage.idea, **measured.as_json()})
    for run in runs[1:]:
        if run["digest"] != runs[0]["digest"]:
            raise StagesDisagree(f"{run['stage']} with {run['workers']} workers does not give the "
                                 f"counts of {runs[0]['stage']}")
    return runs


COUNTING_HEADER = ("stage", "workers", "seconds", "MB/s", "x stage01", "peak MB", "idea")


def counting_table(runs: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The cells of the table, as text, from rows as JSON."""
    cells: list[tuple[str, ...]] = [COUNTING_HEADER]
    for run in runs:
        cells.append((
            run["stage"].partition("_")[0],
            str(run["workers"]),
            three_digits(run["seconds"]),
            three_digits(run["num_bytes"] / run["seconds"] / 1e6),
            three_digits(runs[0]["seconds"] / run["seconds"]),
            f"{run['peak_bytes'] / 1e6:,.1f}",
            run["idea"],
        ))
    return cells


# --- The encoding ladder -----------------------------------------------------------------------


def run_encoding_ladder(
    vocab: Mapping[int, bytes],
    merges: Sequence[Pair],
    pretokens: Sequence[bytes],
    *,
    rungs: Iterable[stages.Stage] | None = None,
    limit: float | Mapping[str, float] = 3.0,
    report: Callable[[stages.Stage, int, int], None] = lambda stage, done, total: None,
) -> list[dict[str, Any]]:
    """Measure every encoding stage on the same pretokens, each in a fresh process with a fresh
    encoder, and compare all ids. A stage that takes more than `limit` seconds does a part only.
    The limit may depend on the stage's number."""
    runs = []
    for stage in stages.ladder("encode") if rungs is None else rungs:
        seconds = limit if isinstance(limit, (int, float)) else limit.get(stage.number, inf)
        runs.append(measure_encoding(stage, vocab, merges, pretokens, limit=seconds,
                                     report=partial(report, stage)))
    check_encodings(runs)
    return encoding_rows(runs)


def check_encodings(runs: list[EncodeMeasurement]) -> None:
    """Raise unless all ids are equal, as far as the shorter of two runs goes."""
    longest = max(runs, key=lambda run: (run.num_pretokens, run.ids.count(END)))
    for run in runs:
        ids, others = run.ids, longest.ids
        if END not in ids:  # of a whole text: where its pretokens end, nobody can see
            others = array("I", [number for number in others if number != END])
        if ids.tobytes() != others[: len(ids)].tobytes():
            at = next(i for i, pair in enumerate(zip(ids, others)) if pair[0] != pair[1])
            where = f"pretoken {ids[:at].count(END)}" if END in ids else f"id {at}"
            raise StagesDisagree(f"{run.stage} and {longest.stage} disagree at {where}")


def encoding_rows(runs: list[EncodeMeasurement]) -> list[dict[str, Any]]:
    """Rows as JSON, with what each stage gains over the one before and over the first."""
    def gain(run: EncodeMeasurement, over: EncodeMeasurement | None) -> float | None:
        if over is None or not over.num_bytes:
            return None
        return run.bytes_per_second / over.bytes_per_second

    return [{"idea": stages.find("encode", run.stage).idea, "gain": gain(run, before),
             "total_gain": gain(run, runs[0] if before else None), **run.as_json()}
            for before, run in zip([None, *runs], runs)]


ENCODING_HEADER = ("stage", "bytes/s", "x before", "x stage01", "bytes done", "peak MB", "idea")


def encoding_table(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The cells of the table, as text, from rows as JSON."""
    cells: list[tuple[str, ...]] = [ENCODING_HEADER]
    for row in rows:
        cells.append((
            row["stage"].partition("_")[0],
            f"{row['bytes_per_second']:,.0f}",
            "" if row["gain"] is None else three_digits(row["gain"]),
            "" if row["total_gain"] is None else three_digits(row["total_gain"]),
            f"{row['num_bytes']:,}",
            f"{row['peak_bytes'] / 1e6:,.1f}",
            row["idea"],
        ))
    return cells
