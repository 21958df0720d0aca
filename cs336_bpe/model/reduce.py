"""Which steps of splitting come to patterns whose matches, and what is between them, are pieces.

That is what a compiled scanner can run. `Splitter` runs everything; where `patterns_of` gives an
answer, both give the same pretokens, and a test says so.
"""

from collections.abc import Sequence
from typing import NamedTuple

import regex

from cs336_bpe.model.oniguruma import from_oniguruma
from cs336_bpe.model.splitting import PUNCTUATION, as_split
from cs336_bpe.patterns.known import may_leave_gaps
from cs336_bpe.rules.pipeline import ByteLevel, Split, SplitStep

_CLASS = regex.compile(r"\\[pP]\{\w+\}|\\[sSdDwW]|\[\^?(?:[^\]\\]|\\.|\\p\{\w+\})+\]|\\?[^\\\w]|\w",
                       regex.DOTALL)


class Patterns(NamedTuple):
    """Text is cut by the first pattern, each piece by the next one, and so on.

    With `prefix_space`, a text that does not begin with a space gets one first.
    """

    prefix_space: bool
    patterns: tuple[str, ...]


def patterns_of(steps: Sequence[SplitStep]) -> Patterns | None:
    """The patterns that do what the steps do, in the syntax of `regex`; None if none do.

    >>> patterns_of([Split(",", behavior="MergedWithPrevious"), ByteLevel(use_regex=False)])
    Patterns(prefix_space=False, patterns=('[^,]*,|[^,]+',))
    >>> patterns_of([Split(",", behavior="Removed"), ByteLevel(use_regex=False)]) is None
    True
    """
    if not isinstance(steps[-1], ByteLevel):
        return None  # steps after ByteLevel cut between bytes of one character
    last = steps[-1]
    if last.prefix_space and len(steps) > 1:
        return None  # each piece would get a space
    patterns = []
    for step in steps:
        if isinstance(step, ByteLevel) and not step.use_regex:
            continue
        pattern = _isolated(as_split(step))
        if pattern is None:
            return None
        patterns.append(pattern)
    return Patterns(last.prefix_space, tuple(patterns))


def _isolated(split: Split) -> str | None:
    """A pattern that cuts as a split does, if its matches and what is between them are the pieces.
    """
    pattern = from_oniguruma(split.pattern) if split.is_regex else regex.escape(split.pattern)
    if split.behavior == "Isolated":
        return pattern  # inverted or not: matches and gaps are pieces alike
    if split.behavior == "Removed" and split.invert and not may_leave_gaps(pattern):
        return pattern  # what is between matches is left out, and there is nothing
    if split.invert or not (pattern == from_oniguruma(PUNCTUATION) or _CLASS.fullmatch(pattern)):
        return None
    others = _complement(pattern)
    if split.behavior == "Contiguous":
        return f"{pattern}+"
    if split.behavior == "MergedWithPrevious":
        return f"{others}*{pattern}|{others}+"
    if split.behavior == "MergedWithNext":
        return f"{pattern}{others}*|{others}+"
    return None


def _complement(character: str) -> str:
    """
    >>> [_complement(one) for one in (r"\\s", r"\\P{N}", "[^a-z]", "[a]", ",")]
    ['\\\\S', '\\\\p{N}', '[a-z]', '[^a]', '[^,]']
    """
    if character[0] == "(":
        return f"(?:(?!{character})[\\s\\S])"
    if character[0] == "\\" and character[1].isalpha():
        return f"\\{character[1].swapcase()}{character[2:]}"
    if character.startswith("[^"):
        return f"[{character[2:]}"
    return f"[^{character[1:]}" if character[0] == "[" else f"[^{character}]"


