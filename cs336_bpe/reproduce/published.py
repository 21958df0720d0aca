"""The published figures, in one place. Nothing here was measured by this project.

Each row says what was published, and which rung has the same idea. The machines and some of the
texts differ from ours, so a row also says what can be asked of it (`kind`):

- `time`, `memory`, `speed`: of one version. The rung with the same idea is put beside it, and the
  last rung, which is to beat it.
- `gain`: how many times faster one step made it. That is what a ladder has to reproduce.
- `share`: a part of a whole, which two machines should agree on.
- `limit`: a bar that is to be passed.
- `exact`: a number, or a word, that no machine changes.
- `claim`: about something that this project does not have, so it is quoted and not measured.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["time", "memory", "speed", "gain", "share", "limit", "exact", "claim"]


@dataclass(frozen=True)
class Published:
    """One published number. `high` is the other end of a range."""

    figure: str
    name: str
    value: float | str
    unit: str
    kind: Kind
    rung: str = ""  # the ladder and the idea of the stage that corresponds to it
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """One published table: what it is about, and on which text."""

    name: str
    title: str
    text: str


FIGURES = {one.name: one for one in (
    Figure("A1", "The course's speed test, and TinyStories-train, vocabulary 10,000",
           "corpus.en, 133 kB; TinyStories-train, 2.23 GB"),
    Figure("A2", "Training on TinyStories-valid, vocabulary 4,096", "TinyStories-valid, 22.5 MB"),
    Figure("A3", "Training on a sample of OpenWebText, vocabulary 32,000",
           "a sample of OpenWebText, 100 MB"),
    Figure("A4", "Training on OpenWebText, vocabulary 32,000", "OpenWebText-train, about 10 GB"),
    Figure("A5", "Encoding whole files with 16 processes",
           "TinyStories-train, TinyStories-valid, OpenWebText-train"),
    Figure("A6", "Encoding with more processes than cores", "not said"),
    Figure("B", "A sorted set and an index, in one process and in 16, under a profiler",
           "TinyStories-train, 2.23 GB; corpus.en"),
    Figure("C1", "The merge loop on the course's corpus, 243 merges", "corpus.en, 133 kB"),
    Figure("C2", "Choosing the best pair, and updating the counts", "a larger corpus, not named"),
    Figure("C3", "Whole corpora: pretokenizing, and merging before and after interning",
           "TinyStories-train, OpenWebText-valid, OpenWebText-train"),
    Figure("C4", "Four encoders, in one process", "TinyStories, vocabulary 10,000"),
    Figure("C5", "Questions answered with the tokenizers", "TinyStories and OpenWebText"),
    Figure("C6", "What a vocabulary costs the model", "none: it is arithmetic"),
    Figure("D", "A pool of processes around the counting of each merge: predictions",
           "not said: nothing was measured"),
    Figure("E", "Training on a sample of the documents",
           "10 million documents, for a language model"),
)}

_COURSE = [
    Published("A1", "speed test: a toy version", 3.0, "s", "time", "train recount_everything"),
    Published("A1", "speed test: the reference", 0.38, "s", "time"),
    Published("A1", "speed test: write-up A", 0.14, "s", "time", "train pair_index", high=0.20),
    Published("A1", "speed test: the limit", 1.5, "s", "limit"),
]
_PROCESSES = "pretokenize processes"
_TINYSTORIES = [
    Published("A1", "i7: pretokenizing", 27, "s", "time", _PROCESSES),
    Published("A1", "i7: merging", 6, "s", "time", "train pair_index"),
    Published("A1", "i7: total", 34, "s", "time", "train pair_index"),
    Published("A1", "Xeon: pretokenizing", 25, "s", "time", _PROCESSES),
    Published("A1", "Xeon: merging", 10, "s", "time", "train pair_index"),
    Published("A1", "Xeon: total", 36, "s", "time", "train pair_index"),
    Published("A1", "Xeon: peak memory", 6.89e9, "bytes", "memory", _PROCESSES),
    Published("A1", "course bar: time to pass", 1800, "s", "limit"),
    Published("A1", "course bar: memory to pass", 30e9, "bytes", "limit"),
    Published("A1", "course bar: excellent", 120, "s", "limit"),
]


def _versions(figure: str, naive: tuple[float, float, float],
              optimized: tuple[float, float, float], gain: float) -> list[Published]:
    """Two rows of write-up A: seconds to pretokenize, merges per second, seconds in all."""
    rows = []
    for name, numbers, count, train in (
            ("naive", naive, "whole_text", "recount_everything"),
            ("optimized", optimized, "processes", "pair_index")):
        rows += [Published(figure, f"{name}: pretokenizing", numbers[0], "s", "time",
                           f"pretokenize {count}"),
                 Published(figure, f"{name}: merging", numbers[1], "merges/s", "speed",
                           f"train {train}"),
                 Published(figure, f"{name}: total", numbers[2], "s", "time", f"train {train}")]
    return [*rows, Published(figure, "gain", gain, "x", "gain", "train pair_index")]


def _file(name: str, tokens: int, naive: float, optimized: float, speed: float,
          gain: float) -> list[Published]:
    """A row of A5."""
    return [
        Published("A5", f"{name}: tokens", f"{tokens:,}", "", "exact"),
        Published("A5", f"{name}: naive", naive, "s", "time", "encode rank_heap"),
        Published("A5", f"{name}: optimized", optimized, "s", "time", "encode cached_words"),
        Published("A5", f"{name}: tokens/s", speed, "tokens/s", "speed",
                  "encode cached_words"),
        Published("A5", f"{name}: gain", gain, "x", "gain", "encode cached_words"),
    ]


_A = [
    *_COURSE, *_TINYSTORIES,
    *_versions("A2", (6.18, 298, 32.42), (0.4, 13_450, 0.39), 48),
    *_versions("A3", (30.02, 7, 4320), (1.89, 1827, 20.6), 210),
    Published("A4", "total", 535, "s", "time"),
    Published("A4", "peak memory", 23.78e9, "bytes", "memory"),
    Published("A4", "course bar: time", 12 * 3600, "s", "limit"),
    *_file("TinyStories-train", 541_229_310, 219.56, 35.21, 15.07e6, 6.1),
    *_file("TinyStories-valid", 5_637_616, 4.84, 0.64, 9.14e6, 8.0),
    *_file("OpenWebText-train", 2_727_120_452, 2169.38, 212.79, 12.84e6, 10.3),
    Published("A6", "16 processes against 223", 2, "x", "gain", "encode batches",
              note="at least: 223 were less than half as fast"),
]

_B = [
    Published("B", "one process", 1314, "s", "time", "train sorted_pairs"),
    Published("B", "16 processes", 131, "s", "time", "train sorted_pairs"),
    Published("B", "gain of 16 processes", 1314 / 131, "x", "gain", _PROCESSES),
    Published("B", "16: share of pretokenizing", 99 / 131, "%", "share", _PROCESSES),
    Published("B", "16: share of waiting for a lock", 87 / 131, "%", "share", _PROCESSES),
    Published("B", "16: share of pickling", 7.3 / 131, "%", "share", _PROCESSES),
    Published("B", "pretokens", "536,592,168", "", "exact"),
    Published("B", "documents", "2,717,700", "", "exact"),
    Published("B", "speed test", 0.40, "s", "time", "train sorted_pairs"),
]

_C = [
    Published("C1", "recount everything", 1.445, "s", "time", "train recount_everything"),
    Published("C1", "of that, counting pairs", 0.66 / 1.445, "%", "share",
              "train recount_everything"),
    Published("C1", "of that, rebuilding words", 0.75 / 1.445, "%", "share",
              "train recount_everything"),
    Published("C1", "incremental counts", 0.16, "s", "time", "train incremental_counts"),
    Published("C1", "gain", 1.445 / 0.16, "x", "gain", "train incremental_counts"),
    Published("C2", "linear max: choosing", 6.40, "s", "time", "train pair_index"),
    Published("C2", "linear max: updates", 0.467, "s", "time", "train pair_index"),
    Published("C2", "lazy heap: choosing", 0.002, "s", "time", "train lazy_heap"),
    Published("C2", "lazy heap: updates", 2.82, "s", "time", "train lazy_heap"),
    Published("C2", "lazy heap: total", 2.86, "s", "time", "train lazy_heap"),
    Published("C2", "interned: updates", 0.37, "s", "time", "train interned_words"),
    Published("C2", "gain in choosing", 6.40 / 0.002, "x", "gain", "train lazy_heap"),
    Published("C2", "gain in both together", (6.40 + 0.467) / (0.002 + 2.82), "x", "gain",
              "train lazy_heap"),
    Published("C2", "gain in updates", 2.82 / 0.37, "x", "gain", "train interned_words"),
    Published("C3", "TinyStories-train: pretokenizing", 56, "s", "time", _PROCESSES, high=60),
    Published("C3", "TinyStories-train: before", 15.1, "s", "time", "train lazy_heap"),
    Published("C3", "TinyStories-train: after", 7.6, "s", "time", "train interned_words"),
    Published("C3", "TinyStories-train: gain", 15.1 / 7.6, "x", "gain", "train interned_words"),
    Published("C3", "OWT-valid: pretokenizing", 10.1, "s", "time", _PROCESSES),
    Published("C3", "OWT-valid: after", 116.7, "s", "time", "train interned_words"),
    Published("C3", "OWT-train: pretokenizing", 494.7, "s", "time", _PROCESSES),
    Published("C3", "OWT-train: building the index", 33.5, "s", "time", "train interned_words"),
    Published("C3", "OWT-train: after", 1840, "s", "time", "train interned_words"),
    Published("C3", "OWT-train: total", 2350, "s", "time", "train interned_words"),
    Published("C4", "replay every merge", 3768, "bytes/s", "speed", "encode replay_merges"),
    Published("C4", "skip absent tokens", 16_640, "bytes/s", "speed", "encode skip_absent"),
    Published("C4", "a set of the pairs present", 14_098, "bytes/s", "speed", "encode pair_set"),
    Published("C4", "a heap by merge rank", 191_876, "bytes/s", "speed", "encode rank_heap"),
    Published("C4", "gain of skipping", 16_640 / 3768, "x", "gain", "encode skip_absent"),
    Published("C4", "gain of the set over skipping", 14_098 / 16_640, "x", "gain",
              "encode pair_set"),
    Published("C4", "gain of the heap over the set", 191_876 / 14_098, "x", "gain",
              "encode rank_heap"),
    Published("C4", "tokens per byte", 0.24566, "tokens/B", "share"),
    Published("C5", "longest TinyStories token", "' accomplishment' (7160)", "", "exact"),
    Published("C5", "tokens per byte: stories, own", 0.2470, "tokens/B", "share"),
    Published("C5", "tokens per byte: web, own", 0.2442, "tokens/B", "share"),
    Published("C5", "tokens per byte: web, stories'", 0.2966, "tokens/B", "share"),
    Published("C5", "array type of the ids", "uint16", "", "exact"),
    Published("C5", "longest web token is mojibake", "yes", "", "exact"),
]

SHARES = {"small": (64.29, 14.29, 21.43), "medium": (66.67, 11.11, 22.22),
          "large": (68.18, 9.09, 22.73), "xl": (69.44, 7.41, 23.15)}
LONG = (32.89, 56.14, 10.96)
PARTS = {"ffn": "FFN", "products": "products", "projections": "projections"}

_C6 = [
    Published("C6", "XL: parameters", "2,126,902,400", "", "exact"),
    Published("C6", "XL: in float32", "7.92 GiB", "", "exact"),
    Published("C6", "XL: FLOPs, no output head", "4.349e12", "", "exact"),
    Published("C6", "XL: FLOPs of the FFN", "3.020e12", "", "exact"),
    Published("C6", "XL: FLOPs of projections", "1.007e12", "", "exact"),
    Published("C6", "XL: FLOPs of products", "3.221e11", "", "exact"),
    *(Published("C6", f"{shape}: share of {part}", f"{share:.2f} %", "", "exact")
      for shape, shares in SHARES.items() for part, share in zip(PARTS.values(), shares)),
    Published("C6", "XL, 16,384: FLOPs", "1.469e14", "", "exact"),
    *(Published("C6", f"XL, 16,384: share of {part}", f"{share:.2f} %", "", "exact")
      for part, share in zip(PARTS.values(), LONG)),
]

_D = [Published("D", name, low, "x", "gain", "train process_pool", high=high)
      for name, low, high in (
          ("serial", 1, 1), ("a pool for every merge", 1.5, 2), ("+ one pool for all", 3, 4),
          ("+ batches", 5, 8), ("+ frequency filter", 6, 10), ("all of it", 8, 15))]

_E = [
    Published("E", "3 of 10 million: time", 10 / 3, "x", "gain", "train prefetch",
              note="10 / 3: arithmetic, not measured"),
    Published("E", "3 of 10 million: quality lost", 0.05, "%", "share", "train prefetch",
              high=0.10),
    Published("E", "with the second change", 3.7, "x", "claim"),
    Published("E", "with the third change", 6.2, "x", "claim"),
    Published("E", "with the fourth change", 7.7, "x", "claim"),
    Published("E", "loss after it, 3.0 before", 2.8, "", "claim", high=3.2),
]

ROWS = {(row.figure, row.name): row for row in [*_A, *_B, *_C, *_C6, *_D, *_E]}


def row(figure: str, name: str) -> Published:
    """
    >>> row("A2", "naive: merging").value
    298
    """
    return ROWS[figure, name]


def rows_of(figure: str) -> list[Published]:
    """All rows of a figure, in order."""
    return [one for one in ROWS.values() if one.figure == figure]
