"""E: training on a sample of the documents.

Write-up E is about a language model: fewer documents, fewer epochs, a greater learning rate,
shorter sequences, and the loss after that. None of it is about a tokenizer. Here its first question
is asked of one: how much faster is training on 3 of 10 documents, and how many more tokens does
text need that neither has seen?
"""

import os
import warnings
from time import perf_counter

from cs336_bpe.common.amounts import three_digits
from cs336_bpe.corpora.sample import sample
from cs336_bpe.cost.bytes_per_token import bytes_per_token
from cs336_bpe.measure.process import measure_call
from cs336_bpe.pretokenize import count_pretokens, count_pretokens_in
from cs336_bpe.reproduce.encode_a_c import cut_of
from cs336_bpe.reproduce.rungs import SPECIALS, label, last_of
from cs336_bpe.reproduce.texts import Lab
from cs336_bpe.reproduce.verdicts import Line, Outcome, Table, shown
from cs336_bpe.rules import EarlyStopWarning, Pair
from cs336_bpe.train import train_bpe_from_counts

FRACTION = 0.3
LANGUAGE_MODEL = "it is about a language model's training, not about a tokenizer"


def train_on(path: str, vocab_size: int) -> tuple[float, list[Pair]]:
    """Seconds of a whole training in one thread, and the merges. In a fresh process."""
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EarlyStopWarning)
        _, merges = train_bpe_from_counts(count_pretokens(path, SPECIALS, workers=1), vocab_size,
                                          SPECIALS)
    return perf_counter() - start, merges


def e(lab: Lab) -> Outcome:
    """The time of training on all and on 30 % of the documents, and tokens on held-out text."""
    text = lab.text("owt-sample", lab.pick(200_000, 10_000_000, 99_000_000))
    vocab_size = lab.pick(500, 10_000, 32_000)
    data = text.path.read_bytes()
    cut = cut_of(data)
    whole = lab.folder / "most.txt"
    whole.write_bytes(data[:cut])
    held_out = count_pretokens_in(data[cut:], SPECIALS)
    files = {"all": whole}
    for name, smart in (("random", False), ("smart", True)):
        lab.note(f"{text.label}: a {name} sample")
        files[name] = lab.folder / f"{name}.txt"
        sample(whole, files[name], fraction=FRACTION, smart=smart)
    seconds: dict[str, float] = {}
    tokens: dict[str, float] = {}
    for name, path in files.items():
        lab.note(f"training on {name}")
        runs = [measure_call(train_on, os.fspath(path), vocab_size).value
                for _ in range(lab.pick(1, 3, 5))]
        seconds[name] = min(time for time, _ in runs)
        merges = runs[0][1]
        size = 257 + len(merges)
        tokens[name] = 1 / bytes_per_token(merges, held_out, [size], num_specials=1)[size]
    stage = label(last_of("train"))
    lines = [Line("E", "3 of 10 million: time", seconds["all"] / seconds["random"], stage,
                  text.label, note="a random sample; taking it is not counted"),
             Line("E", "3 of 10 million: quality lost", tokens["random"] / tokens["all"] - 1, stage,
                  text.label, note="more tokens for text held out: less is better, and it is the "
                  "tokenizer's loss, not the model's")]
    lines += [Line("E", name, None, reason=LANGUAGE_MODEL) for name in (
        "with the second change", "with the third change", "with the fourth change",
        "loss after it, 3.0 before")]
    rows = [[name, three_digits(files[name].stat().st_size / 1e6), three_digits(seconds[name]),
             three_digits(seconds["all"] / seconds[name]), shown(tokens[name], "tokens/B"),
             shown(tokens[name] / tokens["all"] - 1, "%")] for name in files]
    return Outcome(lines, [Table(
        f"Training on samples of {FRACTION:.0%} of {text.label}, vocabulary {vocab_size:,}",
        ["trained on", "MB", "seconds", "gain", "tokens per byte, held out", "more tokens"],
        rows)])
