"""Run a ladder rung by rung, check that all rungs agree, and tabulate what each one gains.

A rung is compared with its predecessor, the stage of which it changes one idea. That is mostly the
rung before, but a ladder may branch; the registry knows. The `cs336-bpe ladder` command and the
experiments in benchmarks/ both call these functions, and both make their tables with them.
"""

import re
import statistics
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from os import PathLike
from typing import Any

from cs336_bpe import stages
from cs336_bpe.common.amounts import three_digits
from cs336_bpe.measure.counting import CountMeasurement, measure_counting
from cs336_bpe.measure.decoding import WAYS, DecodeMeasurement, measure_decoding
from cs336_bpe.measure.encoding import END, EncodeMeasurement, measure_encoding
from cs336_bpe.measure.training import Measurement, measure_training
from cs336_bpe.rules import Pair, TieBreak

JsonRow = dict[str, Any]  # a row as it is saved
Reporter = Callable[[stages.Stage, int, int], None]
RowReporter = Callable[[JsonRow], None]  # gets each row of a first round when it is ready


class StagesDisagree(AssertionError):
    """Two stages gave different results; no time is worth showing before that is fixed."""


# --- What every ladder's rows have in common ---------------------------------------------------


def rungs_there(ladder: str) -> list[stages.Stage]:
    """The rungs of a ladder that can be run here: without a compiler, those in plain Python."""
    return [stage for stage in stages.ladder(ladder) if stage.is_there]


def not_built(ladder: str) -> list[str]:
    """What a reader must know about a table in which compiled rungs are missing."""
    missing = [stage.number for stage in stages.ladder(ladder) if not stage.is_there]
    if not missing:
        return []
    return [f"not built, because there was no C++ compiler: {', '.join(missing)}"]


def about(stage: stages.Stage) -> JsonRow:
    """What a row says about its stage, as the registry had it when it was measured."""
    return {"idea": stage.idea, "predecessor": stage.predecessor}


def number(row: JsonRow) -> str:
    """The short name of a row's stage."""
    return str(row["stage"]).partition("_")[0]


def idea_of(name: str) -> str:
    """The part of a stage's name that stays when stages are numbered anew."""
    return name.partition("_")[2] if name.startswith("stage") else name


def row_of(rows: list[JsonRow], stage: str) -> JsonRow:
    """The first row of a stage, which may be named in full, by its number or by its idea.

    >>> rows = [{"stage": "stage01_whole_text"}, {"stage": "stage02_streaming"}]
    >>> row_of(rows, "streaming") == row_of(rows, "stage02") == row_of(rows, "stage02_streaming")
    True
    """
    for row in rows:
        if stage == number(row) or idea_of(stage) == idea_of(row["stage"]):
            return row
    raise ValueError(f"no row of stage {stage!r}; there are "
                     f"{', '.join(row['stage'] for row in rows)}")


def predecessor(ladder: str, rows: list[JsonRow], row: JsonRow) -> JsonRow | None:
    """The row that this one is compared with, or None if its stage is the first or was not run.

    With several workers, the predecessor is taken with as many, if it can use them.
    """
    known = {idea_of(stage.name): stage.predecessor for stage in stages.ladder(ladder)}
    name = known.get(idea_of(row["stage"]), row.get("predecessor"))
    found = [other for other in rows if name and idea_of(other["stage"]) == idea_of(name)]
    equal = [other for other in found if other.get("workers") == row.get("workers")]
    return next(iter(equal or found), None)


def pace(ladder: str, row: JsonRow) -> float:
    """The time that is compared: of the whole work, or per byte where each stage did its part."""
    if ladder == "train":
        return float(row["whole_seconds"])
    if ladder == "encode":
        return 1 / row["bytes_per_second"] if row["bytes_per_second"] else inf
    return float(row["seconds"])


def gain(ladder: str, row: JsonRow, over: JsonRow | None) -> float | None:
    """How many times faster a row is than another; None if there is nothing to compare."""
    if over is None or over is row or pace(ladder, over) == inf:
        return None
    return pace(ladder, over) / pace(ladder, row)


def approximate(*rows: JsonRow | None) -> str:
    """The mark of a figure that rests on an extrapolated time."""
    return "" if all(row is None or row.get("complete", True) for row in rows) else "~"


