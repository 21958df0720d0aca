"""Checks for the exercises of the book.

    ANSWERS=answers.py pytest tests/exercises

checks a file of yours, and skips what is not in it. Without ANSWERS the solutions are checked that
the pages have, and also that each check finds a wrong answer.
"""

import os
import re
import sys
from collections import Counter
from functools import lru_cache
from itertools import count, islice
from pathlib import Path
from random import Random

import pytest
import regex
import tiny_bpe

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = [DOCS / f"{part}/exercises.md"
         for part in ("start", "machine", "train", "pretokenize", "encode", "decode")]
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


# --- Training -----------------------------------------------------------------------------------


def random_words(seed, letters="ab"):
    random = Random(seed)
    for _ in range(300):
        yield bytes(random.choice(letters.encode()) for _ in range(random.randrange(1, 12)))


def check_changes(changes):
    a, b = b"a", b"b"
    assert changes((a, b, b"c"), (a, b)) == {(a, b): -1, (b, b"c"): -1, (b"ab", b"c"): 1}
    assert changes((a, b), (b, a)) == {}
    for word in random_words(3):
        tokens = tuple(bytes([byte]) for byte in word)
        for pair in [(a, a), (a, b)]:
            merged = tiny_bpe.merge(tokens, pair)
            expected = Counter(zip(merged, merged[1:]))
            expected.subtract(zip(tokens, tokens[1:]))
            assert changes(tokens, pair) == {p: n for p, n in expected.items() if n}, word


def check_first_difference(first_difference):
    assert first_difference({b"ab": 5, b"abc": 3, b"az": 3}, 2) == 1
    assert first_difference({b"ab": 5, b"abc": 3, b"az": 3}, 1) is None
    assert first_difference({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 3) is None
    assert first_difference({b"a": 9}, 5) is None
    assert first_difference({b"xy": 9, b"ab": 5, b"abc": 3, b"az": 3}, 9) == 2


def check_smaller(smaller):
    vocab, merges = tiny_bpe.train("low lower newest widest newest", 256 + 1 + 6, ["<|end|>"])
    for size in range(257, 264):
        assert smaller(vocab, merges, size) == tiny_bpe.train(
            "low lower newest widest newest", size, ["<|end|>"])
    for size in (0, 256):
        with pytest.raises(ValueError):  # noqa: PT011  its words are the reader's
            smaller(vocab, merges, size)


# --- Counting -----------------------------------------------------------------------------------


def check_blocks(blocks):
    assert blocks("one two three", 4) == ["one two", " three"]
    random = Random(4)
    for _ in range(300):
        text = "".join(random.choice("aé1!' \n\t") for _ in range(random.randrange(1, 40)))
        for size in (1, 5):
            parts = blocks(text, size)
            assert "".join(parts) == text
            assert [piece for part in parts for piece in regex.findall(GPT2, part)] == (
                regex.findall(GPT2, text)), repr(text)
            places = [i for i in range(1, len(text)) if regex.match(r"(?<=\S)\s", text, pos=i)]
            for start, end in pairs_of_ends(parts):
                assert end == min(i for i in places if i - start >= size), "not the first place"
            last = len(text) - len(parts[-1])
            assert not any(i - last >= size for i in places), "the last block can be cut"


def pairs_of_ends(parts):
    """Where each block but the last one starts and ends."""
    start = 0
    for part in parts[:-1]:
        yield start, start + len(part)
        start += len(part)


def check_starts(starts):
    random = Random(5)
    for _ in range(1000):
        text = "".join(random.choice("ab1 .!") for _ in range(random.randrange(12)))
        assert starts(text) == [match.start() for match in regex.finditer(GPT2, text)], repr(text)


def check_key(key):
    words = [b"", b"a", b"a\0", b"\0", b"\0\0", b"a" * 14, b"a" * 15, b"\0" * 15, b"\x0f" * 15,
             *set(random_words(6, "ab\0\x01"))]
    keys = [key(word) for word in dict.fromkeys(words)]
    assert {type(one) for one in keys} == {bytes}
    assert {len(one) for one in keys} == {16}
    assert len(set(keys)) == len(keys), "two pretokens have the same key"
    assert key(b"a" * 16) is None


# --- Encoding -----------------------------------------------------------------------------------


class NotAllOf(dict):
    """A dictionary that can be asked, but not gone through."""

    def __iter__(self):
        raise AssertionError("don't go through all merges")

    keys = values = items = __iter__


def check_encode_by_rank(encode_by_rank):
    text = b" ".join(random_words(7, "abc")).decode()
    _, merges = tiny_bpe.train(text, 256 + 60, [])
    ranks = NotAllOf((pair, rank) for rank, pair in enumerate(merges))
    for word in [b"", b"a", "猫".encode(), *random_words(8, "abc")]:
        expected = tuple(bytes([byte]) for byte in word)
        for pair in merges:
            expected = tiny_bpe.merge(expected, pair)
        assert tuple(encode_by_rank(word, ranks)) == expected, word


def check_with_cache(with_cache):
    calls = []

    def encode(word):
        calls.append(word)
        return [len(word), *word]

    cached = with_cache(encode, 3)
    for word in (b"a", b"a", b"b", b"b", b"a"):
        assert cached(word) == [1, *word]
    assert calls == [b"a", b"b"], "a word that is in the cache was encoded again"
    cached(b"a").append("changed")
    assert cached(b"a") == [1, 97], "a caller has changed the cache"
    for word in random_words(9, "abcdef"):
        assert cached(word) == [len(word), *word]
    calls.clear()
    for word in (b"1", b"2", b"3", b"4", b"1", b"2", b"3", b"4"):
        cached(word)
    assert len(calls) > 4, "more than three words were kept"


def check_is_canonical(is_canonical):
    vocab = {97: b"a", 98: b"b", 256: b"ab"}

    def encode(word):
        return tiny_bpe.encode(word.decode(), {**vocab}, [(b"a", b"b")], [])

    assert is_canonical([256, 98], vocab, encode)
    assert is_canonical([98, 97], vocab, encode)
    assert not is_canonical([97, 98], vocab, encode)
    assert not is_canonical([256, 97, 98], vocab, encode)


# --- Decoding -----------------------------------------------------------------------------------


def check_flatten(flatten):
    vocab = {300: b"o", 9: b"low", 3: b"w", 256: b"\xe7\x8c", 0: b"lo"}
    blob, places = flatten(vocab)
    assert blob == b"lowlow\xe7\x8co"
    assert {i: tuple(place) for i, place in places.items()} == {
        0: (0, 2), 3: (2, 3), 9: (3, 6), 256: (6, 8), 300: (8, 9)}
    assert flatten({}) == (b"", {})


class LastFour:
    """Bytes of which only the last four can be looked at."""

    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, place):
        places = range(len(self))[place]
        first = min(places, default=len(self)) if isinstance(place, slice) else places
        assert first >= len(self) - 4, "look at the last four bytes at most"
        return self.data[place]

    def __iter__(self):
        raise AssertionError("don't go through all of it")

    def decode(self, *_):
        raise AssertionError("don't decode it")


