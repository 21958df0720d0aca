"""How fast the scanner finds pretokens: the measurements behind docs/pretokenize/scanner.md

    python benchmarks/run_scanner.py speed worst counting

Except by `counting`, only finding where pretokens start is measured, on one core. The time is that
of the processor. Every pattern, path of the machine and text takes its turn in each round,
and all find equally many.
"""

import time
from functools import partial
from statistics import median

import common
from common import corpus, run_experiments

from cs336_bpe import count_pretokens_in
from cs336_bpe.native.masked_patterns import MASKED_PATTERNS
from cs336_bpe.native.scan import count_starts, scanner_paths, use_scanner_path

save = partial(common.save, "scanner")

ROUNDS = 9
TEXT_BYTES = 20_000_000
PADDING = bytes(64)

WORST = {
    "web text": None,
    "`'l` again and again": "'l",
    "`'ll` again and again": "'ll",
    "apostrophes": "'",
    "digits": "7",
    "digits of two bytes": "٣",
    "a newline, a space": "\n ",
    "a newline, 999 spaces": "\n" + " " * 999,
    "wide spaces": "\u3000",
    "a symbol, a newline": "!\n",
    "combining marks": "e\u0301",
    "emoji": "🙂",
    "symbols and marks": "!!\u0301!",
    "Chinese and capitals": "猫A",
    "a symbol, a newline, a slash": "!\n/",
    "`a's` again and again": "a's",
}


def beginning(name):
    """The beginning of a text, cut between characters, and padded."""
    text = corpus(name).read_bytes()[:TEXT_BYTES]
    return text.decode(errors="ignore").encode() + PADDING


def time_of(text, pattern):
    start = time.process_time()
    found = count_starts(text, pattern)
    return time.process_time() - start, found


def measure(texts, patterns, paths):
    """One row for each text, pattern and path, with the times of all rounds."""
    rows = [{"text": text, "pattern": pattern, "path": path, "bytes": len(texts[text]) - 64,
             "found": None, "seconds": []}
            for text in texts for pattern in patterns for path in paths]
    for _ in range(ROUNDS):
        for row in rows:
            use_scanner_path(row["path"])
            seconds, found = time_of(texts[row["text"]], row["pattern"])
            assert row["found"] in (None, found)
            row["found"] = found
            row["seconds"].append(seconds)
    use_scanner_path()
    for row in rows:
        same = {other["found"] for other in rows
                if (other["text"], other["pattern"]) == (row["text"], row["pattern"])}
        assert same == {row["found"]}, "the paths disagree"
        print(row["text"], row["pattern"], row["path"],
              f"{row['bytes'] / median(row['seconds']) / 1e6:.0f} MB/s", flush=True)
    return rows


def speed():
    """Real text, by pattern and path."""
    texts = {name: beginning(name) for name in ("web", "stories", "code", "multilingual")}
    save("speed", {"paths": scanner_paths(), "rows": measure(texts, MASKED_PATTERNS,
                                                             scanner_paths())})


def worst():
    """Text that is made to be slow, by the fastest path."""
    size = 4_000_000
    texts = {title: beginning("web") if piece is None else
             (piece * (size // len(piece.encode()))).encode() + PADDING
             for title, piece in WORST.items()}
    save("worst", {"rows": measure(texts, ["gpt2", "cl100k", "o200k"], scanner_paths()[:1])})


def counting():
    """Counting text that is made to be slow: finding cuts, scanning, and the tables."""
    size = 10_000_000
    texts = {title: beginning("web")[:-len(PADDING)] if piece is None else
             (piece * (size // len(piece.encode()))).encode() for title, piece in WORST.items()}
    rows = [{"text": title, "pattern": pattern, "bytes": len(text), "seconds": []}
            for title, text in texts.items() for pattern in ("gpt2", "gpt4", "gpt4o")]
    for _ in range(ROUNDS):
        for row in rows:
            start = time.process_time()
            count_pretokens_in(texts[row["text"]], [], pattern=row["pattern"], workers=1)
            row["seconds"].append(time.process_time() - start)
    save("counting", {"rows": rows})


EXPERIMENTS = {function.__name__: function for function in (speed, worst, counting)}


if __name__ == "__main__":
    run_experiments(EXPERIMENTS)
