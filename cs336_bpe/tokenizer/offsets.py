"""Ids with the places that they come from."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from cs336_bpe.model.aligned import AlignedSplitter, Span, aligned, aligned_parts, trimmed
from cs336_bpe.tokenizer.coder import Coder
from cs336_bpe.tokenizer.special_choice import Choice

Unit = Literal["characters", "bytes"]


class WithOffsets(NamedTuple):
    """The ids of a text, and for each one the part of the text that it stands for."""

    ids: list[int]
    offsets: list[Span]


class _Token(NamedTuple):
    """An id, its span in characters, and how much white space it begins and ends with."""

    id: int
    span: Span
    leading: int
    trailing: int


class OffsetEncoder:
    """Encodes texts with offsets, one pretoken at a time."""

    def __init__(self, coder: Coder, tokens: dict[int, bytes]) -> None:
        self.coder = coder
        self.tokens = tokens
        self.known: dict[bytes, list[int]] = {}
        preparation = coder.preparation
        self.pipeline = None if preparation is None else preparation.pipeline
        self.splitter = None if self.pipeline is None else AlignedSplitter(self.pipeline.splits)

    def encode(self, text: str, choice: Choice, unit: Unit) -> WithOffsets:
        if unit not in ("characters", "bytes"):
            raise ValueError(f"unit is {unit!r}; it must be 'characters' or 'bytes'")
        ids: list[int] = []
        offsets: list[Span] = []
        for number, token in enumerate(self._tokens(text, choice)):
            ids.append(token.id)
            span = token.span
            if self.pipeline is not None and self.pipeline.trim_offsets:
                span = trimmed(span, token.leading, token.trailing, is_first=number == 0,
                               prefix_space=self.pipeline.trim_prefix_space)
            offsets.append(span)
        if unit == "bytes" and not text.isascii():
            places = [0]
            for character in text:
                places.append(places[-1] + len(character.encode()))
            offsets = [(places[start], places[stop]) for start, stop in offsets]
        return WithOffsets(ids, offsets)

    def _tokens(self, text: str, choice: Choice) -> Iterator[_Token]:
        if choice.added is None or self.splitter is None:
            yield from self._plain(text, choice)
            return
        for part in aligned_parts(text, choice.added):
            if part.added is not None:
                content = part.source.text
                yield _Token(self.coder.choices.ids[part.added], part.source.span,
                             _white(content), _white(content[::-1]))
                continue
            for pretoken, spans in self.splitter.pretokens(part.source):
                yield from self._of_pretoken(pretoken, spans)

    def _plain(self, text: str, choice: Choice) -> Iterator[_Token]:
        place = 0
        for part in choice.splitter.split(text):
            if isinstance(part, int):
                length = len(self.tokens[part].decode())
                yield _Token(part, (place, place + length), 0, 0)
                place += length
                continue
            source = aligned(part, place)
            for span in self.coder.pretoken_spans(part):
                piece = source[slice(*span)]
                spans = [span for character, span in zip(piece.text, piece.spans)
                         for _ in character.encode()]
                yield from self._of_pretoken(piece.text.encode(), spans)
            place += len(part)

    def _of_pretoken(self, pretoken: bytes, spans: Sequence[Span]) -> Iterator[_Token]:
        ids = self.known.get(pretoken)
        if ids is None:
            encoded = self.coder.engine.encode_pieces([pretoken], self.coder.width)
            ids = self.known[pretoken] = self.coder.as_list(encoded)
        place = 0
        for number in ids:
            token = self.tokens[number]
            stop = place + len(token)
            yield _Token(number, (spans[place][0], spans[stop - 1][1]),
                         len(token) - len(token.lstrip(b" ")), len(token) - len(token.rstrip(b" ")))
            place = stop


def _white(text: str) -> int:
    """How many characters of white space, or of a written space, a token begins with."""
    return len(text) - len(text.lstrip("\u0120 \t\n\x0b\x0c\r\x85\xa0\u1680\u2000\u2001\u2002\u2003"
                                       "\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
                                       "\u202f\u205f\u3000"))
