"""The figures of write-ups B and C on training: B, C1, C2 and C3."""

import cProfile
import os
import pstats
from dataclasses import replace
from statistics import median

from cs336_bpe import stages
from cs336_bpe.common.amounts import percent, three_digits
from cs336_bpe.measure.counting import measure_counting
from cs336_bpe.measure.process import measure_call
from cs336_bpe.measure.training import measure_training
from cs336_bpe.reproduce import digits
from cs336_bpe.reproduce.clocks import measure_parts
from cs336_bpe.reproduce.rungs import (
    PUBLISHED_PROCESSES,
    REAL_COUNTS,
    SPECIALS,
    cores,
    judged,
    label,
    last_of,
    measure_whole,
    rung,
    timed,
    too_few,
    train_whole,
)
from cs336_bpe.reproduce.texts import Lab, Text
from cs336_bpe.reproduce.verdicts import Line, Outcome, Table

COUNT, TRAIN = last_of("pretokenize"), last_of("train")
STREAMING, PROCESSES = rung("pretokenize", "streaming"), rung("pretokenize", "processes")
SORTED, HEAP = rung("train", "sorted_pairs"), rung("train", "lazy_heap")
NO_COUNTS = "neither TinyStories-train nor its counts are there"
MOST_ROWS = 8
WATCHED = "theirs ran under a profiler"


def b(lab: Lab) -> Outcome:
    """One process, sixteen, and where the time goes."""
    text = lab.text("tinystories-train", lab.pick(100_000, 10_000_000, None))
    vocab_size = lab.pick(600, 10_000, 10_000)
    lines, tables, totals = [], [], {}
    for name, counter, workers in (("one process", STREAMING, 1),
                                   ("16 processes", PROCESSES, PUBLISHED_PROCESSES)):
        lab.note(f"{text.label}: {label(counter, SORTED)}, {name}")
        run = measure_whole(text, vocab_size, counter, SORTED, workers)
        totals[name] = run.value["total"]
        lines.append(replace(timed("B", name, run.value["total"], text, counter, SORTED),
                             reason=WATCHED))
        lab.note(f"the same under cProfile, {name}")
        profile = measure_call(profile_whole, os.fspath(text.path), vocab_size, counter, SORTED,
                               workers).value
        tables.append(Table(f"The profile of the run, {name}, on {text.label}",
                            ["share", "calls", "function"],
                            [[percent(share), f"{calls:,}", function]
                             for share, calls, function in profile["rows"]]))
    lines.append(Line("B", "gain of 16 processes", totals["one process"] / totals["16 processes"],
                      label(STREAMING, PROCESSES, SORTED), text.label,
                      reason=f"this machine has {cores()} cores"
                      if cores() < PUBLISHED_PROCESSES else ""))
    for name in ("pretokenizing", "waiting for a lock", "pickling"):
        lines.append(Line("B", f"16: share of {name}", profile["shares"][name],
                          label(PROCESSES, SORTED), text.label))
    run = measure_whole(text, vocab_size, COUNT, TRAIN, cores())
    for name in totals:
        lines.append(replace(timed("B", name, run.value["total"], text, COUNT, TRAIN, last=True),
                             reason=WATCHED))
    ours = digits.compute(lab.tinystories_counts) if lab.tinystories_counts else None
    for name in ("pretokens", "documents"):
        lines.append(Line("B", name, f"{getattr(ours, name):,}" if ours else None, "",
                          REAL_COUNTS if ours else "", reason="" if ours else NO_COUNTS))
    course = lab.text("course", lab.pick(20_000, 133_027, 133_027))
    for last, counter, train in ((False, STREAMING, SORTED), (True, COUNT, TRAIN)):
        lab.note(f"speed test: {label(train)}")
        run = measure_whole(course, 500, counter, train, 1, lab.pick(1, 3, 5))
        lines.append(timed("B", "speed test", run.value["total"], course, counter, train,
                           last=last))
    return Outcome(lines, tables)