def rounded(value: float, *rows: JsonRow | None) -> str:
    """Three digits; but two, after a `~`, if the value rests on an extrapolated time.

    >>> rounded(74877.2, {"complete": False}), rounded(74877.2, {"complete": True})
    ('~75,000', '74,877')
    >>> [rounded(value, {"complete": False}) for value in (26.04, 2.604, 0.02604)]
    ['~26', '~2.6', '~0.026']
    """
    mark = approximate(*rows)
    if not mark:
        return three_digits(value)
    value = float(f"{value:.1e}")
    return f"~{value:,.0f}" if value >= 10 else f"~{value:#.2g}"


def gain_cells(ladder: str, rows: list[JsonRow], row: JsonRow) -> tuple[str, str]:
    """Two cells: how many times faster than the predecessor, and than the first stage.

    `26.7 (04)`: not than the row above, but than stage04.
    """
    over = predecessor(ladder, rows, row)
    cells = []
    for other in (over, rows[0]):
        value = gain(ladder, row, other)
        extrapolated = (row, other) if ladder == "train" else ()  # others compare speeds
        cells.append("" if value is None else rounded(value, *extrapolated))
    numbers = list(dict.fromkeys(map(number, rows)))
    if cells[0] and over is not None:
        place = numbers.index(number(row))
        if numbers[place - 1] != number(over):
            cells[0] += f" ({number(over).removeprefix('stage')})"
    return cells[0], cells[1]


BRANCH = "(04): compared with stage04, which it changes, and not with the row above."


def branches(cells: Sequence[Sequence[str]]) -> list[str]:
    """What a reader must know about a table in which a rung does not go on from the row above."""
    found = [match[1] for row in cells for cell in row
             if (match := re.fullmatch(r"~?[\d.,]+ \((\d\d)\)", cell))]
    return [BRANCH.replace("04", found[0])] if found else []


def spread(values: Sequence[float]) -> str:
    """The least and the greatest, if there are two.

    >>> spread([0.31, 0.25, 0.27]), spread([2.5])
    ('0.250 to 0.310', '')
    """
    if len(values) < 2:
        return ""
    return f"{three_digits(min(values))} to {three_digits(max(values))}"


# --- The training ladder -----------------------------------------------------------------------


@dataclass
class Row:
    """One stage and what it did."""

    stage: stages.Stage
    run: Measurement

    def as_json(self) -> JsonRow:
        return {**about(self.stage), **self.run.as_json()}


def run_training_ladder(
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    rungs: Iterable[stages.Stage] | None = None,
    tie_break: TieBreak = "lexicographic",
    limit: float | Mapping[str, float] = 15.0,
    rounds: int = 1,
    repeat_below: float = inf,
    report: Reporter = lambda stage, done, total: None,
    show: RowReporter = lambda row: None,
) -> list[Row]:
    """Measure every rung, each in a fresh process, and compare all merges before returning.

    A rung that takes more than `limit` seconds does only as many merges as fit; its time for all
    of them is extrapolated, and the row says so. The limit may depend on the stage's number. With
    several rounds, the rungs that were not cut short run again in each, interleaved, if the first
    run took less than `repeat_below` seconds.
    """
    rows: list[Row] = []
    for stage in rungs_there("train") if rungs is None else rungs:
        seconds = limit if isinstance(limit, (int, float)) else limit.get(stage.number, inf)
        run = measure_training(stage, counts, num_merges, tie_break=tie_break, limit=seconds,
                               report=partial(report, stage))
        rows.append(Row(stage, run))
        check_agreement([(row.stage.name, row.run.merges) for row in rows])
        show(rows[-1].as_json())
    for _ in range(rounds - 1):
        for row in rows:
            if row.run.complete and row.run.all_seconds[0] < repeat_below:
                again = measure_training(row.stage, counts, num_merges, tie_break=tie_break,
                                         report=partial(report, row.stage))
                check_agreement([(row.stage.name, row.run.merges), ("itself", again.merges)])
                times = row.run.all_seconds + again.all_seconds
                median = statistics.median(times)
                row.run = replace(row.run, all_seconds=times, seconds=median, whole_seconds=median)
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


HEADER = ("stage", "seconds", "spread", "x before", "x stage01", "merges/s", "peak MB", "idea")


