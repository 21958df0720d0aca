"""The experiments behind the figures in docs/pretokenize. Each saves one file under results/.

    CS336_BPE_DATA=folder python benchmarks/run_pretokenize.py NAME...

`large` needs CS336_BPE_LARGE, a text of some gigabytes; it is compared with its own first part.
Every run is in a fresh process. What is compared is interleaved.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import common
from common import EOT, corpus, large_corpus, run_experiments

from cs336_bpe import stages
from cs336_bpe.common.tables import as_text
from cs336_bpe.measure import ladders as ladder_runs
from cs336_bpe.measure.counting import measure_counting
from cs336_bpe.pretokenize import ANY_PATTERN_STAGE, ENGINE

save = partial(common.save, "pretokenize")


def ladder(name):
    """Every stage on real text."""
    path = corpus(name)
    runs = ladder_runs.run_counting_ladder(path, [EOT], rounds=3)
    print(as_text(ladder_runs.counting_table(runs)))
    save(f"ladder_{name}", {"title": f"{name}.txt, {path.stat().st_size / 1e6:.0f} MB",
                            "rows": runs})


def ladder_web():
    """Every stage on English text from the web."""
    ladder("web")


def ladder_multilingual():
    """Every stage on text in many languages, of which few characters are ASCII."""
    ladder("multilingual")


def threads():
    """One thread against two, interleaved; the stages leave columns, and make no dict."""
    rows = []
    for name in ("web", "stories", "multilingual", "code"):
        path = corpus(name)
        found = [{"text": path.name, "num_bytes": path.stat().st_size, "stage": stage.name,
                  "seconds": {1: [], 2: []}}
                 for stage in (stages.find("pretokenize", "stage11_threads"),
                               stages.find("pretokenize", ENGINE))]
        for _ in range(9):
            for row in found:
                for workers, seconds in row["seconds"].items():
                    run = measure_counting(stages.find("pretokenize", row["stage"]), path, [EOT],
                                           workers=workers)
                    seconds.append(run.columns_seconds)
        for row in found:
            print(row["text"], row["stage"], {workers: statistics.median(seconds)
                                              for workers, seconds in row["seconds"].items()})
        rows += found
    save("threads", {"rows": rows})


def workers():
    """Processes and threads against their number."""
    path = corpus("web")
    rows = []
    for name in (ANY_PATTERN_STAGE, ENGINE):
        for count in (1, 2, 4, 8, 16, 64):
            run = measure_counting(stages.find("pretokenize", name), path, [EOT], workers=count)
            rows.append(run.as_json())
            print(name, count, run.seconds, run.peak_bytes / 1e6, flush=True)
    save("workers", {"rows": rows, "num_bytes": path.stat().st_size})


END_TO_END = {
    "cs336_bpe": """
from cs336_bpe import train_bpe
train_bpe(path, 32_000, ["<|endoftext|>"], workers=1)
""",
    "gigatoken": """
import gigatoken
gigatoken.train_bpe(path, 32_000, ["<|endoftext|>"])
""",
    "tokenizers": """
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
trainer = trainers.BpeTrainer(
    vocab_size=32_000, special_tokens=["<|endoftext|>"], show_progress=False,
    initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
documents = open(path, encoding="utf-8", newline="").read().split("<|endoftext|>")
tokenizer.train_from_iterator(documents, trainer)
""",
}


def end_to_end():
    """Training from a file, against others: one thread each, from the path to the merges."""
    import importlib.metadata

    result = {}
    for name in ("web", "multilingual"):
        path = corpus(name)
        seconds = {peer: [] for peer in END_TO_END}
        for round_number in range(5):
            for peer, program in END_TO_END.items():
                if peer == "tokenizers" and round_number >= 2:
                    continue
                code = (f"import time, cs336_bpe, tokenizers, gigatoken\npath = {str(path)!r}\n"
                        f"start = time.perf_counter()\n{program}\n"
                        f"print('seconds', time.perf_counter() - start)")
                done = subprocess.run(
                    [sys.executable, "-c", code], check=True, capture_output=True, text=True,
                    env={**os.environ, "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"})
                seconds[peer].append(float(done.stdout.split("seconds")[-1]))
        result[name] = {"num_bytes": path.stat().st_size, "seconds": seconds,
                        "medians": {k: statistics.median(v) for k, v in seconds.items()}}
        print(name, seconds)
    save("end_to_end", {"corpora": result, "versions": {
        peer: importlib.metadata.version(peer) for peer in ("gigatoken", "tokenizers")}})


LARGE_ROUNDS = 5
WHOLE = """
import sys, time, hashlib, threading
from pathlib import Path
from cs336_bpe import train_bpe
start = time.perf_counter()
vocab, merges = train_bpe(sys.argv[1], 10_000, ["<|endoftext|>"], workers=int(sys.argv[2]))
seconds = time.perf_counter() - start
lines = Path("/proc/self/status").read_text().splitlines()
peak = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
digest = hashlib.sha256("".join(f"{a.hex()} {b.hex()}\\n" for a, b in merges).encode()).hexdigest()
print(seconds, peak, digest)
"""


def large():
    """Gigabytes: time a byte, and memory of the whole process."""
    path = large_corpus()
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        small = Path(folder, "first_part.txt")
        with path.open("rb") as whole, small.open("wb") as part:
            part.write(whole.read(200_000_000))
        text = path.open("rb").read(20_000_000).replace(EOT.encode(), b"").replace(b"\n", b" ")
        line = Path(folder, "one_line.txt")
        with line.open("wb") as file:
            while file.tell() < 1_000_000_000:
                file.write(text)
        cases = [("first 200 MB", small, 1), ("all", path, 1), ("all", path, 2),
                 ("1 GB, no special token, one line", line, 1)]
        rows = [{"case": case, "workers": count, "num_bytes": source.stat().st_size, "seconds": [],
                 "peak_bytes": 0} for case, source, count in cases]
        for round_number in range(LARGE_ROUNDS + 1):
            for row, (_, source, count) in zip(rows, cases):
                done = subprocess.run([sys.executable, "-c", WHOLE, str(source), str(count)],
                                      check=True, capture_output=True, text=True)
                seconds, peak, digest = done.stdout.split()
                assert row.setdefault("digest", digest) == digest
                if round_number > 0:  # before it, the file may not be in memory
                    row["seconds"].append(float(seconds))
                    row["peak_bytes"] = max(row["peak_bytes"], int(peak))
                print(row, flush=True)
    save("large", {"rows": rows})


EXPERIMENTS = {function.__name__: function for function in (
    ladder_web, ladder_multilingual, threads, workers, end_to_end, large)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
