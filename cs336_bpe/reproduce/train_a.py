"""Write-up A's figures on training: A1 to A4."""

from statistics import median

from cs336_bpe import stages
from cs336_bpe.common.amounts import three_digits
from cs336_bpe.judge.placing import place
from cs336_bpe.measure import ladders
from cs336_bpe.measure.counting import measure_counting
from cs336_bpe.measure.training import measure_training
from cs336_bpe.reproduce.published import row
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
)
from cs336_bpe.reproduce.texts import Lab, Text
from cs336_bpe.reproduce.verdicts import Line, Outcome, Table, shown

COUNT, TRAIN = last_of("pretokenize"), last_of("train")
WHOLE_TEXT, PROCESSES = rung("pretokenize", "whole_text"), rung("pretokenize", "processes")
DEFINITION, INDEX = rung("train", "recount_everything"), rung("train", "pair_index")


def a1(lab: Lab) -> Outcome:
    """The course's speed test, and a whole run on TinyStories-train."""
    return Outcome([*speed_test(lab), *tinystories(lab)])


def speed_test(lab: Lab) -> list[Line]:
    course = lab.text("course", lab.pick(20_000, 133_027, 133_027))
    repeats = lab.pick(1, 3, 5)
    lines = []
    for name, train in (("a toy version", DEFINITION), ("write-up A", INDEX)):
        lab.note(f"speed test: {label(train)}")
        run = measure_whole(course, 500, WHOLE_TEXT, train, 1, lab.pick(1, 1, 3))
        lines.append(timed("A1", f"speed test: {name}", run.value["total"], course, WHOLE_TEXT,
                           train))
    lab.note(f"speed test: {label(TRAIN)}")
    run = measure_whole(course, 500, COUNT, TRAIN, 1, repeats)
    for name in ("the reference", "write-up A", "the limit"):
        lines.append(timed("A1", f"speed test: {name}", run.value["total"], course, COUNT, TRAIN,
                           last=True))
    return lines


def tinystories(lab: Lab) -> list[Line]:
    text = lab.text("tinystories-train", lab.pick(100_000, 20_000_000, None))
    real = lab.tinystories_counts
    vocab_size = lab.pick(600, 10_000, 10_000)
    lab.note(f"{text.label}: {label(COUNT, TRAIN)}")
    call = measure_whole(text, vocab_size, COUNT, TRAIN, cores())
    count, merge = call.value["count"], call.value["merge"]
    if real is not None:
        merge = measure_training(TRAIN, real, vocab_size - 257).seconds
    lab.note(f"{text.label}: {label(PROCESSES)}, {PUBLISHED_PROCESSES} processes")
    slow_count = measure_counting(PROCESSES, text.path, SPECIALS, workers=PUBLISHED_PROCESSES)
    lab.note(f"{text.label}: {label(INDEX)}")
    slow = measure_training(INDEX, real if real is not None else lab.counts(text),
                            vocab_size - 257, limit=lab.pick(0.2, 4.0, 600.0))
    lines = []
    for machine in ("i7", "Xeon"):
        for last, counter, trainer, counting, merging in (
                (False, PROCESSES, INDEX, slow_count.seconds, slow.whole_seconds),
                (True, COUNT, TRAIN, count, merge)):
            lines.append(timed("A1", f"{machine}: pretokenizing", counting, text, counter,
                               last=last, grows=True))
            rest = [merged(f"{machine}: merging", merging, text, real is not None, last, trainer),
                    whole(f"{machine}: total", counting, merging, text, real is not None, last,
                          counter, trainer)]
            lines += rest if last else [judged(line, slow) for line in rest]
    memory_reason = text.difference
    lines.append(Line("A1", "Xeon: peak memory", slow_count.peak_bytes, label(PROCESSES),
                      text.label, reason=memory_reason))
    for name in ("Xeon: peak memory", "course bar: memory to pass"):
        lines.append(Line("A1", name, call.peak_bytes, label(COUNT, TRAIN), text.label, last=True,
                          reason=memory_reason))
    for name in ("course bar: time to pass", "course bar: excellent"):
        lines.append(whole(name, count, merge, text, real is not None, True, COUNT, TRAIN))
    return lines


def merged(name: str, seconds: float, text: Text, real: bool, last: bool,
           *rungs: stages.Stage) -> Line:
    """Merging depends on the counts alone, so real counts make it comparable."""
    if real:
        return Line("A1", name, seconds, label(*rungs), REAL_COUNTS, last)
    return timed("A1", name, seconds, text, *rungs, last=last)


def whole(name: str, count: float, merge: float, text: Text, real: bool, last: bool,
          *rungs: stages.Stage) -> Line:
    """Both phases. Counting grows with the text; merging doesn't, once all words were seen."""
    if text.difference or real:
        return Line("A1", name, count * text.factor + merge, label(*rungs),
                    f"{text.label}, and real counts" if real else text.label, last,
                    bool(text.difference))
    return timed("A1", name, count + merge, text, *rungs, last=last)


# --- A2 and A3 -----------------------------------------------------------------------------

COUNTED_BYTES, MERGED_BYTES = 5_000_000, 300_000  # with --quick: merging is the slow part


def a2(lab: Lab) -> Outcome:
    """21 MB of stories, in two versions, and where on the ladder they stand."""
    counted, text = (lab.text("tinystories-valid", lab.pick(100_000, size, None))
                     for size in (COUNTED_BYTES, MERGED_BYTES))
    return two_versions(lab, "A2", counted, text, lab.pick(500, 1_000, 4_096))


