"""Random patterns: whatever the compiler takes, it cuts as `regex` does."""

import os
import random

import pytest
import regex
from patterns.test_named_patterns import byte_starts

from cs336_bpe.native.scanner import CompiledPattern
from cs336_bpe.patterns import Unsupported, compile_pattern

SLOW = bool(os.environ.get("CS336_BPE_SLOW"))
NUM_PATTERNS = 5_000 if SLOW else 400
NUM_TEXTS = 25
LETTERS = "ab \n1é猫"
SETS = ["a", "b", "[ab]", "[^a]", r"\s", r"\S", r"\p{L}", r"\p{N}", "[^\\r\\n]", ".", " ", r"\n",
        "é", "[a-b1]", r"[\s\p{L}]", "(?i:a)", r"\p{Lu}"]
QUANTIFIERS = ["", "", "", "", "?", "*", "+", "{2}", "{1,2}", "{0,2}", "{1,}", "??", "*?", "+?",
               "{1,3}?"]
POSSESSIVE = ["?+", "*+", "++", "{1,2}+"]
AHEAD = [r"(?!\S)", r"(?=a)", r"(?!a)", r"(?=\s)", r"(?!\n)", "$", r"\Z", "(?=a|b)"]


def random_pattern(rng, depth=0):
    options = []
    for _ in range(rng.choice([1, 1, 2, 3] if depth else [1, 2, 3, 4])):
        parts = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            kind = rng.random()
            if kind < 0.12 and depth < 3:
                parts.append(f"(?:{random_pattern(rng, depth + 1)})" + rng.choice(QUANTIFIERS))
            elif kind < 0.2:
                parts.append(rng.choice(AHEAD))
            elif kind < 0.28:
                parts.append(rng.choice(SETS[:-2]) + rng.choice(POSSESSIVE))
            else:
                parts.append(rng.choice(SETS) + rng.choice(QUANTIFIERS))
        options.append("".join(parts))
    return "|".join(options)


@pytest.mark.parametrize("seed", range(8))
def test_random_patterns(seed):
    rng = random.Random(seed)
    taken = 0
    while taken < NUM_PATTERNS // 8:
        pattern = random_pattern(rng)
        try:
            automaton = compile_pattern.__wrapped__(pattern)
        except Unsupported:
            continue
        taken += 1
        scanner = CompiledPattern(automaton)
        for _ in range(NUM_TEXTS):
            text = "".join(rng.choices(LETTERS, k=rng.randrange(12)))
            expected = [match.span() for match in regex.finditer(pattern, text)]
            assert list(automaton.matches(text)) == expected, (pattern, text)
            assert scanner.starts(text.encode()) == byte_starts(pattern, text), (pattern, text)
            covered = sum(stop - start for start, stop in expected) == len(text)
            assert covered or automaton.leaves_gaps, (pattern, text)


def test_a_pattern_that_leaves_gaps_has_a_text_with_one():
    """`leaves_gaps` is exact: brute force over short texts finds a gap where it says there is."""
    rng = random.Random(1)
    texts = [""]
    for _ in range(4):
        texts += [text + letter for text in texts for letter in LETTERS[:5]]
    found = {True: 0, False: 0}
    while min(found.values()) < 12:
        pattern = random_pattern(rng, depth=2)
        try:
            automaton = compile_pattern.__wrapped__(pattern)
        except Unsupported:
            continue
        has_gap = any(sum(b - a for a, b in automaton.matches(text)) < len(text) for text in texts)
        if has_gap:
            assert automaton.leaves_gaps, pattern
        elif automaton.leaves_gaps:
            # then it is a character that is not among the five
            others = ["é", "猫", "!", "\r", "É", "aé", "a!", "!a"]
            assert any(sum(b - a for a, b in automaton.matches(text)) < len(text)
                       for text in others + [x + y for x in texts[:30] for y in others]), pattern
        found[automaton.leaves_gaps] += 1
