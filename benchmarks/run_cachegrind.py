"""Instructions, branches and cache misses of the compiled rungs, counted by a simulator.

    CS336_BPE_DATA=folder python benchmarks/run_cachegrind.py train pretokenize encode decode

Many machines don't let a program read the processor's counters. Valgrind counts on all of them: it
runs a program step by step, and simulates two caches and the guessing of branches, by the code of
its tool cachegrind. Here its tool callgrind does that, because it can be told when to count: while
a stage works, and not while Python starts and a vocabulary is loaded.

Needs `valgrind` with its headers and a C compiler. A stage takes fifty times as long as without it.
"""

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import common
from common import corpus, run_experiments
from run_encode import gpt2

from cs336_bpe import count_pretokens_in, stages
from cs336_bpe.rules import BYTES

save = partial(common.save, "cachegrind")
CACHES = {"I1": "32768,8,64", "D1": "32768,8,64", "LL": "524288,8,64"}
"""Bytes, ways, bytes per line. They are the same on every machine, so that the counts are, too.
There are two levels; the second is as large as what a core often has to itself."""
NUM_BYTES = 3_000_000
NUM_MERGES = 8_000
FIRST = {"train": "stage09", "pretokenize": "stage06", "encode": "stage10", "decode": "stage04"}
"""The first stage of each ladder that is counted; its Python objects are gone by then."""
SWITCH = """
#include <valgrind/callgrind.h>
void start(void) { CALLGRIND_START_INSTRUMENTATION; }
void end_of_pass(void) { CALLGRIND_DUMP_STATS; }  /* and all counts are 0 again */
"""
PROGRAM = """
import ctypes, pickle, sys
from importlib import import_module
module, path, switch = sys.argv[1:]
stage = import_module(module)
with open(path, "rb") as file:
    ready = pickle.load(file)
{work}
count = ctypes.CDLL(switch)
count.start()
for argument in ready["passes"].values():
    work(argument)
    count.end_of_pass()
"""
WORK = {
    "train": "work = lambda num_merges: stage.learn_merges(ready['counts'], num_merges)",
    "pretokenize": "work = lambda path: stage.count_pretokens(path, [], workers=1)",
    "encode": "work = stage.Encoder(ready['vocab'], ready['merges']).encode_text",
    "decode": "work = stage.Decoder(ready['vocab']).decode",
}


def read_counts(lines):
    """{event: how often}, of a file of callgrind.

    >>> read_counts(["events: Ir Bc", "fn=(1) work", "7 5 2", "totals: 30 12"])
    {'Ir': 30, 'Bc': 12}
    """
    events, totals = (next(line.split()[1:] for line in lines if line.startswith(start))
                      for start in ("events:", "totals:"))
    return dict(zip(events, map(int, totals), strict=False))  # zeros at the end are left out


def of_interest(counts):
    """What the tables show of all that is counted. Misses are those of data."""
    def together(*events):
        return sum(counts.get(event, 0) for event in events)
    return {"instructions": together("Ir"), "branches": together("Bc", "Bi"),
            "wrong_guesses": together("Bcm", "Bim"), "near_misses": together("D1mr", "D1mw"),
            "far_misses": together("DLmr", "DLmw")}


def build_switch(folder):
    """The library by which a program says when to count."""
    source, library = Path(folder, "switch.c"), Path(folder, "switch.so")
    source.write_text(SWITCH, encoding="utf-8")
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-shared", "-fPIC", "-O1", source, "-o", library], check=True)
    return library


def count_stage(stage, ready, switch):
    """{pass: counts}: a stage does its work several times, in a process of its own.

    `ready` is all that it needs. Of that, `passes` has a name and an argument for each time.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "ready"), Path(folder, "out")
        path.write_bytes(pickle.dumps(ready))
        subprocess.run(
            ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes",
             "--instr-atstart=no", *(f"--{name}={size}" for name, size in CACHES.items()),
             f"--callgrind-out-file={out}", "--log-file=/dev/null", sys.executable, "-c",
             PROGRAM.format(work=WORK[stage.ladder]), stage.module_name, path, switch],
            check=True, env={**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"})
        return {name: of_interest(read_counts(Path(f"{out}.{number}").read_text().splitlines()))
                for number, name in enumerate(ready["passes"], 1)}


def count_ladder(ladder, ready, *, unit, number, **more):
    """Count the last rungs of a ladder, and save."""
    if shutil.which("valgrind") is None:
        raise SystemExit("this needs valgrind")
    done = subprocess.run(["valgrind", "--version"], check=True, capture_output=True, text=True)
    rungs = stages.ladder(ladder)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        switch = build_switch(folder)
        for rung in rungs[[rung.number for rung in rungs].index(FIRST[ladder]):]:
            passes = count_stage(rung, ready, switch)
            rows.append({"stage": rung.name, **passes})
            for name, counts in passes.items():
                print(rung.number, name, *(f"{count / number:.4g} {event}"
                                           for event, count in counts.items()), flush=True)
    save(ladder, {"unit": unit, "number": number, "num_bytes": NUM_BYTES, "caches": CACHES,
                  "valgrind": done.stdout.strip().removeprefix("valgrind-"), "rows": rows, **more})


def beginning():
    """The beginning of web text, cut between characters."""
    with corpus("web").open("rb") as file:
        return file.read(NUM_BYTES).decode(errors="ignore").encode()


def twice(argument):
    """Two passes over the same thing, because the first one may have to make tables."""
    return {"passes": {"first": argument, "again": argument}}


def train():
    """The counts of web text, 8,000 merges, per place that a merge changes."""
    counts = dict(count_pretokens_in(beginning(), []))
    merges = stages.ladder("train")[-1].load().learn_merges(counts, NUM_MERGES)
    vocab = dict(enumerate([*BYTES, *(left + right for left, right in merges)]))
    encode = stages.ladder("encode")[-1].load().Encoder(vocab, merges).encode_pretoken
    changed = sum(len(word) - len(encode(word)) for word in counts)
    count_ladder("train", {"counts": counts, "passes": {"without a merge": 0, "whole": NUM_MERGES}},
                 unit="changed place", number=changed, merges=len(merges), distinct=len(counts))


def pretokenize():
    """Counting web text, with one worker, per pretoken."""
    text = beginning()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_bytes(text)
        counts = count_pretokens_in(text, [])
        count_ladder("pretokenize", twice(str(path)), unit="pretoken",
                     number=sum(counts.values()), distinct=len(counts))


def encode():
    """Web text to a list of ids with GPT-2's vocabulary, per pretoken; new text, and known."""
    text = beginning()
    vocab, merges = gpt2()
    counts = count_pretokens_in(text, [])
    count_ladder("encode", {"vocab": vocab, "merges": merges, **twice(text)}, unit="pretoken",
                 number=sum(counts.values()), distinct=len(counts))


def decode():
    """The ids of web text to text with GPT-2's vocabulary, per token."""
    vocab, merges = gpt2()
    rung = stages.ladder("encode")[-1].load()
    ids = rung.Encoder(vocab, merges).encode_text(beginning())
    count_ladder("decode", {"vocab": vocab, **twice(ids)}, unit="token", number=len(ids))


EXPERIMENTS = {function.__name__: function for function in (train, pretokenize, encode, decode)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
