"""Cutting text as `tokenizers` does: its regex engine, its classes, all of its behaviours."""

import random
import unicodedata

import pytest
import regex

from cs336_bpe.model.oniguruma import from_oniguruma
from cs336_bpe.model.reduce import patterns_of
from cs336_bpe.model.splitting import PUNCTUATION, Splitter, cut_of, parts
from cs336_bpe.rules.pipeline import ByteLevel, Digits, Punctuation, Split, WhitespaceSplit

NAMES = {"Removed": "removed", "Isolated": "isolated", "Contiguous": "contiguous",
         "MergedWithPrevious": "merged_with_previous", "MergedWithNext": "merged_with_next"}

ATOMS = [r"\p{L}", r"\p{Lu}", r"\p{N}", r"\P{L}", r"\p{^L}", r"\s", r"\S", r"\w", r"\W", r"\d",
         r"\D", ".", "a", "b", "ab", "é", " ", r"\n", r"\r", r"\t", "'", "[a-c]", r"[^a-c\s]",
         r"[\p{L}\p{M}]", r"[^\r\n\p{L}\p{N}]", r"[\w']", r"[^\w]", r"[\r\n]", "(?i:'s|'t|'ll)",
         "(a|b)", "(?:ab|a)", "(?>ab|a)", "x", "[-a]", "[a-]", r"\-", r"\.", r"\x41", r"\u00e9",
         r"\x{e9}", "🙂"]
LOOKS = ["^", "$", r"\b", r"\B", r"\A", r"\z", r"\Z", r"(?!\S)", "(?=a)", "(?<=a)", r"(?<!\s)"]
REPEATS = ["", "", "", "", "+", "*", "?", "{2}", "{1,3}", "{2,}", "{,2}", "+?", "*?", "??", "++",
           "?+", "*+", "{1,3}+"]
CHARACTERS = list("aabbcAS stlxLM'\n\r\t é1²½_-.,🙂\u0301ſKß\u3000\u200d")


def random_pattern(rng):
    def one():
        if rng.random() < 0.2:
            return rng.choice(LOOKS)
        return rng.choice(ATOMS) + rng.choice(REPEATS)

    return "|".join("".join(one() for _ in range(rng.randint(1, 4)))
                    for _ in range(rng.randint(1, 4)))


def random_text(rng):
    return "".join(rng.choices(CHARACTERS, k=rng.randint(1, 14)))


def test_random_patterns_in_another_engine():
    tokenizers = pytest.importorskip("tokenizers")
    rng = random.Random(336)
    compared = 0
    for _ in range(400):
        pattern = random_pattern(rng)
        behavior, invert = rng.choice(list(NAMES)), rng.random() < 0.3
        try:
            theirs = tokenizers.pre_tokenizers.Split(
                tokenizers.Regex(pattern), NAMES[behavior], invert)
        except Exception:
            continue
        cut = cut_of(Split(pattern, behavior=behavior, invert=invert))
        for _ in range(10):
            text = random_text(rng)
            ours = [span for span in cut(text) if span[0] < span[1]]
            assert ours == [span for _, span in theirs.pre_tokenize_str(text)], (pattern, text)
            compared += 1
    assert compared > 3_000


@pytest.mark.parametrize("pattern", [
    r"\h", r"\R", r"\K", r"\G", r"a{2}?", "[[:alpha:]]", "[a&&b]", "[]a]", r"\p{Alnum}", r"(?m:.)",
    "(?<name>a)", r"\1", r"\xe9", "(?i:ss)", r"[\W]", "*a", "a)", "[a", "a{x}"])
def test_what_means_something_else_is_refused(pattern):
    with pytest.raises(ValueError, match="the pattern"):
        from_oniguruma(pattern)


@pytest.mark.parametrize(("pattern", "between"), [
    (PUNCTUATION, "a"), (r"\w", "."), (r"[\w]", "."), (r"\s", "a"), (r"\p{N}", "a")],
    ids=["punctuation", "word", "word in a set", "space", "number"])
def test_classes_are_those_of_the_library(pattern, between):
    """Every code point that Python knows; `regex` knows later ones than the library."""
    tokenizers = pytest.importorskip("tokenizers")
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    if pattern == PUNCTUATION:
        split = tokenizers.pre_tokenizers.Punctuation("isolated")
    ours = regex.compile(from_oniguruma(pattern))
    # Of tens of thousands of characters that are all alike, a few will do.
    points = [chr(point) for point in range(0x20000)
              if unicodedata.category(chr(point)) not in ("Cn", "Cs", "Co")
              and chr(point) != between
              and (unicodedata.category(chr(point)) != "Lo" or point % 64 == 0 or point < 0x3000)]
    for first in range(0, len(points), 5_000):
        some = points[first : first + 5_000]
        text = between + between.join(some) + between
        pieces = {span for _, span in split.pre_tokenize_str(text)}
        for place, point in enumerate(some):
            start = 1 + 2 * place
            assert ((start, start + 1) in pieces) == bool(ours.match(point)), hex(ord(point))


def random_steps(rng):
    kinds = [Split(rng.choice([",", r"\s", r"[a-c]", r"\p{N}", "[^a]", r"\w+", "ab"]),
                   rng.random() < 0.9, rng.choice(list(NAMES))),
             Digits(rng.random() < 0.5), Punctuation(rng.choice(list(NAMES))), WhitespaceSplit()]
    return [*rng.choices(kinds, k=rng.randint(0, 2)), ByteLevel(False, rng.random() < 0.5)]


def test_reduced_steps_cut_alike():
    rng = random.Random(336)
    reduced = 0
    for _ in range(600):
        steps = random_steps(rng)
        patterns = patterns_of(steps)
        if patterns is None:
            continue
        reduced += 1
        for _ in range(5):
            text = random_text(rng) + rng.choice(["", ",,", "1,2 34", "!? a"])
            pieces = [text]
            for pattern in patterns.patterns:
                pieces = [piece[start:stop] for piece in pieces
                          for (start, stop), _ in parts(regex.compile(pattern), piece)]
            assert [piece.encode() for piece in pieces] == list(Splitter(steps).pretokens(text))
    assert reduced > 200


def test_a_prefix_space():
    step = ByteLevel(prefix_space=True)
    assert list(Splitter([step]).pretokens("a b")) == [b" a", b" b"]
    assert list(Splitter([step]).pretokens(" a")) == [b" a"]
    assert list(Splitter([step]).pretokens("")) == []
    assert list(Splitter([Split(","), step]).pretokens("a,b")) == [b" a", b" ,", b" b"]
    assert patterns_of([step]).prefix_space
    assert patterns_of([Split(","), step]) is None
