"""The experiments behind docs/distributed.md: training as the number of distinct pretokens grows.

    python benchmarks/run_scale.py distinct_01 distinct_02 distinct_05     a part of the sizes
    python benchmarks/run_scale.py                                         all, to 20 million

`distinct_NN` trains on NN million distinct pretokens to a vocabulary of 32,000, in a fresh process,
and saves results/scale_distinct_NN.json; each is run by itself if time is short. `tail` drops the
rare pretokens of a generated text, and says what that saves and what it costs. `rates` counts and
encodes over a pool of processes, and with threads, for comparison. `count_10` counts 10 GB with
two threads, and says how much memory that takes; it needs as much room on the disk (TMPDIR).
"""

import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import common
from common import EOT, run_experiments

from cs336_bpe import (
    PretokenCounts,
    Tokenizer,
    count_pretokens,
    count_pretokens_in,
    train_bpe_from_counts,
)
from cs336_bpe.corpora import generated
from cs336_bpe.cost.bytes_per_token import num_tokens
from cs336_bpe.measure.process import peak_memory

save = partial(common.save, "scale")
VOCAB_SIZE = 32_000
TAIL_BYTES = 40_000_000
RATE_BYTES = 40_000_000
COUNTED_BYTES = 10_000_000_000
COUNTED_WORDS = (1_000_000, 4_000_000)
COPIES = 20
SYLLABLES = [bytes([a, b]) for a in b"bcdfghjklmnprstvwxyz" for b in b"aeiou"]
EXPONENT = 1.05  # of Zipf's law: how fast counts fall with the rank


def words(number):
    """Distinct pretokens of the lengths of real ones: generated words, and then pairs of these."""
    known = list(count_pretokens_in(generated.web(4_000_000), [EOT]))
    yield from islice(known, number)
    letters = [word for word in known if word.strip().isalpha()]
    seen = set(known)
    rng = random.Random(336)
    while len(seen) < number:
        word = rng.choice(letters) + rng.choice(letters).strip()[: rng.randint(1, 6)]
        if word not in seen:
            seen.add(word)
            yield word


def train_here(millions):
    """In a process of its own: train, and print what it took as JSON."""
    number = millions * 1_000_000
    with TemporaryDirectory() as folder:
        path = Path(folder, "large.counts")
        # A process of its own, so that making the counts doesn't count as memory of training.
        subprocess.run([sys.executable, __file__, "--make", str(number), str(path)], check=True)
        start = time.perf_counter()
        counts = PretokenCounts.load(path)
        loaded = time.perf_counter()
        before = peak_memory()
        _, merges = train_bpe_from_counts(counts, VOCAB_SIZE, [EOT])
        end = time.perf_counter()
    print(json.dumps({
        "distinct": len(counts), "bytes": len(counts.columns.text), "pretokens": counts.total,
        "merges": len(merges), "load_seconds": loaded - start, "seconds": end - loaded,
        "peak_before_bytes": before,
        "peak_bytes": peak_memory()}))


def make(number, path):
    counts = {word: max(1, int(number / (rank + 1) ** EXPONENT))
              for rank, word in enumerate(words(number))}
    PretokenCounts(counts).save(path)


def distinct(millions):
    done = subprocess.run([sys.executable, __file__, "--train", str(millions)], check=True,
                          capture_output=True, text=True)
    row = json.loads(done.stdout)
    print(row)
    save(f"distinct_{millions:02}", row)


def word(rank):
    """A pretoken for each rank, of as many syllables as the rank has digits.

    >>> word(0), word(3_456_789)
    (b' ba', b' xusimabo')
    """
    syllables = b""
    while rank or not syllables:
        rank, digit = divmod(rank, len(SYLLABLES))
        syllables += SYLLABLES[digit]
    return b" " + syllables


def write_text(num_bytes, num_words, path):
    """In a process of its own: so many bytes of a text with so many words to choose from.

    A twentieth of it is drawn, and written twenty times: counting reads all of it, and what is in
    memory depends on the distinct pretokens only.
    """
    import numpy

    known = list(map(word, range(num_words)))
    rng = numpy.random.Generator(numpy.random.PCG64(336))
    parts = []
    left = num_bytes // COPIES
    while left > 0:
        # Log-uniform: the rank r about 1/r times as often as the first.
        ranks = numpy.exp(rng.random(1_000_000) * numpy.log(num_words)).astype(int) - 1
        parts.append(b"".join(map(known.__getitem__, ranks.tolist()))[:left])
        left -= len(parts[-1])
    with open(path, "wb") as file:
        for _ in range(COPIES):
            file.writelines(parts)


