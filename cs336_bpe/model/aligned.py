"""Where everything came from: text that remembers, for each character, its place in the original.

Offsets tell which characters of a text a token stands for. They are those that `tokenizers` gives,
also where that is a matter of taste: a character that was put in has the place of its neighbour,
and an accent that was composed with the letter before it has no place of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, is_normalized, normalize

from cs336_bpe.model.splitting import Cut, as_split, compiled, cut_of, parts
from cs336_bpe.rules import from_printable, to_printable
from cs336_bpe.rules.pipeline import (
    ByteLevel,
    Form,
    NormalStep,
    Prepend,
    Replace,
    SplitStep,
    UnicodeForm,
)

Span = tuple[int, int]


@dataclass(frozen=True)
class Aligned:
    """A text, and for each of its characters a span of the original."""

    text: str
    spans: Sequence[Span]

    def __getitem__(self, place: slice) -> "Aligned":
        return Aligned(self.text[place], self.spans[place])

    @property
    def span(self) -> Span:
        return self.spans[0][0], self.spans[-1][1]

    def prepended(self, content: str) -> "Aligned":
        """What is put before a text has the place of its first character."""
        return Aligned(content + self.text, [self.spans[0]] * len(content) + list(self.spans))


def aligned(text: str, start: int = 0) -> Aligned:
    """
    >>> aligned("ab", 5).spans
    [(5, 6), (6, 7)]
    """
    return Aligned(text, [(place, place + 1) for place in range(start, start + len(text))])


# --- Normalization -------------------------------------------------------------------------


def normalized(source: Aligned, steps: Iterable[NormalStep]) -> Aligned:
    """A text after the steps of a normalizer.

    >>> normalized(aligned("e\\u0301!"), [UnicodeForm("NFC"), Prepend("_")]).spans
    [(0, 1), (0, 1), (2, 3)]
    """
    for step in steps:
        if not source.text:
            return source
        match step:
            case UnicodeForm(form):
                if not is_normalized(form, source.text):
                    source = _in_form(source, form)
            case Replace():
                source = _replaced(source, step)
            case Prepend(content):
                source = source.prepended(content)
    return source


def _replaced(source: Aligned, step: Replace) -> Aligned:
    """What is written in place of a match has the place of its last character."""
    texts: list[str] = []
    spans: list[Span] = []
    for (start, stop), matched in parts(compiled(step.pattern, step.is_regex), source.text):
        if matched:
            texts.append(step.content)
            spans += [source.spans[stop - 1] if stop else (0, 0)] * len(step.content)
        else:
            texts.append(source.text[start:stop])
            spans += source.spans[start:stop]
    return Aligned("".join(texts), spans)


Change = tuple[str, int]
"""A character that replaces one (0), is new (1), or replaces one and removes n after it (-n)."""


def _in_form(source: Aligned, form: Form) -> Aligned:
    changes = _decomposed(source.text, "NFKD" if "K" in form else "NFD")
    if form in ("NFC", "NFKC"):
        changes = _composed(changes)
    spans: list[Span] = []
    place = 0
    for _, change in changes:
        if change > 0:
            spans.append(source.spans[place - 1] if place else (0, 0))
        else:
            spans.append(source.spans[place])
            place += 1 - change
    return Aligned("".join(character for character, _ in changes), spans)


def _decomposed(text: str, form: Form) -> list[Change]:
    """Each character in its parts, and marks in their canonical order."""
    changes: list[Change] = []
    marks: list[Change] = []
    for character in text:
        for place, part in enumerate(normalize(form, character)):
            if combining(part) == 0:
                changes += sorted(marks, key=lambda change: combining(change[0]))
                marks = []
                changes.append((part, int(place > 0)))
            else:
                marks.append((part, int(place > 0)))
    return changes + sorted(marks, key=lambda change: combining(change[0]))


def _composed(changes: list[Change]) -> list[Change]:
    """Letters and marks put together again, as far as Unicode has characters for them."""
    result: list[Change] = []
    letter: Change | None = None
    marks: list[Change] = []  # after the letter, not composed with it
    for character, change in changes:
        order = combining(character)
        if letter is None:
            if order:
                result.append((character, change))
            else:
                letter = character, change
            continue
        # A mark of the same order, or a letter after marks, keeps this one from the letter.
        is_blocked = bool(marks) and combining(marks[-1][0]) >= order
        together = normalize("NFC", letter[0] + character)
        if not is_blocked and len(together) == 1:
            letter = together, letter[1] + change - 1
        elif order:
            marks.append((character, change))
        else:
            result += [letter, *marks]
            letter, marks = (character, change), []
    return result if letter is None else [*result, letter, *marks]


# --- Pretokens -----------------------------------------------------------------------------


class AlignedSplitter:
    """As `Splitter`, but each pretoken comes with the span of each of its bytes."""

    def __init__(self, steps: Sequence[SplitStep]) -> None:
        self.steps: list[tuple[Cut, SplitStep]] = [(cut_of(as_split(step)), step) for step in steps]

    def pretokens(self, source: Aligned) -> Iterator[tuple[bytes, Sequence[Span]]]:
        pieces = [source] if source.text else []
        for cut, step in self.steps:
            if isinstance(step, ByteLevel) and step.prefix_space:
                pieces = [piece if piece.text.startswith(" ") else piece.prepended(" ")
                          for piece in pieces]
            pieces = [piece[start:stop] for piece in pieces for start, stop in cut(piece.text)
                      if start < stop]
            if isinstance(step, ByteLevel):
                pieces = [_as_bytes(piece) for piece in pieces]
        for piece in pieces:
            yield _token(piece.text), piece.spans


def _as_bytes(piece: Aligned) -> Aligned:
    """A piece in the alphabet that stands for bytes."""
    spans = [span for character, span in zip(piece.text, piece.spans)
             for _ in character.encode("utf-8", "surrogateescape")]
    return Aligned(to_printable(piece.text.encode("utf-8", "surrogateescape")), spans)


def _token(text: str) -> bytes:
    token = from_printable(text)
    assert token is not None
    return token