def profile_whole(path: str, vocab_size: int, count: stages.Stage, train: stages.Stage,
                  workers: int) -> dict[str, object]:
    """Where the time of the parent process goes, by cProfile, largest share first."""
    profiler = cProfile.Profile()
    profiler.runcall(train_whole, path, vocab_size, count, train, workers)
    stats = pstats.Stats(profiler)
    entries = stats.stats  # type: ignore[attr-defined]
    total = stats.total_tt  # type: ignore[attr-defined]
    rows = sorted(((own / total, calls, _short(place))
                   for place, (_, calls, own, _, _) in entries.items()), reverse=True)
    counting = next((cumulative for (file, _, name), (_, _, _, cumulative, _) in entries.items()
                     if name == "count_pretokens" and count.name in file), 0.0)
    waiting = sum(own for (_, _, name), (_, _, own, _, _) in entries.items()
                  if "acquire" in name and "lock" in name.lower())
    pickling = sum(own for (_, _, name), (_, _, own, _, _) in entries.items()
                   if "Pickler" in name or "_pickle" in name)
    return {"rows": rows[:MOST_ROWS], "shares": {
        "pretokenizing": counting / total, "waiting for a lock": waiting / total,
        "pickling": pickling / total}}


def _short(place: tuple[str, int, str]) -> str:
    """
    >>> _short(("/home/me/heapq.py", 3, "heappop")), _short(("~", 0, "<built-in method len>"))
    ('heapq.py: heappop', '<built-in method len>')
    """
    file, _, name = place
    return name if file == "~" else f"{os.path.basename(file)}: {name}"


# --- C1 ------------------------------------------------------------------------------------


def c1(lab: Lab) -> Outcome:
    """Recounting everything, and what of it is counting; then incremental counts."""
    text = lab.text("course", lab.pick(20_000, 133_027, 133_027))
    counts = lab.counts(text)
    num_merges = lab.pick(20, 243, 243)
    first, second = rung("train", "recount_everything"), rung("train", "incremental_counts")
    repeats = lab.pick(1, 1, 3)
    runs = {}
    for stage in (first, second):
        lab.note(f"{text.label}: {label(stage)}")
        parts = [measure_parts(stage, counts, num_merges) for _ in range(repeats)]
        runs[stage] = {key: median(part[key] for part in parts) for key in parts[0]}
    recount, total = runs[first], runs[first]["total"]
    last = measure_training(TRAIN, counts, num_merges)
    return Outcome([
        timed("C1", "recount everything", total, text, first),
        Line("C1", "of that, counting pairs", recount["counting"] / total, label(first),
             text.label),
        Line("C1", "of that, rebuilding words", recount["rest"] / total, label(first), text.label,
             note=f"choosing is the rest, {percent(recount['choosing'] / total)}"),
        timed("C1", "incremental counts", runs[second]["total"], text, second),
        timed("C1", "incremental counts", last.seconds, text, TRAIN, last=True),
        Line("C1", "gain", total / runs[second]["total"], label(first, second), text.label),
    ])


# --- C2 ------------------------------------------------------------------------------------

UNKNOWN = "the corpus is not named"


def c2(lab: Lab) -> Outcome:
    """Choosing and updating timed apart: a linear max, a lazy heap, interned words."""
    text = lab.text("tinystories-valid", lab.pick(50_000, 1_000_000, 5_000_000))
    counts = lab.counts(text)
    num_merges = lab.pick(50, 1_000, 3_000)
    linear, interned = rung("train", "pair_index"), rung("train", "interned_words")
    neighbours = rung("train", "changed_neighbourhood")
    runs = {}
    for stage in (linear, HEAP, neighbours, interned):
        lab.note(f"{text.label}: {label(stage)}")
        runs[stage] = measure_parts(stage, counts, num_merges)

    def both(stage: stages.Stage) -> float:
        return runs[stage]["choosing"] + runs[stage]["rest"]

    def line(name: str, value: float, *rungs: stages.Stage, note: str = "") -> Line:
        gains = name.startswith("gain")
        return Line("C2", name, value, label(*rungs), text.label,
                    reason="" if gains else UNKNOWN, note=note)
    lines = [
        line("linear max: choosing", runs[linear]["choosing"], linear),
        line("linear max: updates", runs[linear]["rest"], linear),
        line("lazy heap: choosing", runs[HEAP]["choosing"], HEAP),
        line("lazy heap: updates", runs[HEAP]["rest"], HEAP, note="pushes to the heap included"),
        line("lazy heap: total", runs[HEAP]["total"], HEAP),
        line("interned: updates", runs[interned]["rest"], interned),
        line("gain in choosing", runs[linear]["choosing"] / runs[HEAP]["choosing"], linear, HEAP),
        line("gain in both together", both(linear) / both(HEAP), linear, HEAP),
        line("gain in updates", runs[HEAP]["rest"] / runs[interned]["rest"], HEAP, interned,
             note=f"of that, interning alone: "
             f"{three_digits(runs[neighbours]['rest'] / runs[interned]['rest'])}x"),
    ]
    table = Table(f"Choosing and updating, {num_merges:,} merges of {text.label}",
                  ["stage", "choosing, s", "updating, s", "both, s", "idea"],
                  [[stage.number, three_digits(run["choosing"]), three_digits(run["rest"]),
                    three_digits(both(stage)), stage.idea] for stage, run in runs.items()])
    return Outcome(lines, [table])