def table(rows: list[JsonRow]) -> list[tuple[str, ...]]:
    """The cells of the table, as text, from rows as JSON. `~`: rests on an extrapolated time."""
    cells: list[tuple[str, ...]] = [HEADER]
    for row in rows:
        cells.append((
            number(row),
            rounded(row["whole_seconds"], row),
            spread(row["all_seconds"]) if row["complete"] else "",
            *gain_cells("train", rows, row),
            rounded(merges_per_second(row), row),
            f"{row['peak_bytes'] / 1e6:,.1f}",
            row["idea"],
        ))
    return cells


def merges_per_second(row: JsonRow) -> float:
    """Over the whole run, as the seconds are."""
    done = row["num_merges"] if row["complete"] else row["wanted"]
    return float(done / row["whole_seconds"])


def footnotes(rows: list[JsonRow]) -> list[str]:
    """What a reader must know about the table."""
    notes = []
    cut = [row for row in rows if not row["complete"]]
    if cut:
        done = ", ".join(f"{number(row)} {row['num_merges']:,}" for row in cut)
        notes.append(f"~: extrapolated, because only the first merges were done ({done} of "
                     f"{cut[0]['wanted']:,}). We assume that the rest goes at the pace of "
                     "the last third of these.")
    whole = [number(row) for row in rows if row["complete"]]
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
    rounds: int = 1,
    report: Reporter = lambda stage, done, total: None,
    show: RowReporter = lambda row: None,
) -> list[JsonRow]:
    """Measure every pretokenization stage on a file, each in a fresh process, with one worker; and
    those that can share the work with `workers` as well. All counts are compared. With several
    rounds, all run again in each, interleaved."""
    runs: dict[tuple[stages.Stage, int], list[CountMeasurement]] = {}
    first: CountMeasurement | None = None
    for number_of_round in range(rounds):
        for stage in rungs_there("pretokenize"):
            for count in (1, workers) if stage.parallel and workers > 1 else (1,):
                run = measure_counting(stage, path, special_tokens, workers=count,
                                       report=partial(report, stage))
                first = first or run
                if run.digest != first.digest:
                    raise StagesDisagree(f"{stage.name} with {count} workers does not give the "
                                         f"counts of {first.stage}")
                runs.setdefault((stage, count), []).append(run)
                if number_of_round == 0:
                    show({**about(stage), **run.as_json()})
    rows: list[JsonRow] = []
    for (stage, _), same in runs.items():
        times = [seconds for run in same for seconds in run.all_seconds]
        rows.append({**about(stage), **same[0].as_json(), "all_seconds": times,
                     "seconds": statistics.median(times),
                     "columns_seconds": statistics.median(run.columns_seconds for run in same)})
    return rows


COUNTING_HEADER = ("stage", "workers", "seconds", "spread", "MB/s", "x before", "x stage01",
                   "peak MB", "idea")


