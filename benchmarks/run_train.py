"""The experiments behind the figures in docs/train. Each saves one file under results/.

    python benchmarks/run_train.py NAME...        (see EXPERIMENTS at the end)

Those on real text need CS336_BPE_DATA, the folder with `corpora/` and `cs336/`. Every run is in a
fresh process. What is compared is interleaved, and the median and the spread are kept.
`python benchmarks/render.py` writes the tables of the docs from the saved files.
"""

import cProfile
import gc
import importlib.metadata
import json
import os
import pstats
import random
import re
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from math import inf
from pathlib import Path
from time import perf_counter

import common
from common import EOT, corpus, describe_counts, run_experiments

from cs336_bpe import count_pretokens, stages
from cs336_bpe.common.tables import as_text
from cs336_bpe.corpora import generated
from cs336_bpe.measure import ladders
from cs336_bpe.measure.training import measure_training
from cs336_bpe.train import ENGINE
from cs336_bpe.train.detour_process_pool import ProcessPoolTrainer

save = partial(common.save, "train")
ROUNDS = 3  # of a ladder; a stage that takes minutes runs in the first only
REPEAT_BELOW = 60  # seconds
# Seconds after which a stage has done enough. The first merges are those of the most frequent
# pairs, so where a merge costs as much as its pair occurs, only a complete run says anything.
# Complete runs take up to an hour on the corpora of stories, and up to a day on web text.
LIMITS = dict.fromkeys(("stage01", "stage02", "stage03"), 12)


def engine():
    """The stage that the product uses."""
    return stages.find("train", ENGINE)


def built_in_counts(kind, num_bytes):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus.txt")
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(generated.stream(kind, num_bytes))
        return dict(count_pretokens(path, [EOT]))


def real_counts(name):
    path = corpus(name)
    if name == "tinystories_train":
        return {word.encode(): n for word, n in json.loads(path.read_text("utf-8")).items()}
    return dict(count_pretokens(path, [EOT]))


def one_ladder(name, title, counts, vocab_size, limit=inf, rounds=ROUNDS):
    """Without a limit every stage does all merges, and no figure is extrapolated."""
    rows = ladders.run_training_ladder(counts, vocab_size - 257, limit=limit, rounds=rounds,
                                       repeat_below=REPEAT_BELOW, report=say_sometimes())
    rows = [row.as_json() for row in rows]
    print(as_text(ladders.table(rows)))
    save(name, {"title": title, "vocab_size": vocab_size, "corpus": describe_counts(counts),
                "limit": None if limit == inf else limit, "rows": rows})


def say_sometimes(every=30.0):
    """Progress for a complete run, which can take most of an hour: a line now and then."""
    last = perf_counter()

    def report(stage, done, total):
        nonlocal last
        if perf_counter() - last >= every:
            last = perf_counter()
            print(f"{stage.number}: {done:,} of {total:,} merges", flush=True)
    return report


def ladder_built_in():
    one_ladder("ladder_built_in", "built-in stories, 5 MB, vocabulary 2,000",
               built_in_counts("stories", 5_000_000), 2_000)


def ladder_course():
    one_ladder("ladder_course", "the course's corpus.en, 133 kB, vocabulary 500",
               real_counts("course"), 500)


def ladder_stories():
    one_ladder("ladder_stories", "21 MB of stories, vocabulary 4,096", real_counts("stories"),
               4_096)


def ladder_tinystories():
    one_ladder("ladder_tinystories", "TinyStories-train (2.2 GB), vocabulary 10,000",
               real_counts("tinystories_train"), 10_000)


def ladder_web():
    one_ladder("ladder_web", "100 MB of web text, vocabulary 32,000", real_counts("web"),
               32_000, limit=LIMITS, rounds=1)