# --- C3 ------------------------------------------------------------------------------------


def c3(lab: Lab) -> Outcome:
    """Whole corpora, pretokenizing and merging."""
    interned, neighbours = rung("train", "interned_words"), rung("train", "changed_neighbourhood")
    text = lab.text("tinystories-train", lab.pick(100_000, 3_000_000, None))
    real = lab.tinystories_counts
    counts = real if real is not None else lab.counts(text)
    limit = lab.pick(0.2, 6.0, 600.0)
    lines = corpus_lines(lab, "TinyStories-train", text)
    runs = {}
    for stage in (HEAP, neighbours, interned, TRAIN):
        lab.note(f"TinyStories-train: {label(stage)}")
        runs[stage] = measure_training(stage, counts, lab.pick(300, 9_743, 9_743), limit=limit)
    seconds = {stage: run.whole_seconds for stage, run in runs.items()}
    for name, stage, last in (("before", HEAP, False), ("after", interned, False),
                              ("after", TRAIN, True)):
        line = timed("C3", f"TinyStories-train: {name}", seconds[stage], text, stage, last=last)
        if real is not None:
            line = Line("C3", line.name, line.value, line.stage, REAL_COUNTS, last)
        lines.append(judged(line, runs[stage]))
    lines.append(Line("C3", "TinyStories-train: gain", seconds[HEAP] / seconds[interned],
                      label(HEAP, interned), text.label, reason=too_few(runs[HEAP],
                      runs[interned]), note="with the changed neighbourhood; "
                      f"interning alone: {three_digits(seconds[neighbours] / seconds[interned])}x"))
    for name, role in (("OWT-valid", "owt-valid"), ("OWT-train", "owt-train")):
        web = lab.text(role, lab.pick(100_000, 3_000_000, None if lab.has(role) else 99_000_000))
        lines += corpus_lines(lab, name, web)
        counts = lab.counts(web)
        for stage in (interned, TRAIN):
            lab.note(f"{name}: {label(stage)}")
            run = measure_training(stage, counts, lab.pick(300, 31_743, 31_743), limit=limit)
            lines.append(judged(timed("C3", f"{name}: after", run.whole_seconds, web, stage,
                                      last=stage is TRAIN), run))
    count = next(line.value for line in lines if line.name == "OWT-train: pretokenizing"
                 and line.last)
    assert isinstance(count, (int, float))
    building = measure_training(interned, counts, 0)
    lines.append(timed("C3", "OWT-train: building the index", building.seconds, web, interned))
    lines.append(Line("C3", "OWT-train: total", count + run.whole_seconds, label(COUNT, TRAIN),
                      web.label, last=True, reason=web.difference))
    return Outcome(lines)


def corpus_lines(lab: Lab, name: str, text: Text) -> list[Line]:
    """Pretokenizing a corpus, with processes and with the last rung."""
    lines = []
    for stage in (PROCESSES, COUNT):
        lab.note(f"{name}: {label(stage)}")
        run = measure_counting(stage, text.path, SPECIALS, workers=cores())
        seconds = run.columns_seconds if stage is COUNT else run.seconds
        lines.append(timed("C3", f"{name}: pretokenizing", seconds, text, stage, grows=True,
                           last=stage is COUNT))
    return lines
