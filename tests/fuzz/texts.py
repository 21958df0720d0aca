"""Random texts, words, special tokens and vocabularies, rich in what is difficult."""

import random
from collections.abc import Sequence

from patterns.edge_texts import PIECES, random_text
from patterns.test_random_patterns import random_pattern

from cs336_bpe import GPT2_PATTERN, GPT4_PATTERN, train_bpe_from_counts
from cs336_bpe.rules import PATTERNS, Pair

SPECIALS = ["<|endoftext|>", "<|endoftext|><|endoftext|>", "<|", "|><", "<|a|>", "<|ab|>", "<|a",
            " two words", "\n\n<x>", ".*[a(", "é€", "é", "🙂", "a\0b", "'s<", "a b", " ", "aa",
            "aaa", "ab", "ba", "s", "\r\n", "猫", "<", "<|reserved_1|>", "<|reserved_12|>"]
LETTERS = ["ab", "abc", "aab ", "ab1' \n", "aé猫🙂 ", "<|a>b ", "abcdefghijklmnopqrstuvwxyz    "]
INVALID = [b"\x80", b"\xc0\x80", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f\x99", b"\xff",
           b"\xf4\x90\x80\x80", b"\xe0\x9f\xbf"]


def text(rng: random.Random, specials: Sequence[str] = (), most: int = 40,
         pattern: str | None = None) -> str:
    """A text of up to about `most` pieces, some of them special tokens or their beginnings.

    Now and then it is long, unless the pattern is a random one: `regex` may take for ever then.
    """
    if rng.random() < 0.4:
        parts = rng.choices(rng.choice(LETTERS), k=rng.randrange(most))
    else:
        parts = [random_text(rng, most)]
        parts += rng.choices(PIECES, k=rng.randrange(8))
    for token in rng.choices(list(specials), k=rng.randrange(6)) if specials else ():
        start = rng.randrange(len(token)) if rng.random() < 0.2 else 0
        stop = rng.randrange(len(token)) if rng.random() < 0.3 else len(token)
        parts.insert(rng.randrange(len(parts) + 1), token[start:stop])
    whole = "".join(parts)
    if pattern in PATTERNS.values() and rng.random() < 0.03:
        # Longer than what is converted, or looked at, as one.
        whole = whole * (rng.choice([3_000, 70_000]) // (len(whole) + 1)) + whole[: len(whole) // 2]
    return whole


def data(rng: random.Random, specials: Sequence[str] = (), most: int = 40,
         pattern: str | None = None) -> bytes:
    """The same as UTF-8, sometimes broken."""
    whole = text(rng, specials, most, pattern).encode()
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        at = rng.randrange(len(whole) + 1)
        whole = whole[:at] + rng.choice(INVALID) + whole[at + rng.randrange(2) :]
    return whole


def special_tokens(rng: random.Random, most: int = 5) -> list[str]:
    return rng.sample(SPECIALS, rng.randrange(most + 1))


def pattern(rng: random.Random) -> str:
    """One that people use, or a random one; GPT-2's most often."""
    kind = rng.random()
    if kind < 0.4:
        return GPT2_PATTERN
    if kind < 0.5:
        return GPT4_PATTERN
    if kind < 0.7:
        return rng.choice(list(PATTERNS.values()))
    # No groups inside groups, as these can take exponential time. In a group, because a word would
    # be taken for the name of a pattern.
    return "|".join(f"(?:{random_pattern(rng, depth=3)})" for _ in range(rng.choice([1, 2])))


def counts(rng: random.Random, most_words: int = 12, most_length: int = 12) -> dict[bytes, int]:
    """Counted words over few letters: many ties, many overlaps."""
    letters = rng.choice([b"a", b"ab", b"abc", b"\0\xff", bytes(range(97, 123)), bytes(range(256))])
    highest = rng.choice([1, 2, 3, 10, 10**6, 2**40])
    return {bytes(rng.choices(letters, k=rng.randrange(most_length))): rng.randrange(highest + 1)
            for _ in range(rng.randrange(most_words + 1))}


def merges(rng: random.Random, most: int = 60) -> list[Pair]:
    """A list of merges: learned from random words, or any that is consistent."""
    number = rng.randrange(most + 1)
    if rng.random() < 0.6:
        words = counts(rng, 20) | {text(rng, most=8).encode(): rng.randrange(1, 9)
                                   for _ in range(5)}
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return train_bpe_from_counts(words, 256 + number, [])[1]
    letters = rng.choice(["ab", "abc ", "aé猫", "<|a>", "abcdefgh 's"]).encode()
    tokens = sorted({bytes([byte]) for byte in letters})
    pairs: dict[Pair, None] = {}
    made = set(tokens)
    for _ in range(number):
        left, right = rng.choice(tokens), rng.choice(tokens)
        if left + right not in made and len(left + right) < 40:
            pairs[left, right] = None
            made.add(left + right)
            tokens.append(left + right)
    return list(pairs)


def numbering(rng: random.Random) -> int | None:
    """A seed for `ids`; None for ids as training gives them."""
    return rng.choice([None, rng.randrange(10**6)])


def ids(seed: int | None, number: int) -> list[int]:
    """So many ids: in order, in any order, or with gaps."""
    if seed is None:
        return list(range(number))
    rng = random.Random(seed)
    most = rng.choice([number, 2 * number, 2**16, 2**16 + number, 2**20])
    return rng.sample(range(max(most, number)), number)
