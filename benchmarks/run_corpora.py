"""What text looks like, and how close generated text is to it: behind docs/machine/text.md and
docs/corpora/generated.md.

    CS336_BPE_DATA=folder python benchmarks/run_corpora.py

Texts are measured size by size; a larger size begins with the smaller one. No time is measured, so
the figures are the same on every machine.
"""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from math import log

import common
from common import EOT, corpus, run_experiments

from cs336_bpe import count_pretokens_in
from cs336_bpe.corpora import generated
from cs336_bpe.text.cuts import Cutter

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


POINTS = 100  # of a curve
SMALLEST = 10_000  # bytes


def spaced(first: int, last: int) -> list[int]:
    """Up to POINTS integers from the first to the last, at equal ratios."""
    steps = [round(first * (last / first) ** (i / (POINTS - 1))) for i in range(POINTS)]
    return sorted(set(steps))


def distinct_growth(
    text: bytes, cutter: Cutter
) -> tuple[list[tuple[int, int]], Mapping[bytes, int]]:
    """(bytes, distinct pretokens) of ever larger beginnings, cut where no pretoken is; all counts.

    A beginning is counted by adding what is new to the one before.
    """
    counts: dict[bytes, int] = {}
    points, done = [], 0
    for size in spaced(SMALLEST, len(text)):
        cut = len(text) if size == len(text) else cutter.last_cut(text, size)
        for word, n in count_pretokens_in(text[done:cut].decode(), [EOT]).items():
            counts[word] = counts.get(word, 0) + n
        points.append((cut, len(counts)))
        done = cut
    return points, counts


def laws():
    """How often the most frequent pretokens occur, and how many distinct ones there are."""
    real = {f"{name}.txt": corpus(name) for name in ("stories", "web", "code", "multilingual")}
    texts = {"built-in stories": "".join(generated.stream("stories", 20_000_000)).encode(),
             **{name: path.read_bytes() for name, path in real.items()}}
    cutter = Cutter([EOT])
    found = {}
    for name, text in texts.items():
        growth_points, counts = distinct_growth(text, cutter)
        frequencies = sorted(counts.values(), reverse=True)
        middle = cutter.last_cut(text, len(text) // 2)
        halves = [len(count_pretokens_in(part.decode(), [EOT]))
                  for part in (text[:middle], text[middle:])]
        (small, few), (large, many) = (
            next(point for point in growth_points if point[0] >= len(text) // 10),
            growth_points[-1])
        found[name] = {
            "bytes": len(text), "pretokens": sum(frequencies), "distinct": len(frequencies),
            "each": sum(frequencies) / len(frequencies),
            "once": sum(n == 1 for n in frequencies), "distinct_in_halves": halves,
            # How fast the number grows in the last tenfold: distinct ~ bytes ** exponent.
            "exponent": log(many / few) / log(large / small),
            "half_of_whole": halves[0] / len(frequencies),
            "two_halves_of_whole": sum(halves) / len(frequencies),
            "frequencies": [[rank, frequencies[rank - 1]] for rank in spaced(1, len(frequencies))],
            "growth": growth_points}
        print(name, {key: value for key, value in found[name].items()
                     if not isinstance(value, list)}, flush=True)
    save("laws", {"corpora": found})


EXPERIMENTS = {function.__name__: function for function in (fit, laws)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