def a3(lab: Lab) -> Outcome:
    """100 MB of web text, in two versions."""
    counted, text = (lab.text("owt-sample", lab.pick(100_000, size, None))
                     for size in (COUNTED_BYTES, MERGED_BYTES))
    return two_versions(lab, "A3", counted, text, lab.pick(500, 1_000, 32_000))


def two_versions(lab: Lab, figure: str, counted: Text, text: Text, vocab_size: int) -> Outcome:
    """Pretokenizing and merging, each with its rung and with the last one."""
    factor = counted.factor if counted.difference else 1.0
    num_merges = vocab_size - 257
    counting = {}
    for name, stage, workers in (("naive", WHOLE_TEXT, 1),
                                 ("optimized", PROCESSES, PUBLISHED_PROCESSES),
                                 ("last", COUNT, cores())):
        lab.note(f"{counted.label}: {label(stage)}")
        run = measure_counting(stage, counted.path, SPECIALS, workers=workers)
        counting[name] = run.columns_seconds if name == "last" else run.seconds
    ladder = stages.ladder("train")
    limits = dict.fromkeys((stage.number for stage in ladder), lab.pick(0.1, 2.0, 60.0))
    limits[DEFINITION.number] = lab.pick(0.1, 8.0, 120.0)  # all gains rest on it
    rungs = ladders.run_training_ladder(
        lab.counts(text), num_merges, rungs=lab.pick([DEFINITION, INDEX, TRAIN], ladder, ladder),
        limit=limits, report=_once(lab, text))
    runs = {one.stage.name: one for one in rungs}
    chosen = {"naive": runs[DEFINITION.name], "optimized": runs[INDEX.name], "last": rungs[-1]}
    seconds = {name: one.run.whole_seconds for name, one in chosen.items()}
    places = [(one.stage, one.run.whole_seconds) for one in rungs]
    lines = []
    for name, counter, trainer in (("naive", WHOLE_TEXT, DEFINITION),
                                   ("optimized", PROCESSES, INDEX)):
        speed = row(figure, f"{name}: merging").value
        assert isinstance(speed, (int, float))
        where = f"its speed{place(num_merges / speed, places).splitlines()[0][2:-1]}"
        for last, key, one, other in ((False, name, counter, trainer),
                                      (True, "last", COUNT, TRAIN)):
            if last and name == "naive":
                continue  # to beat it is no news
            total = counting[key] * factor + seconds[key]
            lines += [
                Line(figure, f"{name}: pretokenizing", counting[key] * factor, label(one),
                     counted.label, last, bool(counted.difference)),
                Line(figure, f"{name}: merging", chosen[key].run.num_merges
                     / chosen[key].run.seconds, label(other), text.label, last,
                     reason=text.difference, note="" if last else where),
                Line(figure, f"{name}: total", total, label(one, other), text.label, last,
                     reason=text.difference)]
    small = text.num_bytes / counted.num_bytes  # counting takes so much of its time on the text
    totals = {key: counting[key] * small + seconds[key] for key in seconds}
    lines.append(Line(figure, "gain", totals["naive"] / totals["optimized"],
                      label(DEFINITION, INDEX), text.label,
                      reason=too_few(chosen["naive"].run, chosen["optimized"].run)))
    lines.append(Line(figure, "gain", totals["naive"] / totals["last"], label(DEFINITION, TRAIN),
                      text.label, last=True, reason=too_few(chosen["naive"].run)))
    table = Table(f"Merging, {num_merges:,} merges wanted, on {text.label}",
                  ["stage", "seconds", "merges/s", "idea"],
                  [[one.stage.number, ladders.rounded(one.run.whole_seconds, one.as_json()),
                    shown(one.run.num_merges / one.run.seconds, "merges/s"), one.stage.idea]
                   for one in rungs])
    return Outcome(lines, [table])


def _once(lab: Lab, text: Text) -> ladders.Reporter:
    seen = set()

    def report(stage: stages.Stage, done: int, total: int) -> None:
        if stage not in seen:
            seen.add(stage)
            lab.note(f"{text.label}: {label(stage)}")
    return report


# --- A4 ------------------------------------------------------------------------------------


def a4(lab: Lab) -> Outcome:
    """A large file with a large vocabulary: time and memory of the last rung."""
    text = lab.text("owt-10gb", lab.pick(100_000, 30_000_000, None))
    is_whole = not text.difference
    factor = 1 if is_whole else text.factor
    lab.note(f"{text.label}: {label(COUNT, TRAIN)}")
    calls = [measure_whole(text, lab.pick(600, 32_000, 32_000), COUNT, TRAIN, cores())
             for _ in range(lab.pick(1, 3, 1))]
    count, merge = (median(call.value[key] for call in calls) for key in ("count", "merge"))
    seconds = count * factor + merge
    note = "" if is_whole else (
        f"counting took {three_digits(count)} s and is scaled by {three_digits(factor)}; merging "
        f"took {three_digits(merge)} s and is not: it depends on how many distinct words there are")
    lines = [Line("A4", name, seconds, label(COUNT, TRAIN), text.label, True, not is_whole,
                  note=note if name == "total" else "") for name in ("total", "course bar: time")]
    lines.append(Line("A4", "peak memory", median(call.peak_bytes for call in calls),
                      label(COUNT, TRAIN), text.label, True,
                      reason="" if is_whole else text.difference))
    return Outcome(lines)