def count_here(path):
    """In a process of its own: count with two threads, and print what it took as JSON."""
    start = time.perf_counter()
    counts = count_pretokens(path, [EOT], workers=2)
    seconds = time.perf_counter() - start
    print(json.dumps({
        "workers": 2, "num_bytes": os.path.getsize(path), "seconds": seconds,
        "distinct": len(counts), "pretokens": counts.total,
        "peak_bytes": peak_memory()}))


def count_10():
    """Texts of 10 GB: memory grows with the distinct pretokens, not with the bytes."""
    rows = []
    for num_words in COUNTED_WORDS:
        with TemporaryDirectory() as folder:
            path = str(Path(folder, "text.txt"))
            subprocess.run([sys.executable, __file__, "--write", str(COUNTED_BYTES),
                            str(num_words), path], check=True)
            done = subprocess.run([sys.executable, __file__, "--count", path], check=True,
                                  capture_output=True, text=True)
        rows.append(json.loads(done.stdout))
        print(rows[-1], flush=True)
    save("count_10", {"rows": rows})


def tail():
    """Train without pretokens that occur fewer than so many times."""
    counts = count_pretokens_in(generated.web(TAIL_BYTES), [EOT])
    held_out = count_pretokens_in(generated.web(10_000_000, seed=1), [EOT])
    rows = []
    whole = None
    for least in (1, 2, 3, 5, 10, 30):
        kept = PretokenCounts({word: n for word, n in counts.items() if n >= least})
        start = time.perf_counter()
        _, merges = train_bpe_from_counts(kept, VOCAB_SIZE, [EOT])
        seconds = time.perf_counter() - start
        whole = merges if whole is None else whole
        same = next((place for place, (a, b) in enumerate(zip(merges, whole)) if a != b),
                    len(merges))
        rows.append({"least": least, "distinct": len(kept), "seconds": seconds,
                     "share_of_text": kept.num_bytes / counts.num_bytes, "same_first": same,
                     "merges": len(merges),
                     "in_common": len(set(merges) & set(whole)) / len(whole),
                     "tokens": num_tokens(merges, held_out)})
        print(rows[-1], flush=True)
    save("tail", {"rows": rows, "num_bytes": TAIL_BYTES, "vocab_size": VOCAB_SIZE})


def rates():
    """Counting and encoding with threads, and over a pool of as many processes."""
    workers = len(os.sched_getaffinity(0))
    with TemporaryDirectory() as name:
        path = Path(name, "corpus.txt")
        path.write_text(generated.web(RATE_BYTES), encoding="utf-8")
        counts = count_pretokens(path, [EOT])
        tokenizer = Tokenizer(*train_bpe_from_counts(counts, 10_000, [EOT]), [EOT])
        rows = []
        small = {"chunk_bytes": 1 << 23, "shard_tokens": 5_000_000, "format": "bin"}
        with ProcessPoolExecutor(workers) as pool:
            list(pool.map(abs, range(workers)))
            for repeat in range(3):
                for kind, options in (("threads", {"workers": workers}),
                                      ("processes", {"executor": pool})):
                    start = time.perf_counter()
                    assert count_pretokens(
                        path, [EOT], **options,
                        **({"part_bytes": 1 << 23} if kind == "processes" else {})) == counts
                    middle = time.perf_counter()
                    tokenizer.encode_files(path, Path(name, f"{kind}{repeat}"), **small, **options)
                    rows.append({"kind": kind, "workers": workers, "count": middle - start,
                                 "encode": time.perf_counter() - middle})
                    print(rows[-1], flush=True)
        save("rates", {"num_bytes": path.stat().st_size, "rows": rows})


def distinct_01():
    distinct(1)


def distinct_02():
    distinct(2)


def distinct_05():
    distinct(5)


def distinct_10():
    distinct(10)


def distinct_20():
    distinct(20)


EXPERIMENTS = {experiment.__name__: experiment for experiment in (
    distinct_01, distinct_02, distinct_05, distinct_10, distinct_20, count_10, tail, rates)}

if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        train_here(int(sys.argv[2]))
    elif sys.argv[1:2] == ["--make"]:
        make(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1:2] == ["--write"]:
        write_text(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    elif sys.argv[1:2] == ["--count"]:
        count_here(sys.argv[2])
    else:
        run_experiments(EXPERIMENTS)