def check_whole(whole):
    for before in ("", "xy", "猫"):
        for character in "aé猫🙂\u07ff\u0800\U0010ffff":
            data = (before + character).encode()
            for size in range(1, len(data) + 1):
                expected = len(data[:size].decode("utf-8", "ignore").encode())
                assert whole(LastFour(data[:size])) == expected, data[:size]
    assert whole(LastFour(b"")) == 0


def check_are_right(are_right):
    longest = []

    def encode(word, merges):
        longest.append(len(word))
        tokens = tuple(bytes([byte]) for byte in word)
        for pair in merges:
            tokens = tiny_bpe.merge(tokens, pair)
        return list(tokens)

    _, merges = tiny_bpe.train(b" ".join(random_words(10, "abc")).decode(), 256 + 40, [])
    random, verdicts = Random(11), set()
    for word in random_words(12, "abc"):
        tokens = encode(word, merges)
        for place in range(len(tokens) - 1):
            both = tokens[place] + tokens[place + 1]
            cut = random.randrange(1, len(both))
            for middle in ([both[:cut], both[cut:]], [both], [bytes([byte]) for byte in both]):
                others = [*tokens[:place], *middle, *tokens[place + 2:]]
                longest.clear()
                expected = others == tokens
                assert are_right(others, lambda part: encode(part, merges)) == expected, others
                most = max((len(a + b) for a, b in zip(others, others[1:])),
                           default=len(others[0]))
                assert max(longest, default=0) <= most, "more than two tokens at a time"
                verdicts.add(expected)
    assert verdicts == {True, False}
    assert are_right([b"a"], lambda part: [part])
    assert not are_right([b"ab"], lambda part: [b"a", b"b"])


CHECKS = {
    "encode_utf8": check_encode_utf8,
    "not_line_by_line": check_not_line_by_line,
    "decode_stream": check_decode_stream,
    "workers_needed": check_workers_needed,
    "Best": check_best,
    "growth": check_growth,
    "changes": check_changes,
    "first_difference": check_first_difference,
    "smaller": check_smaller,
    "blocks": check_blocks,
    "starts": check_starts,
    "key": check_key,
    "encode_by_rank": check_encode_by_rank,
    "with_cache": check_with_cache,
    "is_canonical": check_is_canonical,
    "flatten": check_flatten,
    "whole": check_whole,
    "are_right": check_are_right,
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
    "changes": lambda word, pair: {pair: -list(zip(word, word[1:])).count(pair)},
    "first_difference": lambda counts, how_many: None,
    "smaller": lambda vocab, merges, size: (dict(islice(vocab.items(), size)), merges[:size - 256]),
    "blocks": lambda text, size: [text[i : i + size] for i in range(0, len(text), size)],
    "starts": lambda text: [i for i, c in enumerate(text) if not i or c == " "],
    "key": lambda pretoken: pretoken.ljust(16, b"\0") if len(pretoken) < 16 else None,
    "encode_by_rank": lambda word, ranks: [word] if word else [],
    "with_cache": lambda encode, limit: lru_cache(limit)(encode),
    "is_canonical": lambda ids, vocab, encode: True,
    "flatten": lambda vocab: (b"".join(vocab.values()), {}),
    "whole": len,
    "are_right": lambda tokens, encode: all(encode(token) == [token] for token in tokens),
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
