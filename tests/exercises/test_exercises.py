"""Checks for the exercises of the book.

    ANSWERS=answers.py pytest tests/exercises

checks a file of yours, and skips what is not in it. Without ANSWERS the solutions are checked that
the pages have, and also that each check finds a wrong answer.
"""

import os
import re
import sys
from itertools import count, islice
from pathlib import Path
from random import Random

import pytest
import regex

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = [DOCS / "start/exercises.md", DOCS / "machine/exercises.md"]
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


# --- Part I -------------------------------------------------------------------------------------


def check_encode_utf8(encode_utf8):
    edges = [0, 0x41, 0x7F, 0x80, 0xE9, 0x7FF, 0x800, 0x732B, 0xD7FF, 0xE000, 0xFFFF, 0x10000,
             0x1F642, 0x10FFFF]
    for code_point in [*edges, *range(0, 0xD800, 97), *range(0xE000, 0x110000, 997)]:
        assert encode_utf8(code_point) == chr(code_point).encode(), f"of U+{code_point:04X}"


def check_not_line_by_line(not_line_by_line):
    text = not_line_by_line()
    assert text.count("\n") == 1, "the text must have exactly one end of line"
    by_lines = [piece for line in text.splitlines(keepends=True)
                for piece in regex.findall(GPT2, line)]
    assert regex.findall(GPT2, text) != by_lines, "line by line gives the same pretokens"


def check_decode_stream(decode_stream):
    vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: "né".encode()[:2],
             257: "猫 and ".encode(), 258: "🙂".encode()[:3]}
    pieces = list(decode_stream(iter([99, 256, 0xA9, 257]), vocab))
    assert pieces == ["c", "n", "é", "猫 and "], "a character comes as soon as it is complete"
    arrived = decode_stream((97 for _ in count()), vocab)
    assert list(islice(arrived, 3)) == ["a", "a", "a"], "don't wait for the end"
    random = Random(1)
    for _ in range(300):
        ids = [random.choice([65, 256, 257, 258, 0xA9, 0x82, 195, 231]) for _ in range(8)]
        expected = b"".join(vocab[i] for i in ids).decode("utf-8", "replace")
        assert "".join(decode_stream(ids, vocab)) == expected, f"of {ids}"


# --- Part II ------------------------------------------------------------------------------------


def check_workers_needed(workers_needed):
    assert workers_needed(1.5, 0.5) == 3
    assert workers_needed(2, 0.5) is None
    assert workers_needed(1, 0.9) == 1
    assert workers_needed(8, 0) == 8
    for cannot_be_split in (0.0625, 0.125, 0.25, 0.75):
        for gain in (1.125, 1.25, 2, 3, 7.5, 15, 16):
            workers = workers_needed(gain, cannot_be_split)
            if workers is None:
                assert gain * cannot_be_split >= 1
            else:
                times = [cannot_be_split + (1 - cannot_be_split) / n
                         for n in (workers, workers - 1) if n]
                assert 1 / times[0] >= gain - 1e-9, "not enough"
                assert len(times) == 1 or 1 / times[1] < gain, "one less would do"


def check_best(best_class):
    random = Random(2)
    best, counts = best_class(), {}
    assert best.best() is None
    for _ in range(2000):
        key, n = random.choice("abcdefgh") * random.randrange(1, 3), random.randrange(5)
        counts[key] = n
        best.set(key, n)
        n, key = max((n, key) for key, n in counts.items())
        assert best.best() == (key if n else None)


def check_growth(growth):
    words = "the cat and the rat and the mat".split()
    assert growth(iter(words), [1, 2, 4, 6, 8, 100]) == [1, 2, 3, 4, 5, 5]
    assert growth(iter([]), [1, 2]) == [0, 0]
    endless = (str(n % 7) for n in count())
    assert growth(endless, [3, 10, 1000]) == [3, 7, 7]


CHECKS = {
    "encode_utf8": check_encode_utf8,
    "not_line_by_line": check_not_line_by_line,
    "decode_stream": check_decode_stream,
    "workers_needed": check_workers_needed,
    "Best": check_best,
    "growth": check_growth,
}


# --- who is checked -----------------------------------------------------------------------------


def solutions(page):
    """The folded solutions of a page, run; what they define, by name."""
    names = {}
    for block in re.findall(r"<details>.*?```python\n(.*?)```.*?</details>",
                            page.read_text("utf-8"), re.DOTALL):
        exec(compile(block, str(page), "exec"), names)
    return names


@pytest.fixture(scope="module")
def answers():
    path = os.environ.get("ANSWERS")
    if path is None:
        return {name: thing for page in PAGES for name, thing in solutions(page).items()}
    names = {"__name__": "answers"}
    sys.path.insert(0, str(Path(path).resolve().parent))
    exec(compile(Path(path).read_text("utf-8"), path, "exec"), names)
    return names


@pytest.mark.parametrize("name", CHECKS)
def test_exercise(name, answers):
    if name not in answers and "ANSWERS" in os.environ:
        pytest.skip("not written yet")
    CHECKS[name](answers[name])


class NeverStale:
    """Forgets to look whether the first entry is still true."""

    def __init__(self):
        self.entries = []

    def set(self, key, count):
        self.entries.append((count, key))

    def best(self):
        return max(self.entries, default=(0, None))[1]


WRONG = {
    "encode_utf8": lambda code_point: chr(code_point).encode("utf-16-le"),
    "not_line_by_line": lambda: "a\nb",
    "decode_stream": lambda ids, vocab: (vocab[i].decode("utf-8", "replace") for i in ids),
    "workers_needed": lambda gain, cannot_be_split: int(gain * (1 + cannot_be_split)),
    "Best": NeverStale,
    "growth": lambda words, sizes: [len(set(islice(words, size))) for size in sizes],
}


@pytest.mark.parametrize("name", CHECKS)
def test_a_wrong_answer_is_found(name):
    with pytest.raises(AssertionError):
        CHECKS[name](WRONG[name])


def test_every_exercise_has_a_text():
    text = "".join(page.read_text("utf-8") for page in PAGES)
    for name in CHECKS:
        assert re.search(rf"^    (?:def|class) {name}\b", text, re.M), name
    assert text.count("<details>") == len(CHECKS)