def counting_table(runs: list[JsonRow]) -> list[tuple[str, ...]]:
    """The cells of the table, as text, from rows as JSON."""
    cells: list[tuple[str, ...]] = [COUNTING_HEADER]
    for run in runs:
        cells.append((
            number(run),
            str(run["workers"]),
            three_digits(run["seconds"]),
            spread(run["all_seconds"]),
            three_digits(run["num_bytes"] / run["seconds"] / 1e6),
            *gain_cells("pretokenize", runs, run),
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
    rounds: int = 1,
    report: Reporter = lambda stage, done, total: None,
    show: RowReporter = lambda row: None,
) -> list[JsonRow]:
    """Measure every encoding stage on the same pretokens, each in a fresh process with a fresh
    encoder, and compare all ids. A stage that takes more than `limit` seconds does a part only.
    The limit may depend on the stage's number. With several rounds, interleaved, a row has the
    median of their speeds."""
    rungs = rungs_there("encode") if rungs is None else list(rungs)
    all_rounds = []
    for number_of_round in range(rounds):
        runs: list[EncodeMeasurement] = []
        for stage in rungs:
            seconds = limit if isinstance(limit, (int, float)) else limit.get(stage.number, inf)
            runs.append(measure_encoding(stage, vocab, merges, pretokens, limit=seconds,
                                         report=partial(report, stage)))
            check_encodings(runs)
            if number_of_round == 0:
                show({**about(stage), **runs[-1].as_json()})
        all_rounds.append(runs)
    rows: list[JsonRow] = []
    for stage, same in zip(rungs, zip(*all_rounds)):
        speeds = [run.bytes_per_second for run in same]
        rows.append({**about(stage), **same[0].as_json(),
                     "num_bytes": min(run.num_bytes for run in same),
                     "bytes_per_second": statistics.median(speeds),
                     "all_bytes_per_second": speeds})
    return rows


def check_encodings(runs: list[EncodeMeasurement]) -> None:
    """Raise unless all ids are equal, as far as the shorter of two runs goes."""
    longest = max(runs, key=lambda run: (run.num_pretokens, run.ids.count(END)))
    for run in runs:
        ids, others = run.ids, longest.ids
        if END not in ids:  # of a whole text: it does not say where its pretokens end
            others = array("I", [number for number in others if number != END])
        if ids.tobytes() != others[: len(ids)].tobytes():
            at = next(i for i, pair in enumerate(zip(ids, others)) if pair[0] != pair[1])
            where = f"pretoken {ids[:at].count(END)}" if END in ids else f"id {at}"
            raise StagesDisagree(f"{run.stage} and {longest.stage} disagree at {where}")


ENCODING_HEADER = ("stage", "bytes/s", "x before", "x stage01", "bytes done", "peak MB", "idea")


def encoding_table(rows: list[JsonRow]) -> list[tuple[str, ...]]:
    """The cells of the table, as text, from rows as JSON."""
    cells: list[tuple[str, ...]] = [ENCODING_HEADER]
    for row in rows:
        cells.append((
            number(row),
            f"{row['bytes_per_second']:,.0f}",
            *gain_cells("encode", rows, row),
            f"{row['num_bytes']:,}",
            f"{row['peak_bytes'] / 1e6:,.1f}",
            row["idea"],
        ))
    return cells


# --- The decoding ladder -----------------------------------------------------------------------


def run_decoding_ladder(
    vocab: Mapping[int, bytes],
    ids: Sequence[int],
    *,
    rungs: Iterable[stages.Stage] | None = None,
    rounds: int = 1,
    report: Reporter = lambda stage, done, total: None,
    show: RowReporter = lambda row: None,
) -> list[JsonRow]:
    """Measure every decoding stage on the same ids, each in a fresh process, and compare all bytes
    and texts. With several rounds, all run again in each, interleaved."""
    rungs = rungs_there("decode") if rungs is None else list(rungs)
    runs: dict[stages.Stage, list[DecodeMeasurement]] = {}
    first: DecodeMeasurement | None = None
    for number_of_round in range(rounds):
        for stage in rungs:
            run = measure_decoding(stage, vocab, ids, report=partial(report, stage))
            first = first or run
            if run.digest != first.digest:
                raise StagesDisagree(f"{stage.name} does not give the text of {first.stage}")
            runs.setdefault(stage, []).append(run)
            if number_of_round == 0:
                show(decoding_row(stage, [run]))
    return [decoding_row(stage, same) for stage, same in runs.items()]


def decoding_row(stage: stages.Stage, same: list[DecodeMeasurement]) -> JsonRow:
    """The row of a stage, from all its runs."""
    times = {way: [seconds for run in same for seconds in run.all_seconds[way]] for way in WAYS}
    medians = {way: statistics.median(values) for way, values in times.items()}
    return {**about(stage), **same[0].as_json(), "all_seconds": times, "medians": medians,
            "seconds": medians["text"]}


def in_way(rows: list[JsonRow], way: str) -> list[JsonRow]:
    """The rows of the decoding ladder as if it had been run in one of its ways only."""
    return [{**row, "seconds": row["medians"][way]} for row in rows]


def million_tokens(row: JsonRow, way: str = "text") -> float:
    """Millions of tokens per second, in one of the ways."""
    return float(row["num_tokens"] / row["medians"][way] / 1e6)


DECODING_HEADER = ("stage", "list to text", "x before", "x stage01", "list to bytes",
                   "array to bytes", "x before", "x stage01", "peak MB", "idea")


def decoding_table(rows: list[JsonRow]) -> list[tuple[str, ...]]:
    """The cells of the table, as text, from rows as JSON. Speeds are millions of tokens per second.
    """
    cells: list[tuple[str, ...]] = [DECODING_HEADER]
    arrays = in_way(rows, "array")
    for row, array_row in zip(rows, arrays):
        cells.append((
            number(row),
            three_digits(million_tokens(row)),
            *gain_cells("decode", rows, row),
            three_digits(million_tokens(row, "list")),
            three_digits(million_tokens(row, "array")),
            *gain_cells("decode", arrays, array_row),
            f"{row['peak_bytes'] / 1e6:,.1f}",
            row["idea"],
        ))
    return cells