PEERS = {
    "gigatoken": """
import sys, time, gigatoken
start = time.perf_counter()
vocab, merges = gigatoken.train_bpe(sys.argv[1], int(sys.argv[2]), ["<|endoftext|>"])
print("total", time.perf_counter() - start, len(merges))
""",
    "rustbpe": """
import logging, sys, time, rustbpe
from cs336_bpe import GPT2_PATTERN
logging.basicConfig(level=logging.INFO, format="%(relativeCreated)d %(message)s")
documents = open(sys.argv[1], encoding="utf-8", newline="").read().split("<|endoftext|>")
tokenizer = rustbpe.Tokenizer()
start = time.perf_counter()
tokenizer.train_from_iterator(iter(documents), int(sys.argv[2]) - 1, pattern=GPT2_PATTERN)
print("total", time.perf_counter() - start, tokenizer.vocab_size - 256)
""",
}


def peer_merge_seconds(name, path, vocab_size):
    """The seconds that a peer's merge phase takes on one thread, by what it prints itself."""
    done = subprocess.run([sys.executable, "-c", PEERS[name], str(path), str(vocab_size)],
                          check=True, text=True, capture_output=True,
                          env={**os.environ, "RAYON_NUM_THREADS": "1"})
    output = done.stdout + done.stderr
    if name == "gigatoken":  # the total, less the pretokenization that it reports
        total = float(re.search(r"total (\S+)", output).group(1))
        number, unit = re.search(r"Pretokenization took ([\d.]+)(m?s)", output).groups()
        return total - float(number) / (1000 if unit == "ms" else 1)
    begin = int(re.search(r"(\d+) Starting BPE training", output).group(1))
    end = int(re.search(r"(\d+) Finished training", output).group(1))
    return (end - begin) / 1000


def peers():
    path = corpus("web")
    counts = real_counts("web")
    seconds = {"cs336_bpe": [], **{name: [] for name in PEERS}}
    for _ in range(ROUNDS):
        run = measure_training(engine(), counts, 31_743)
        seconds["cs336_bpe"].append(run.all_seconds[0])
        for name in PEERS:
            seconds[name].append(peer_merge_seconds(name, path, 32_000))
        print(seconds)
    save("peers", {
        "corpus": describe_counts(counts), "vocab_size": 32_000, "seconds": seconds,
        "medians": {name: statistics.median(values) for name, values in seconds.items()},
        "versions": {name: importlib.metadata.version(name) for name in PEERS},
    })


