"""The measurement behind docs/cost/vocabulary_size.md; saves results/vocabulary.json.

    CS336_BPE_DATA=folder python benchmarks/run_vocabulary.py

Trains once on the first 95 % of the documents of each corpus, as far as merges go, and reads bytes
per token off the last 5 % for every vocabulary size, since a smaller vocabulary is the beginning of
a larger one. No time is measured, so the figures are the same on every machine.
"""

import hashlib
from time import perf_counter

from common import EOT, corpus, save

from cs336_bpe import count_pretokens_in
from cs336_bpe.cost.bytes_per_token import bytes_per_token, doublings
from cs336_bpe.stages import find

CORPORA = ("web", "stories", "multilingual")
HELD_OUT = 0.05
LARGEST = 2**18
STEPS = 4  # sizes for each doubling


def split(text):
    """The documents to train on and those to measure on, the last ones, each as one text."""
    documents = text.split(EOT.encode())
    first_held_out = len(documents) - round(HELD_OUT * len(documents))
    return (EOT.encode().join(documents[:first_held_out]),
            EOT.encode().join(documents[first_held_out:]), len(documents))


def measure(path):
    text = path.read_bytes()
    learnt, held_out, documents = split(text)
    counts, held_out_counts = (count_pretokens_in(part, [EOT]) for part in (learnt, held_out))
    merges = find("train").load().learn_merges(counts, LARGEST - 257)
    sizes = doublings(257, 257 + len(merges), STEPS)
    curve = bytes_per_token(merges, held_out_counts, sizes, num_specials=1)
    seen = bytes_per_token(merges, counts, sizes, num_specials=1)
    return {"title": f"{path.name}, {len(text) / 1e6:.0f} MB", "sha256":
            hashlib.sha256(text).hexdigest(), "documents": documents, "bytes": len(text),
            "held_out_bytes": held_out_counts.num_bytes, "kinds": len(counts),
            "held_out_kinds": len(held_out_counts), "merges": len(merges),
            "sizes": sizes, "bytes_per_token": list(curve.values()),
            "bytes_per_token_of_the_training_text": list(seen.values())}


def main():
    corpora = {}
    for name in CORPORA:
        start = perf_counter()
        corpora[name] = measure(corpus(name))
        print(f"{name}: {corpora[name]['merges']:,} merges, {perf_counter() - start:.0f} s")
        for size, ratio in zip(corpora[name]["sizes"], corpora[name]["bytes_per_token"]):
            print(f"{size:9,} {ratio:.4f}", flush=True)
    save("vocabulary", "", {"held_out": HELD_OUT, "corpora": corpora})


if __name__ == "__main__":
    main()
