"""How close generated text is to real text: the measurement behind docs/corpora/generated.md.

    CS336_BPE_DATA=folder python benchmarks/run_corpora.py

Both are measured size by size; a larger size begins with the smaller one. No time is measured, so
the figures are the same on every machine. Saves results/corpora_fit.json.
"""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import common
from common import EOT, corpus, run_experiments

from cs336_bpe import count_pretokens_in
from cs336_bpe.corpora import generated

save = partial(common.save, "corpora")
SIZES = {  # in bytes; the last one is the size of the real file
    "stories": [250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 21_489_654],
    "web": [250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
            98_980_152],
}  # fmt: skip
TOPS = (10, 100, 1_000, 10_000)


def measure(counts: Mapping[bytes, int]) -> dict[str, float]:
    """What is compared."""
    total = sum(counts.values())
    frequencies = sorted(counts.values(), reverse=True)
    return {
        "distinct": len(counts),
        "bytes_per_pretoken": sum(len(word) * n for word, n in counts.items()) / total,
        "bytes_per_distinct": sum(map(len, counts)) / len(counts),
        "byte_pairs": len({pair for word in counts for pair in pairwise(word)}),
        "once": sum(n == 1 for n in frequencies) / len(counts),
        **{f"top_{top}": sum(frequencies[:top]) / total for top in TOPS},
    }


def growth(text: bytes, sizes: list[int]) -> list[dict[str, float]]:
    """Measure the first bytes of a text; a character that is cut off at the end is left out."""
    return [measure(count_pretokens_in(text[:size].decode(errors="ignore"), [EOT]))
            for size in sizes]


def fit():
    """Real text beside generated text, at each of the sizes."""
    kinds = {}
    for kind, sizes in SIZES.items():
        real = corpus(kind).read_bytes()
        # 3 bytes more, so that a character cut off at the end does not make it too short
        made = "".join(generated.stream(kind, sizes[-1] + 3)).encode()
        kinds[kind] = {"sizes": sizes, "real": growth(real, sizes),
                       "generated": growth(made, sizes)}
        print(kind, [(int(a["distinct"]), int(b["distinct"])) for a, b in zip(
            kinds[kind]["real"], kinds[kind]["generated"])], flush=True)
    save("fit", {"corpora": kinds})


EXPERIMENTS = {function.__name__: function for function in (fit,)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