def pathological():
    """Counts that a careless design is quadratic on; seconds and time per byte."""
    rng = random.Random(336)
    letters = b"abcdefghijklmnopqrstuvwxyz"
    cases = {"web text (100 MB), for comparison": real_counts("web")}
    for megabytes in (1, 2, 4, 5):
        size = megabytes * 1_000_000
        cases[f"one word of one letter, {megabytes} MB"] = {b"a" * size: 1}
        cases[f"one word of `ab` repeated, {megabytes} MB"] = {b"ab" * (size // 2): 1}
        cases[f"one word of random letters, {megabytes} MB"] = {
            bytes(rng.choices(letters, k=size)): 1}
    for thousands in (175, 350, 700):
        words = set()
        while len(words) < thousands * 1000:
            words.add(bytes(rng.choices(letters, k=6)))
        cases[f"{thousands},000 random words of 6 letters"] = dict.fromkeys(sorted(words), 1)
    rows = []
    for name, counts in cases.items():
        run = measure_training(engine(), counts, 31_743)
        num_bytes = sum(map(len, counts))
        rows.append({"case": name, "bytes": num_bytes, "merges": run.num_merges,
                     "seconds": run.seconds, "ns_per_byte": run.seconds / num_bytes * 1e9,
                     "peak_per_byte": run.peak_bytes / num_bytes})
        print(rows[-1])
    save("pathological", {"rows": rows})


def memory():
    """Peak memory of the last rung for each byte of distinct pretokens."""
    rng = random.Random(336)
    words = set()
    letters = b"abcdefghijklmnopqrstuvwxyz"
    while len(words) < 5_000_000:
        words.add(bytes(rng.choices(letters, k=rng.randint(4, 12))))
    cases = {"web text (100 MB)": (real_counts("web"), 31_743),
             "TinyStories-train": (real_counts("tinystories_train"), 9_743),
             "5,000,000 random words of 4 to 12 letters": (
                 {word: 1 + n % 50 for n, word in enumerate(sorted(words))}, 31_743)}
    rows = []
    for name, (counts, num_merges) in cases.items():
        run = measure_training(engine(), counts, num_merges)
        num_bytes = sum(map(len, counts))
        rows.append({"case": name, "kinds": len(counts), "bytes": num_bytes,
                     "merges": run.num_merges, "seconds": run.seconds,
                     "peak_bytes": run.peak_bytes, "peak_per_byte": run.peak_bytes / num_bytes})
        print(rows[-1])
        gc.collect()
    save("memory", {"rows": rows})


def detour():
    """Write-up D's predictions, one knob after the other, and what rare words are worth."""
    counts = built_in_counts("stories", 5_000_000)
    num_merges = 20
    versions = {
        "serial (stage01)": None,
        "a pool for every merge, tasks of 100 words": {"reuse_pool": False, "batch_size": 100},
        "+ one pool for all merges": {"batch_size": 100},
        "+ tasks of 10,000 words": {"batch_size": 10_000},
        "+ words seen 5 times or more": {"batch_size": 10_000, "min_frequency": 5},
        "serial, words seen 5 times or more": 5,
    }
    seconds = {name: [] for name in versions}
    serial = stages.find("train", "stage01").load().learn_merges
    for _ in range(3):
        for name, knobs in versions.items():
            words = counts
            if isinstance(knobs, int):
                words = {word: n for word, n in counts.items() if n >= knobs}
            start = perf_counter()
            if isinstance(knobs, dict):
                with ProcessPoolTrainer(max_workers=2, **knobs) as trainer:
                    trainer.learn_merges(words, num_merges)
            else:
                serial(words, num_merges)
            seconds[name].append(perf_counter() - start)
        print(seconds)
    changes = []
    learn_merges = engine().load().learn_merges
    whole = learn_merges(counts, 3_743)
    for smallest in (1, 2, 3, 5, 10):
        kept = {word: n for word, n in counts.items() if n >= smallest}
        merges = learn_merges(kept, 3_743)
        first = next((i for i, pair in enumerate(whole) if pair != merges[i]), None)
        shared = len({a + b for a, b in whole} & {a + b for a, b in merges})
        changes.append({"min_frequency": smallest, "kinds": len(kept),
                        "text": sum(len(w) * n for w, n in kept.items())
                        / sum(len(w) * n for w, n in counts.items()),
                        "first_difference": first, "shared": shared / len(whole)})
    save("detour", {
        "corpus": describe_counts(counts), "merges": num_merges, "seconds": seconds,
        "medians": {name: statistics.median(values) for name, values in seconds.items()},
        "changes": changes,
    })


def profiles():
    """Where the time of each stage in plain Python goes, by cProfile, largest share first."""
    counts = built_in_counts("stories", 5_000_000)
    merges = {"stage01": 20, "stage02": 100, "stage03": 300}  # the slow ones; others do all
    stages_seen = {}
    for stage in stages.ladder("train"):
        if stage.compiled:
            break
        num_merges = merges.get(stage.number, 1743)
        profiler = cProfile.Profile()
        learn_merges = stage.load().learn_merges
        profiler.runcall(learn_merges, counts, num_merges)
        rows = []
        stats = pstats.Stats(profiler).get_stats_profile()
        for name, function in stats.func_profiles.items():
            rows.append((function.tottime / stats.total_tt, name, function.ncalls))
        stages_seen[stage.name] = {
            "merges": num_merges,
            "rows": [{"share": share, "function": name, "calls": calls}
                     for share, name, calls in sorted(rows, reverse=True)[:6]],
        }
        print(stage.name, *stages_seen[stage.name]["rows"], sep="\n  ")
    save("profiles", {"corpus": describe_counts(counts), "stages": stages_seen})


EXPERIMENTS = {function.__name__: function for function in (
    ladder_built_in, ladder_course, ladder_stories, ladder_tinystories, ladder_web,
    peers, pathological, memory, detour, profiles)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
