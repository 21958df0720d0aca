"""A6: encoding with more processes than cores, and where the time goes.

Documents go to processes or threads, and lists of ids come back. The time is split into four: until
all workers are ready (*start*), encoding (*work*, the processor time of the workers, shared out
over the cores), making one list of all (*adding up*), and what is left: *sending*, that is pickling
both ways and waiting for each other.
"""

import multiprocessing
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import BaseContext
from time import perf_counter, process_time, thread_time
from typing import Any

from cs336_bpe.common.amounts import plural, three_digits
from cs336_bpe.common.families import end_with_parent
from cs336_bpe.measure.process import measure_call
from cs336_bpe.reproduce.encode_a_c import beginning, vocabulary
from cs336_bpe.reproduce.rungs import SPECIALS, cores, label, last_of
from cs336_bpe.reproduce.texts import Lab
from cs336_bpe.reproduce.verdicts import Line, Outcome, Table
from cs336_bpe.rules import END_OF_TEXT, Pair, Vocab
from cs336_bpe.tokenizer import Tokenizer

FEW, MANY = 16, 223  # the two that write-up A compared
DOCUMENTS_A_TASK = 64
SECONDS_TO_START = 120.0

_tokenizer: Tokenizer | None = None  # in a worker
_barrier: Any = None


def a6(lab: Lab) -> Outcome:
    """Throughput against the number of processes, and of threads."""
    text = lab.text("tinystories-valid", lab.pick(50_000, 2_000_000, None))
    vocab, merges = vocabulary(lab, text, lab.pick(600, 10_000, 10_000))
    documents = beginning(text, text.num_bytes).split(END_OF_TEXT)
    few, many = lab.pick((1, 2), (FEW, MANY), (FEW, MANY))
    numbers = lab.pick([1, 2], [1, 2, 4, FEW, MANY],
                       [1, 2, 4, 8, FEW, 32, 64, 128, MANY, 256])
    runs: dict[tuple[str, int], dict[str, float]] = {}
    for how, function in (("processes", with_processes), ("threads", with_threads)):
        for number in numbers:
            lab.note(f"{text.label}: {number} {how}")
            call = measure_call(function, documents, vocab, merges, number)
            runs[how, number] = {**call.value, "peak": call.peak_bytes}
    tokens = {run["tokens"] for run in runs.values()}
    if len(tokens) != 1:
        raise AssertionError(f"the numbers of tokens differ: {sorted(tokens)}")

    def speed(how: str, number: int) -> float:
        return text.num_bytes / runs[how, number]["total"]
    best = max(numbers, key=lambda number: speed("threads", number))
    lines = [
        Line("A6", "16 processes against 223", speed("processes", few) / speed("processes", many),
             label(last_of("encode")), text.label, note=f"of the {many} processes' "
             f"{three_digits(runs['processes', many]['total'])} s, "
             f"{three_digits(runs['processes', many]['start'])} are their start"),
        Line("A6", "16 processes against 223", speed("threads", best) / speed("processes", many),
             label(last_of("encode")), text.label, last=True,
             note=f"with {plural(best, 'thread')}, not {few} processes"),
    ]
    rows = [[how, str(number), three_digits(speed(how, number) / 1e6),
             *(three_digits(run[part]) for part in ("start", "work", "sending", "adding")),
             three_digits(run["peak"] / 1e6)] for (how, number), run in runs.items()]
    header = ["with", "number", "MB/s", "start, s", "work, s", "sending, s", "adding up, s",
              "peak MB"]
    return Outcome(lines, [Table(f"Documents of {text.label} to lists of ids, {cores()} cores",
                                 header, rows)])


# --- Processes -----------------------------------------------------------------------------


def start_context() -> BaseContext:
    """Forking, where that is safe: then starting is as cheap as it can be."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def initialize(vocab: Vocab, merges: list[Pair], barrier: Any) -> None:
    global _tokenizer, _barrier
    _tokenizer = Tokenizer(vocab, merges, SPECIALS)
    _barrier = barrier
    end_with_parent()


def is_ready(number: int) -> int:
    """Each worker takes one of these calls, because none returns before all have one."""
    _barrier.wait(SECONDS_TO_START)
    return os.getpid()


def encode_task(documents: list[str]) -> tuple[list[list[int]], float]:
    """The ids of some documents, and the processor time that they took."""
    assert _tokenizer is not None
    start = process_time()
    ids = [_tokenizer.encode(document) for document in documents]
    return ids, process_time() - start


def with_processes(documents: list[str], vocab: Vocab, merges: list[Pair],
                   number: int) -> dict[str, float]:
    """Encode with a pool of processes. In a fresh process."""
    context = start_context()
    begin = perf_counter()
    barrier = context.Barrier(number)
    with context.Pool(number, initialize, (vocab, merges, barrier)) as pool:
        pool.map(is_ready, range(number), chunksize=1)
        started = perf_counter()
        ids: list[int] = []
        busy = adding = 0.0
        for some, seconds in pool.imap(encode_task, tasks(documents)):
            busy += seconds
            at = perf_counter()
            for one in some:
                ids.extend(one)
            adding += perf_counter() - at
        end = perf_counter()
    return split(begin, started, end, busy, adding, number, len(ids))


def tasks(documents: list[str]) -> list[list[str]]:
    return [documents[at : at + DOCUMENTS_A_TASK]
            for at in range(0, len(documents), DOCUMENTS_A_TASK)]


def split(begin: float, started: float, end: float, busy: float, adding: float, number: int,
          tokens: int) -> dict[str, float]:
    """The four parts of a time.

    >>> parts = split(0.0, 1.0, 5.0, 2.0, 0.5, 1, 9)
    >>> [parts[name] for name in ("start", "work", "adding", "sending", "total")]
    [1.0, 2.0, 0.5, 1.5, 5.0]
    """
    work = busy / min(number, cores())
    return {"start": started - begin, "work": work, "adding": adding, "total": end - begin,
            "sending": max(0.0, end - started - work - adding), "tokens": tokens}


# --- Threads -------------------------------------------------------------------------------


def with_threads(documents: list[str], vocab: Vocab, merges: list[Pair],
                 number: int) -> dict[str, float]:
    """Encode with threads, which share one tokenizer and send nothing. In a fresh process."""
    begin = perf_counter()
    tokenizer = Tokenizer(vocab, merges, SPECIALS)
    barrier = threading.Barrier(number)

    def encode(some: list[str]) -> tuple[list[list[int]], float]:
        start = thread_time()
        return [tokenizer.encode(document) for document in some], thread_time() - start
    with ThreadPoolExecutor(number) as pool:
        list(pool.map(lambda _: barrier.wait(SECONDS_TO_START), range(number)))
        started = perf_counter()
        ids: list[int] = []
        busy = adding = 0.0
        for result, seconds in pool.map(encode, tasks(documents)):
            busy += seconds
            at = perf_counter()
            for one in result:
                ids.extend(one)
            adding += perf_counter() - at
        end = perf_counter()
    return split(begin, started, end, busy, adding, number, len(ids))
