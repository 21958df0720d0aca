"""Safe cuts, and what is certain in a stream: the automaton tells exactly."""

import itertools
import random

import pytest
from patterns.edge_texts import random_text

from cs336_bpe.native.scanner import CompiledPattern, compiled
from cs336_bpe.patterns import compile_pattern
from cs336_bpe.patterns.cuts import last_cut
from cs336_bpe.rules import PATTERNS

LENGTH = {"gpt4o": 3, "deepseek3": 3}


def class_strings(automaton, length):
    """All texts up to a length with one character of each class."""
    letters = [chr(point) for point in automaton.first_points]
    for size in range(2, length + 1):
        yield from map("".join, itertools.product(letters, repeat=size))


def is_cut(automaton, text, at):
    """Whether the parts of a text have the matches of the whole."""
    parts = [*automaton.matches(text[:at]),
             *((a + at, b + at) for a, b in automaton.matches(text[at:]))]
    return parts == list(automaton.matches(text))


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pair_is_safe_exactly_if_every_text_may_be_cut_there(name):
    automaton = compile_pattern(PATTERNS[name])
    refuted = set()
    rng = random.Random(name)
    letters = [chr(point) for point in automaton.first_points]
    longer = ("".join(rng.choices(letters, k=rng.randrange(5, 9))) for _ in range(4000))
    for text in itertools.chain(class_strings(automaton, LENGTH.get(name, 4) - 1), longer):
        for at in range(1, len(text)):
            x, y = (automaton.of_point[ord(text[place])] for place in (at - 1, at))
            if not is_cut(automaton, text, at):
                assert not automaton.safe[x][y], (text, at)
                refuted.add((x, y))
    for x, y in itertools.product(range(automaton.num_classes), repeat=2):
        if not automaton.safe[x][y] and (x, y) not in refuted:  # two more characters before it
            pair = letters[x] + letters[y]
            assert any(not is_cut(automaton, "".join(before) + pair + after, 3)
                       for after in ["", "s"]
                       for before in itertools.product(letters, repeat=2)), pair


@pytest.mark.parametrize("pattern", [r"[a-z]{2,3}x?|\s+(?!\S)|\d+", r"ab|abc+d|[^b]",
                                     r"a+(?!b)|\n"])
def test_safe_pairs_of_patterns_with_gaps(pattern):
    automaton = compile_pattern(pattern)
    assert automaton.leaves_gaps
    for text in class_strings(automaton, 5 if automaton.num_classes < 6 else 4):
        for at in range(1, len(text)):
            x, y = (automaton.of_point[ord(text[place])] for place in (at - 1, at))
            assert is_cut(automaton, text, at) or not automaton.safe[x][y], (text, at)


@pytest.mark.parametrize("pattern", [r"[a-z]{2,3}x?|\s+(?!\S)|\d+", r"ab|abc+d|[^b]", r"a+(?!b)|\n",
                                     "(?:])", r"\w+"])
def test_safe_pairs_where_gaps_are_kept(pattern):
    """What no match takes is a piece of its own, and must not be cut in two."""
    automaton = compile_pattern(pattern)
    scanner = CompiledPattern(automaton, keep_gaps=True)
    assert scanner.leaves_gaps
    for text in class_strings(automaton, 5 if automaton.num_classes < 6 else 4):
        whole = scanner.starts(text.encode(), gaps="keep")
        for at in range(1, len(text)):
            x, y = (automaton.of_point[ord(text[place])] for place in (at - 1, at))
            if automaton.safe_keeping_gaps[x][y]:
                place = len(text[:at].encode())
                right = scanner.starts(text[at:].encode(), gaps="keep")
                parts = [*scanner.starts(text[:at].encode(), gaps="keep"),
                         *(start + place for start in right)]
                assert parts == whole, (text, at)


@pytest.mark.parametrize("name", PATTERNS)
def test_the_last_cut_in_c_and_in_python(name):
    """On text, and on bytes that are not."""
    automaton, scanner = compile_pattern(PATTERNS[name]), compiled(name)
    rng = random.Random(name)
    for number in range(1500):
        data = random_text(rng).encode()
        if number % 3 == 0:
            data = bytes(rng.choice(data + b"\xff\x80\xe3") for _ in range(len(data)))
        size = rng.randrange(len(data) + 1)
        first, last = rng.randrange(1, 5), rng.randrange(size + 1)
        expected = last_cut(automaton.of_point, automaton.safe, data, size, first, last)
        assert scanner.last_cut(data, size, first, last) == expected
        if expected and number % 3:
            text = data.decode("utf-8", "surrogateescape")
            at = len(data[:expected].decode("utf-8", "surrogateescape"))
            assert is_cut(automaton, text, at)


@pytest.mark.parametrize("name", PATTERNS)
def test_certain_starts_are_never_wrong_and_never_fewer_than_possible(name):
    automaton, scanner = compile_pattern(PATTERNS[name]), compiled(name)
    rng = random.Random(name)
    letters = [chr(point) for point in automaton.first_points]
    endings = ["", *letters, *map("".join, itertools.product(letters, repeat=2))]
    for _ in range(40):
        text = "".join(rng.choices(letters, k=rng.randrange(1, 6)))
        size = len(text.encode())
        in_all = set(range(size))
        for ending in endings:
            in_all &= set(scanner.starts((text + ending).encode()))
        assert scanner.certain_starts(text.encode()) == sorted(in_all), text
