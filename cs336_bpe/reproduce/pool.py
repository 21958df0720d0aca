"""D: a pool of processes around the counting of each merge. Its predictions, measured.

Write-up D gives every process one word at a time. Its speedups are predictions for some number of
cores. To judge them on few cores, the time that the parent process itself needs is measured: it
pickles the words, adds the counts up, and merges, and no number of cores makes that less. So the
processor time of the serial version divided by the parent's is the most that any machine could
gain (Amdahl's limit).
"""

from collections.abc import Callable
from math import ceil
from time import perf_counter, process_time
from typing import Any

from cs336_bpe.common.amounts import percent, readable_size, three_digits
from cs336_bpe.measure.process import family_usage, measure_call
from cs336_bpe.reproduce.rungs import cores, label, last_of, rung
from cs336_bpe.reproduce.texts import Lab
from cs336_bpe.reproduce.verdicts import Line, Outcome, Table
from cs336_bpe.rules import Pair
from cs336_bpe.train.detour_process_pool import ProcessPoolTrainer

Knobs = dict[str, Any]
SERIAL = rung("train", "recount_everything")
DETOUR = rung("train", "process_pool")
TASKS_A_WORKER = 2
SECONDS_BETWEEN_REPORTS = 2.0
RARE = 5
Counts = dict[bytes, int]


class Live:
    """Says now and then what a process and all that it has started use: write-up D's report."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self.note = note
        self.last = perf_counter()
        self.cpu_seconds = 0.0

    def watch(self, pid: int) -> None:
        now = perf_counter()
        if now - self.last < SECONDS_BETWEEN_REPORTS or (usage := family_usage(pid)) is None:
            return
        busy = max(0.0, usage.cpu_seconds - self.cpu_seconds) / (now - self.last)
        self.last, self.cpu_seconds = now, usage.cpu_seconds
        self.note(f"now: {usage.processes} processes, "
                  f"{readable_size(usage.num_bytes)}, {busy:.1f} cores busy")


def learn_serial(counts: Counts, num_merges: int) -> tuple[float, float, list[Pair]]:
    start, busy = perf_counter(), process_time()
    merges = SERIAL.load().learn_merges(counts, num_merges)
    return perf_counter() - start, process_time() - busy, merges


def learn_with_pool(counts: Counts, num_merges: int,
                    knobs: Knobs) -> tuple[float, float, list[Pair]]:
    """Seconds, processor time of this process alone, and merges. In a fresh process; those of the
    pool have their own processor time."""
    with ProcessPoolTrainer(**knobs) as trainer:
        if trainer.reuse_pool:  # a run of thousands of merges starts it once: not on the clock
            trainer.learn_merges(dict.fromkeys(map(bytes, zip(range(64), range(64))), 1), 1)
        start, busy = perf_counter(), process_time()
        merges = trainer.learn_merges(counts, num_merges)
        seconds, parent = perf_counter() - start, process_time() - busy
    return seconds, parent, merges


def d(lab: Lab) -> Outcome:
    """Each knob in turn, the number of workers, and the limit for any number of cores."""
    text = lab.text("tinystories-valid", lab.pick(20_000, 1_000_000, 5_000_000))
    counts: Counts = dict(lab.counts(text))
    num_merges = lab.pick(1, 3, 20)
    few = {word: number for word, number in counts.items() if number >= RARE}
    workers = max(2, min(cores(), 6))  # write-up D: 4 to 6 are best, never more than 8
    batch = ceil(len(counts) / (TASKS_A_WORKER * workers))

    def run(name: str, knobs: Knobs) -> tuple[float, float]:
        lab.note(f"{text.label}: {name}")
        seconds, parent, merges = measure_call(
            learn_with_pool, counts, num_merges, {"max_workers": workers, **knobs},
            watch=Live(lab.note).watch).value
        if "min_frequency" not in knobs and merges != expected:
            raise AssertionError(f"{name}: other merges than the serial version's")
        return seconds, parent
    lab.note(f"{text.label}: {label(SERIAL)}")
    serial, serial_cpu, expected = measure_call(learn_serial, counts, num_merges).value
    few_serial, few_cpu, _ = measure_call(learn_serial, few, num_merges).value
    versions: list[tuple[str, str, Knobs]] = [
        ("a pool for every merge", "one word per task, as published",
         {"reuse_pool": False, "batch_size": 1}),
        ("+ one pool for all", "one word per task", {"batch_size": 1}),
        ("", "100 words per task, which is kinder", {"batch_size": 100}),
        ("+ batches", f"{batch:,} words per task", {"batch_size": batch}),
        ("+ frequency filter", f"words seen {RARE} times or more, and one per task",
         {"batch_size": 1, "min_frequency": RARE}),
        ("all of it", f"{batch:,} words per task, seen {RARE} times or more",
         {"batch_size": batch, "min_frequency": RARE}),
    ]
    lines = [Line("D", "serial", 1.0, label(SERIAL), text.label)]
    rows = [["serial", three_digits(serial), "1.00", "", ""]]
    for name, about, knobs in versions:
        seconds, parent = run(about, knobs)
        # A gain is over the serial version on the same words.
        one, one_cpu = (few_serial, few_cpu) if "min_frequency" in knobs else (serial, serial_cpu)
        limit = one_cpu / parent
        if name:
            lines.append(Line("D", name, one / seconds, label(DETOUR), text.label,
                              note=f"{about}; {workers} workers. {amdahl(name, limit)}"))
        rows.append([f"{name or 'in between'}: {about}", three_digits(seconds),
                     three_digits(one / seconds), percent(parent / seconds),
                     three_digits(limit)])
    rows.append([f"serial, words seen {RARE} times or more: what the last two compare with",
                 three_digits(few_serial), "1.00", "", ""])
    swept = []
    for number in lab.pick([1], [1, 2, 4, 8], [1, 2, 4, 6, 8, 16]):
        seconds, parent = run(f"{number} workers", {"batch_size": batch, "max_workers": number})
        swept.append([str(number), three_digits(seconds), three_digits(serial / seconds)])
    best = measure_call(learn_last, counts, num_merges).value
    lines.append(Line("D", "all of it", serial / best, label(last_of("train")), text.label,
                      last=True, note="one thread, and the same merges"))
    return Outcome(lines, [
        Table(f"{num_merges} merges of {text.label}, {workers} workers on {cores()} cores",
              ["version", "seconds", "gain", "parent busy", "limit on any number of cores"], rows),
        Table(f"Workers, {batch:,} words per task", ["workers", "seconds", "gain"], swept)])


def learn_last(counts: Counts, num_merges: int) -> float:
    start = perf_counter()
    last_of("train").load().learn_merges(counts, num_merges)
    return perf_counter() - start


def amdahl(name: str, limit: float) -> str:
    """What the limit says about a prediction.

    >>> amdahl("+ batches", 2.1)
    'With any number of cores it would gain at most 2.10x, so the prediction cannot hold'
    >>> amdahl("+ batches", 9.0)
    'With any number of cores it would gain at most 9.00x'
    """
    wanted = Line("D", name, None).published.value
    assert isinstance(wanted, (int, float))
    words = f"With any number of cores it would gain at most {three_digits(limit)}x"
    return f"{words}, so the prediction cannot hold" if limit < wanted else words
