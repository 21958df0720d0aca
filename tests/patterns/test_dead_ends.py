"""Patterns whose attempts fail late: the matches of `regex`, in linear time."""

import random

import pytest
from patterns.test_named_patterns import byte_starts

from cs336_bpe import Tokenizer
from cs336_bpe.native.scanner import compiled
from cs336_bpe.patterns import Unsupported

#: An attempt runs along a row, and finds at its end that it was in vain. The second of each is a
#: text on which every attempt does.
LATE = {
    "a+b|[\\s\\S]": "a",
    "a+b": "a",  # leaves gaps
    "(?:aa)+b|[\\s\\S]": "a",  # two attempts side by side that never meet
    "(?:aaa)+b|(?:aa)+c|[\\s\\S]": "a",
    "(?:a|bb)+c|[\\s\\S]": "abb",
    "(?:é猫)+b|[\\s\\S]": "é猫",  # characters of several bytes
    "a(?:[ab]{7})+c|[\\s\\S]": "ab",  # seven side by side
    "a+(?:b|$(?<!a))|[\\s\\S]": "a",  # what can't be compiled: `regex` runs it
    "[^\"]+\"|[\\s\\S]": "it's ",
    "/\\*[\\s\\S]*?\\*/|[\\s\\S]": "/* ",  # a comment that never ends
    "\"(?:[^\"\\\\]|\\\\.)*\"|[\\s\\S]": "\"\\",
}
COMPILED = [pattern for pattern in LATE if "(?<!" not in pattern]


@pytest.mark.parametrize("pattern", COMPILED)
def test_steps_grow_with_the_text(pattern):
    """Not with its square: each text is twice as long as the one before."""
    row = LATE[pattern]
    taken = [compiled(pattern).bytes_taken((row * (size // len(row.encode()))).encode())
             for size in (20_000, 40_000, 80_000, 160_000, 320_000)]
    for fewer, more in zip(taken, taken[1:]):
        assert more < 2.3 * fewer
    assert taken[-1] < 320_000 * 60


@pytest.mark.parametrize("pattern", COMPILED)
def test_a_far_way_in_vain_is_gone_a_few_times(pattern):
    """Attempts begin near the end of a long row, too: places are kept there when they get there."""
    row = LATE[pattern] * 300_000
    taken = compiled(pattern).bytes_taken(row.encode())
    assert taken < len(row.encode()) * 60


def test_text_in_which_nothing_fails_late_is_taken_once():
    words = compiled(r" ?\w+|\s+|[^\s\w]+")
    text = ("some words, and others; " * 500).encode()
    assert words.bytes_taken(text) < 1.2 * len(text)


def test_the_same_matches_as_regex():
    """Texts of rows as long as needed to be remembered, with what ends them here and there."""
    rng = random.Random(336)
    for pattern in COMPILED:
        scanner = compiled(pattern)
        for _ in range(25):
            parts = [rng.choice([LATE[pattern] * rng.randrange(200), rng.choice("abc\"\\* é猫"),
                                 "".join(rng.choices("ab", k=rng.randrange(90)))])
                     for _ in range(rng.randrange(1, 8))]
            text = "".join(parts)
            assert scanner.starts(text.encode()) == byte_starts(pattern, text), (pattern, text)


def random_late_pattern(rng):
    """Options that take rows, and are in vain without what is to come after them."""
    sets = ["a", "b", "[ab]", "[^c]", ".", "é", r"\S", "[^b]", "[aé]"]
    options = []
    for _ in range(rng.choice([1, 2, 2, 3])):
        what = "".join(rng.choice(sets) + rng.choice(["", "", "?", "{2}", "{3}"])
                       for _ in range(rng.choice([1, 1, 2, 3])))
        options.append(rng.choice([*sets, ""]) + f"(?:{what}){rng.choice(['+', '+', '*', '+?'])}"
                       + rng.choice(["c", "cc", "[cé]", "(?=c)", "(?!a)c", r"\n", "ac", r"c\Z"]))
    return "|".join(options + rng.choice([[], ["."], ["[\\s\\S]"], ["[\\s\\S]", "a"]]))


@pytest.mark.parametrize("seed", range(4))
def test_random_patterns_that_fail_late(seed):
    rng = random.Random(seed)
    taken = 0
    while taken < 40:
        pattern = random_late_pattern(rng)
        try:
            scanner = compiled.__wrapped__(pattern)
        except Unsupported:  # such as a loop around something that may be empty
            continue
        taken += 1
        for _ in range(6):
            rows = [rng.choice(["a", "ab", "abb", "b", "é", "aé"]) * rng.choice([3, 40, 150, 400])
                    + rng.choice(["", "", "c", "\n", "cc"]) for _ in range(rng.randrange(1, 5))]
            text = "".join(rows)
            assert scanner.starts(text.encode()) == byte_starts(pattern, text), (pattern, text)
            assert scanner.bytes_taken(text.encode()) < 4_000 + 300 * len(text.encode())


@pytest.mark.parametrize("pattern", [*LATE])
@pytest.mark.parametrize("part", [1, 7, 1000])
def test_streams(pattern, part):
    """The automaton stays where it is until more comes, and so do the dead ends, or they are found
    again."""
    row = LATE[pattern]
    specials = ["<|end|>", "ab!"]
    tokenizer = Tokenizer({number: bytes([number]) for number in range(256)}
                          | {256: b"aa", 257: b"<|end|>", 258: b"ab!"}, [(b"a", b"a")], specials,
                          pattern=pattern, unmatched="keep")
    text = (row * 200 + "c" + row * 90 + "<|en" + row * 150 + "<|end|>" + row * 80 + "b" + row * 70
            + "ab!" + row * 100)
    parts = [text[start : start + part] for start in range(0, len(text), part)]
    assert list(tokenizer.encode_iterable(parts)) == tokenizer.encode(text)


@pytest.mark.parametrize("pattern", ["a+b|[\\s\\S]", "a+b"])
def test_invalid_text_at_the_end_of_a_row(pattern):
    scanner = compiled(pattern)
    text = b"a" * 5_000 + b"\xff" + b"a" * 200
    with pytest.raises(ValueError, match="not UTF-8"):
        scanner.starts(text)
    expected = [place for place in range(len(text)) if "|" in pattern]
    assert scanner.starts(text, lenient=True) == expected
    assert scanner.starts(text, lenient=True, gaps="keep") == (expected or [0])
