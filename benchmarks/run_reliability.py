"""The measurement behind docs/reliability.md: what the worst texts cost, and how that grows.

    python benchmarks/run_reliability.py [worst_cases] [crafted_words]

Each family of texts is made in three sizes, of which each is twice the one before. Growth is the
time for the largest divided by that for the one before: 2 is linear, 4 is quadratic. The time per
byte is compared with that for ordinary text (generated, like web text) of the same size. Where
another library does the same work on the same text, it is measured beside, and gets no larger ones
after LIMIT seconds.
Words and pairs that were made to collide in a hash table are compared with random ones, table by
table, by crafted_words.cpp. Saves results/reliability_worst_cases.json and ..._crafted_words.json.
"""

import random
import shutil
import string
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import process_time

import common
from common import EOT, run_experiments

from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated
from cs336_bpe.corpora.near_duplicates import NearDuplicates

save = partial(common.save, "reliability")
SIZES = (500_000, 1_000_000, 2_000_000)  # bytes
ROUNDS = 3  # of which the least counts
LIMIT = 2  # seconds for one text, after which a library is not given larger ones


def words(number_of_letters):
    """Random words that are all different, of this many letters."""
    def make(size):
        rng = random.Random(336)
        number = size // (number_of_letters + 1)
        return "".join(" " + "".join(rng.choices(string.ascii_lowercase, k=number_of_letters))
                       for _ in range(number))
    return make


def random_of(characters):
    def make(size):
        return "".join(random.Random(336).choices(characters, k=size))
    return make


ORDINARY = "ordinary text"
FAMILIES = {
    ORDINARY: generated.web,
    "one letter, without end": lambda size: "a" * size,
    "two letters in turn": lambda size: "ab" * (size // 2),
    "random letters, without end": random_of(string.ascii_lowercase),
    "random digits, without end": random_of(string.digits),
    "spaces": lambda size: " " * size,
    "spaces and line feeds": random_of(" \n"),
    "apostrophes": lambda size: "'" * size,
    "different words of 6 letters": words(6),
    "different words of 15 letters": words(15),
    "different words of 64 letters": words(64),
    "beginnings of special tokens": lambda size: "<|endoftext" * (size // 11),
    "special tokens": lambda size: EOT * (size // len(EOT)),
    "emoji with joiners": lambda size: "\U0001f469\u200d\U0001f680" * (size // 11),
    "marks on one letter": lambda size: "e" + "\u0301" * (size // 2),
}


def tokenizer_of(num_merges):
    counts = count_pretokens_in(generated.web(2_000_000), [EOT])
    return Tokenizer(*train_bpe_from_counts(dict(counts), 257 + num_merges, [EOT]), [EOT])


def as_tiktoken(tokenizer):
    import tiktoken

    tokens = [token for _, token in sorted(tokenizer.vocab.items()) if token != EOT.encode()]
    return tiktoken.Encoding("ours", pat_str=tokenizer.pattern,
                             mergeable_ranks={token: rank for rank, token in enumerate(tokens)},
                             special_tokens={EOT: len(tokens)})


def operations(tokenizer):
    """What is done with a text: how it gets ready, what is measured, and how many bytes that is.

    A name with a bracket is another library's."""
    def stream(text):
        return sum(1 for _ in tokenizer.encode_iterable(
            text[start : start + 1000] for start in range(0, len(text), 1000)))

    def find_near_duplicates(text):
        seen = NearDuplicates(1000)
        return [seen.add(part.encode()) for part in text.split(EOT)]

    def encode(text):  # nothing is known yet
        return Tokenizer(tokenizer.vocab, tokenizer.merges, [EOT]).encode_array(text)

    def num_bytes(text):
        return len(text.encode())

    count = partial(count_pretokens_in, special_tokens=[EOT])
    ours = {"count": (str, count, num_bytes),
            # Only distinct pretokens are work for training, however often they occur.
            "train": (count, lambda counts: train_bpe_from_counts(counts, 1257, [EOT]),
                      lambda counts: sum(map(len, counts))),
            "encode": (str, encode, num_bytes),
            "encode as a stream": (str, stream, num_bytes),
            "near duplicates": (str, find_near_duplicates, num_bytes)}
    try:
        theirs = as_tiktoken(tokenizer)
    except ImportError:
        return ours
    return ours | {"encode (tiktoken)": (
        str, lambda text: theirs.encode(text, allowed_special="all"), num_bytes)}


def seconds_of(perform, ready):
    best = float("inf")
    for _ in range(ROUNDS):
        start = process_time()
        perform(ready)
        best = min(best, process_time() - start)
        if best > LIMIT:
            break
    return best


def measured(operation, family):
    """The seconds for the sizes, and what another library failed with, if it did."""
    prepare, perform, num_bytes = operation
    seconds, sizes = [], []
    try:
        for size in SIZES:
            ready = prepare(family(size))
            seconds.append(seconds_of(perform, ready))
            sizes.append(num_bytes(ready))
            if seconds[-1] > LIMIT:
                break
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of Rust is not an Exception
        failure = f"{type(error).__name__}: {error}"[:200]
    else:
        failure = None
    return {"seconds": seconds, "sizes": sizes, "error": failure}


def worst_cases():
    """All families by all operations."""
    warnings.simplefilter("ignore")  # some texts have no pair left before the vocabulary is full
    rows = []
    for name, operation in operations(tokenizer_of(8_000)).items():
        for family, make in FAMILIES.items():
            rows.append({"operation": name, "family": family, **measured(operation, make)})
            print(rows[-1], flush=True)
    packages = ["tiktoken"] if "tiktoken" in sys.modules else []
    save("worst_cases", {"sizes": SIZES, "rows": rows,
                         "versions": {name: version(name) for name in packages}})


TABLES = ("COUNT", "CACHE", "RANKS", "NUMBERS", "TRAIN")  # of crafted_words.cpp
NUM_WORDS = 50_000


def crafted_words():
    """Words that collide against random ones: seconds and places looked at, in every table."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise SystemExit("this needs g++")
    root = Path(__file__).resolve().parents[1]
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for table in TABLES:
            program = Path(folder, table)
            rooms = (f"-I{root / 'cs336_bpe' / room}"
                     for room in ("native", "pretokenize", "encode", "train"))
            subprocess.run([compiler, "-std=c++17", "-O3", f"-D{table}", "-Dprivate=public", *rooms,
                            Path(__file__).with_name("crafted_words.cpp"), "-o", program],
                           check=True)
            done = subprocess.run([program, str(NUM_WORDS), str(2 * ROUNDS)], check=True,
                                  capture_output=True, text=True)
            for line in done.stdout.splitlines():
                name, words, _, seconds, places = line.split("\t")
                row = rows.setdefault((name, words), {"table": name, "words": words, "seconds": [],
                                                      "places": int(places)})
                row["seconds"].append(float(seconds))
    for row in rows.values():
        print(row, flush=True)
    save("crafted_words", {"number": NUM_WORDS, "rows": [*rows.values()]})


EXPERIMENTS = {function.__name__: function for function in (worst_cases, crafted_words)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
