"""Pretokenizers that are wrong on purpose, each in one way. Run by the sandbox, not by pytest."""

from dataclasses import replace

from cs336_bpe.judge.mistakes import RIGHT, count


def right(text, special_tokens):
    return [word.decode() for word in count(text, special_tokens, RIGHT).elements()]


def counts(text, special_tokens):
    return dict(count(text, special_tokens, RIGHT))


def as_tuples(text, special_tokens):
    return {tuple(bytes([byte]) for byte in word): number
            for word, number in count(text, special_tokens, RIGHT).items()}


def number(text, special_tokens):
    return 3


def numbers(text, special_tokens):
    return [1, 2, 3]


def floats(text, special_tokens):
    return {word: float(n) for word, n in count(text, special_tokens, RIGHT).items()}


def none_found(text, special_tokens):
    return []


def no_contractions(text, special_tokens):
    return count(text, special_tokens, replace(RIGHT, pattern="no contractions"))
