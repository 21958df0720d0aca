"""What a tokenizer loses when it is trained on a sample: behind docs/corpora/sample.md.

    CS336_BPE_DATA=folder python benchmarks/run_sampling.py

The last 5 % of the documents of a corpus are held out. Tokenizers are trained on samples of the
rest, and compared by how many bytes of the held-out text a token has. Also here: how often
near-duplicates are found, against the exact definition. It takes about ten minutes, and saves
results/sampling.json.
"""

import json
import random
import tempfile
import warnings
import zlib
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from time import perf_counter

from common import EOT, corpus, save

from cs336_bpe import EarlyStopWarning, count_pretokens, train_bpe_from_counts
from cs336_bpe.corpora.near_duplicates import NearDuplicates
from cs336_bpe.corpora.sample import sample
from cs336_bpe.cost.bytes_per_token import bytes_per_token

FRACTIONS = (0.01, 0.03, 0.1, 0.3, 1.0)
SEEDS = range(5)
REPEATS = 5  # of each training, for its time: the least counts, for others may use the machine too
CORPORA = {"web": (10_000, 32_000), "stories": (10_000,)}  # vocabulary sizes


# --- Samples -------------------------------------------------------------------------------


def split(name, folder):
    """The first 95 % of the documents of a corpus as one file, and the others as another."""
    separator = EOT.encode()
    documents = corpus(name).read_bytes().split(separator)
    cut = len(documents) * 95 // 100
    paths = Path(folder, f"{name}_train.txt"), Path(folder, f"{name}_held_out.txt")
    paths[0].write_bytes(separator.join(documents[:cut]) + separator)
    paths[1].write_bytes(separator.join(documents[cut:]))
    return paths


def train(path, vocab_sizes):
    """Merges for the largest size, of which those for the smaller ones are the beginning."""
    start = perf_counter()
    counts = count_pretokens(path, [EOT], workers=1)
    counted = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EarlyStopWarning)
        _, merges = train_bpe_from_counts(counts, max(vocab_sizes), [EOT])
    return merges, len(counts), counted - start, perf_counter() - counted


def run_corpus(name, vocab_sizes, folder):
    whole, held_out_path = split(name, folder)
    held_out = count_pretokens(held_out_path, [EOT])
    part = Path(folder, "sample.txt")
    train(whole, vocab_sizes)  # so that the file, and the code, are in memory when time counts
    rows = []
    for seed in SEEDS:
        for fraction in FRACTIONS:
            for smart in (False, True):
                start = perf_counter()
                report = sample(whole, part, fraction=fraction, smart=smart, seed=seed)
                sampled = perf_counter() - start
                if fraction == 1 and not smart:
                    sampled = 0.0  # nobody takes a sample to train on all
                repeats = [train(part, vocab_sizes) for _ in range(REPEATS)]
                merges, kinds = repeats[0][:2]
                row = {"fraction": fraction, "smart": smart, "seed": seed,
                       "documents": report.after.documents, "bytes": report.after.bytes,
                       "near_duplicates": report.near_duplicates, "kinds": kinds,
                       "merges": len(merges), "sample_seconds": sampled,
                       "count_seconds": [seconds[2] for seconds in repeats],
                       "merge_seconds": [seconds[3] for seconds in repeats]}
                if fraction < 1 or seed == 0:  # the others are the same
                    reached = 257 + len(merges)
                    row["bytes_per_token"] = list(bytes_per_token(
                        merges, held_out, [min(size, reached) for size in vocab_sizes],
                        num_specials=1).values())
                rows.append(row)
                print(name, row, flush=True)
    return {"vocab_sizes": vocab_sizes, "train_bytes": whole.stat().st_size,
            "held_out_bytes": held_out_path.stat().st_size, "rows": rows}


# --- Near-duplicates -----------------------------------------------------------------------


@lru_cache(maxsize=1000)
def shingles(text):
    """The definition, in plain Python."""
    folded = b" ".join(text.lower().split())
    return {folded[i : i + 24] for i in range(max(1, len(folded) - 23))}


def alike(one, other):
    return len(one & other) / len(one | other)


def random_text(rng):
    return " ".join("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9)))
                    for _ in range(300)).encode()


def error_rates(pairs=12_000):
    """Texts and changed texts: which share is found, by how alike they are."""
    rng = random.Random(0)
    found = defaultdict(list)
    for _ in range(pairs):
        text = random_text(rng)
        other = bytearray(text)
        for place in rng.sample(range(len(text)), rng.randint(1, 30)):
            other[place] = rng.choice(b"abcdefghijklmnopqrstuvwxyz")
        likeness = alike(shingles(text), shingles(bytes(other)))
        seen = NearDuplicates(1)
        seen.add(text)
        found[round(likeness * 20) / 20].append(seen.add(bytes(other)))
    return [{"likeness": likeness, "pairs": len(results), "found": sum(results) / len(results)}
            for likeness, results in sorted(found.items()) if len(results) >= 200]


def on_real_text():
    """All near-duplicates in stories.txt, exactly, and those that are found.

    Documents whose eight smallest shingle hashes have one in common are compared exactly, if their
    lengths allow it; of pairs that are 0.8 alike, one in 400,000 has none in common.
    """
    documents = corpus("stories").read_bytes().split(EOT.encode())
    seen = NearDuplicates()
    results = [(place, seen.add(document)) for place, document in enumerate(documents)]
    by_hash = defaultdict(list)
    sizes = []
    rows = []
    for place, is_found in results:
        mine = shingles(documents[place])
        smallest = sorted(map(zlib.crc32, mine))[:8]
        sizes.append(len(mine))
        others = {other for value in smallest for other in by_hash[value]
                  if 0.6 <= sizes[other] / len(mine) <= 1 / 0.6}
        likeness = max((alike(mine, shingles(documents[other])) for other in others), default=0.0)
        if likeness >= 0.7 or is_found:
            rows.append({"document": place, "likeness": likeness, "found": is_found})
        for value in smallest:
            by_hash[value].append(place)
    return {"documents": len(documents), "rows": rows}


def main():
    result = {"seeds": len(SEEDS)}
    result["error_rates"] = error_rates()
    result["on_real_text"] = on_real_text()
    print(json.dumps(result, indent=1), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        result["corpora"] = {name: run_corpus(name, sizes, folder)
                             for name, sizes in CORPORA.items()}
    save("sampling", "", result)


if __name__ == "__main__":
    main()
