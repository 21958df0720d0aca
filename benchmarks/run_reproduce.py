"""The published experiments, A1 to E, on the book's machine: behind docs/published.

    CS336_BPE_DATA=folder python benchmarks/run_reproduce.py NAME... [--quick]

Each figure is saved as soon as it is finished, in cs336_bpe/reproduce/book.json, which is part of
the package: `cs336-bpe reproduce` prints it beside the reader's own. `digits` and `ties` are saved
under results/. The real texts are used where the folder has them, and generated ones otherwise.
With --quick, small texts are used, and the pages say so.
"""

import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import common
from common import EOT, corpus, data, run_experiments

from cs336_bpe import Tokenizer, train_bpe_from_counts
from cs336_bpe.reproduce import digits as exact
from cs336_bpe.reproduce.experiments import EXPERIMENTS as FIGURES
from cs336_bpe.reproduce.session import BOOK, State, run_session
from cs336_bpe.reproduce.texts import Lab, load_counts
from cs336_bpe.rules import HuggingFaceOrder, assemble_vocab
from cs336_bpe.train import stage05_lazy_heap

save = partial(common.save, "reproduce")
QUICK = "--quick" in sys.argv
BOOK_PATH = common.ROOT / "cs336_bpe/reproduce" / BOOK


def measure(name):
    """One published figure, with this machine's results put into the book."""
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Path(folder), data(), "quick" if QUICK else "full", print)
        (result,) = run_session([name], lab, State(None))
    State(BOOK_PATH).add(replace(result, settings="quick" if QUICK else "full"))


def digits():
    """What no machine changes: the digit-exact table."""
    ours = exact.compute(load_counts(corpus("tinystories_train")))
    print(*exact.compare(ours), sep="\n")
    save("digits", ours.as_json())


# --- Why does A5 have 37 tokens fewer? -----------------------------------------------------


class Order:
    """An order among equally frequent pairs: the least key wins."""

    def __init__(self, key):
        self.key = key
        self.ids = {bytes([byte]): byte for byte in range(256)}

    def learned(self, pair):
        self.ids.setdefault(pair[0] + pair[1], len(self.ids))

    def urgency(self, pair):
        return self.key(self, *pair)


def turned(token, end=256):
    """For greatest first: the bytes turned round, and an end that a longer token comes before."""
    return (*(255 - byte for byte in token), end)


TIE_RULES = {
    "the greatest pair (rule 3)": lambda order, a, b: (turned(a), turned(b)),
    "the same, but a token before those that it begins": lambda order, a, b: (
        turned(a, -1), turned(b, -1)),
    "the greatest second token, then the first": lambda order, a, b: (turned(b), turned(a)),
    "the greatest concatenation": lambda order, a, b: turned(a + b),
    "the smallest pair": lambda order, a, b: (a, b),
    "the smallest concatenation": lambda order, a, b: a + b,
    "the smallest ids": lambda order, a, b: (order.ids[a], order.ids[b]),
    "the greatest ids": lambda order, a, b: (-order.ids[a], -order.ids[b]),
    "the longest token": lambda order, a, b: (-len(a + b), a, b),
    "the shortest token": lambda order, a, b: (len(a + b), a, b),
}
SIZES = (9_999, 10_001, 10_256, 10_257)


def ties():
    """The tokens of TinyStories-train under other rules and sizes: which one has A5's number?"""
    counts = dict(load_counts(corpus("tinystories_train")))

    def tokens(merges):
        tokenizer = Tokenizer(assemble_vocab([EOT], merges), merges, [EOT])
        text = sum(len(tokenizer.encode_array(word)) * n for word, n in counts.items())
        return text + exact.compute(counts).documents - 1

    rows = []
    rule = stage05_lazy_heap.tie_order
    try:
        for name, key in {**TIE_RULES, "Hugging Face's": None}.items():
            stage05_lazy_heap.tie_order = lambda _, key=key: (
                HuggingFaceOrder() if key is None else Order(key))
            merges = stage05_lazy_heap.learn_merges(counts, exact.VOCAB_SIZE - 257)
            rows.append({"what": f"ties: {name}", "tokens": tokens(merges)})
            print(rows[-1], flush=True)
    finally:
        stage05_lazy_heap.tie_order = rule
    for size in SIZES:
        rows.append({"what": f"vocabulary {size:,}",
                     "tokens": tokens(train_bpe_from_counts(counts, size, [EOT])[1])})
    carriage_returns = sum(n for word, n in counts.items() if b"\r" in word)
    save("ties", {"rows": rows, "carriage_returns": carriage_returns,
                  "published": exact.PUBLISHED_TOKENS})


EXPERIMENTS = {function.__name__: function for function in (digits, ties)}
EXPERIMENTS.update({name: partial(measure, name) for name in FIGURES})


if __name__ == "__main__":
    sys.argv = [argument for argument in sys.argv if argument != "--quick"]
    run_experiments(EXPERIMENTS)
