"""Cutting text into pretokens, step by step, as a file says.

Plain Python and `regex`: this is what the fast way must agree with, and what runs where there is no
fast way.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import regex

from cs336_bpe.model.oniguruma import from_oniguruma
from cs336_bpe.rules import GPT2_PATTERN, from_printable, to_printable
from cs336_bpe.rules.pipeline import (
    Behavior,
    ByteLevel,
    Digits,
    Punctuation,
    Split,
    SplitStep,
    WhitespaceSplit,
)

Span = tuple[int, int]
Cut = Callable[[str], list[Span]]

NUMBER = r"\p{N}"
SPACE = r"\s"
_LATER = "".join(
    f"{chr(int(first, 16))}-{chr(int(last or first, 16))}"
    for first, _, last in (run.partition("-") for run in (
        "61D 9FD A76 C77 C84 1B4E-1B4F 1B7D-1B7F 2E43-2E4F 2E52-2E5D 2E60-2E63 10D6E 10EAD 10ED0 "
        "10F55-10F59 10F86-10F89 113D4-113D5 113D7-113D8 1144B-1144F 1145A-1145B 1145D 11660-1166C "
        "116B9 1183B 11944-11946 119E2 11A3F-11A46 11A9A-11A9C 11A9E-11AA2 11B00-11B09 11BE1 "
        "11C41-11C45 11C70-11C71 11EF7-11EF8 11F43-11F4F 11FFF 12FF1-12FF2 16D6D-16D6F 16E97-16E9A "
        "16FE2 1E5FF 1E95E-1E95F").split()))
PUNCTUATION = rf"(?:(?![{_LATER}])[\p{{P}}$+<=>^`|~\u166d{chr(0x111C9)}])"
"""Unicode's punctuation as it was in version 8, and all of ASCII's, of which `$+<=>^`|~` are
symbols to Unicode. Other classes follow new versions of Unicode in the library too, this one not.
"""


def as_split(step: SplitStep) -> Split:
    """The `Split` that does what a step does, but for a prefix space.

    >>> as_split(Digits(individual=True))
    Split(pattern='\\\\p{N}', is_regex=True, behavior='Isolated', invert=False)
    """
    match step:
        case Split():
            return step
        case Digits(individual):
            return Split(NUMBER, behavior="Isolated" if individual else "Contiguous")
        case Punctuation(behavior):
            return Split(PUNCTUATION, behavior=behavior)
        case WhitespaceSplit():
            return Split(SPACE, behavior="Removed")
        case ByteLevel(use_regex=True):
            return Split(GPT2_PATTERN)
        case ByteLevel():
            return Split(r"[\s\S]+")


@lru_cache(maxsize=1000)
def compiled(pattern: str, is_regex: bool) -> "regex.Pattern[str]":
    """A pattern of a file, for `regex`."""
    return regex.compile(from_oniguruma(pattern) if is_regex else regex.escape(pattern))


def cut_of(split: Split) -> Cut:
    """What a split does with a text: the spans of its pieces.

    >>> [cut_of(Split(",", behavior=behavior))("a,,b") for behavior in ("Removed", "Contiguous")]
    [[(0, 1), (3, 4)], [(0, 1), (1, 3), (3, 4)]]
    """
    pattern = compiled(split.pattern, split.is_regex)
    gather, invert = _GATHER[split.behavior], split.invert

    def cut(text: str) -> list[Span]:
        return gather([(span, matched != invert) for span, matched in parts(pattern, text)])

    return cut


Part = tuple[Span, bool]


def parts(pattern: "regex.Pattern[str]", text: str) -> Iterator[Part]:
    """The matches of a pattern and what is between them, one after the other."""
    end = 0
    for start, stop in matches(pattern, text):
        if start > end:
            yield (end, start), False
        yield (start, stop), True
        end = stop
    if end < len(text):
        yield (end, len(text)), False


def matches(pattern: "regex.Pattern[str]", text: str) -> Iterator[Span]:
    """The matches of a pattern, of which some may be empty.

    Python also takes an empty match that touches the one before. Oniguruma looks further then.
    """
    end = None
    for match in pattern.finditer(text):
        if match.end() == match.start():
            break
        end = match.end()
        yield match.span()
    else:
        return
    at = end or 0
    while at <= len(text) and (match := pattern.search(text, at)) is not None:
        if match.end() == match.start() == end:
            at += 1
        else:
            at = end = match.end()
            yield match.span()


def _removed(found: list[Part]) -> list[Span]:
    return [span for span, matched in found if not matched]


def _isolated(found: list[Part]) -> list[Span]:
    return [span for span, _ in found]


def _contiguous(found: list[Part]) -> list[Span]:
    spans: list[Span] = []
    before = False
    for span, matched in found:
        if matched == before and spans:
            spans[-1] = spans[-1][0], span[1]
        else:
            spans.append(span)
        before = matched
    return spans


def _merged_with_previous(found: list[Part]) -> list[Span]:
    spans: list[Span] = []
    before = False
    for span, matched in found:
        if matched and not before and spans:
            spans[-1] = spans[-1][0], span[1]
        else:
            spans.append(span)
        before = matched
    return spans


def _merged_with_next(found: list[Part]) -> list[Span]:
    spans: list[Span] = []
    after = False
    for span, matched in reversed(found):
        if matched and not after and spans:
            spans[-1] = span[0], spans[-1][1]
        else:
            spans.append(span)
        after = matched
    return spans[::-1]


_GATHER: dict[Behavior, Callable[[list[Part]], list[Span]]] = {
    "Removed": _removed, "Isolated": _isolated, "Contiguous": _contiguous,
    "MergedWithPrevious": _merged_with_previous, "MergedWithNext": _merged_with_next,
}


class Splitter:
    """The pretokens of texts in which there are no added tokens.

    >>> splitter = Splitter([Digits(individual=True), ByteLevel(prefix_space=False)])
    >>> list(splitter.pretokens("In 24 hours"))
    [b'In', b' ', b'2', b'4', b' hours']
    """

    def __init__(self, steps: Sequence[SplitStep]) -> None:
        self.steps = [(cut_of(as_split(step)), isinstance(step, ByteLevel),
                       isinstance(step, ByteLevel) and step.prefix_space) for step in steps]
        # Steps after ByteLevel see the bytes, in the alphabet that stands for them.
        self.goes_on = not isinstance(steps[-1], ByteLevel)

    def pretokens(self, text: str) -> Iterator[bytes]:
        pieces = [text] if text else []
        for cut, is_byte_level, prefix_space in self.steps:
            if prefix_space:
                pieces = [piece if piece.startswith(" ") else " " + piece for piece in pieces]
            pieces = [piece[start:stop] for piece in pieces for start, stop in cut(piece)
                      if start < stop]
            if is_byte_level and self.goes_on:
                pieces = [to_printable(_encoded(piece)) for piece in pieces]
        for piece in pieces:
            token = from_printable(piece) if self.goes_on else _encoded(piece)
            assert token
            yield token


def _encoded(piece: str) -> bytes:
    return piece.encode("utf-8", "surrogateescape")
