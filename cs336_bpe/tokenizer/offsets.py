"""Ids with the places that they come from.

What is between added tokens is encoded at once, and how many bytes each token has tells where it
ends. So the places of all tokens are sums, which numpy adds up. Two cases need more. What a
normalizer changes is followed character by character, in short stretches. And where text has to be
cut into pretokens in Python, the places are found on the way.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy

from cs336_bpe.model.aligned import Aligned, AlignedSplitter, Span, aligned, normalized
from cs336_bpe.model.normal import Normalizer
from cs336_bpe.tokenizer.coder import Coder, as_array
from cs336_bpe.tokenizer.special_choice import Choice

if TYPE_CHECKING:
    from cs336_bpe.tokenizer.coder import Array

Unit = Literal["characters", "bytes"]


class WithOffsets(NamedTuple):
    """The ids of a text, and for each one the part of the text that it stands for."""

    ids: list[int]
    offsets: list[Span]


class _Tokens(NamedTuple):
    """Some ids, their spans in characters, and how much white space each begins and ends with."""

    ids: "Array"
    starts: "Array"
    stops: "Array"
    leading: "Array"
    trailing: "Array"


class _Part(NamedTuple):
    """Text between added tokens, ready to be cut: where each of its characters comes from.

    If it is as it came, it just begins at a place of the original.
    """

    text: str
    begin: int
    starts: "Array | None" = None
    stops: "Array | None" = None

    def cut(self, start: int, stop: int) -> "_Part":
        if self.starts is None or self.stops is None:
            return _Part(self.text[start:stop], self.begin + start)
        return _Part(self.text[start:stop], 0, self.starts[start:stop], self.stops[start:stop])

    def spans(self, first: "Array", last: "Array") -> "tuple[Array, Array]":
        """The spans of tokens, by the numbers of their first and last characters."""
        if self.starts is None or self.stops is None:
            return first + self.begin, last + (self.begin + 1)
        return self.starts[first], self.stops[last]

    def aligned(self) -> Aligned:
        if self.starts is None or self.stops is None:
            return aligned(self.text, self.begin)
        return Aligned(self.text, list(zip(self.starts.tolist(), self.stops.tolist())))


class OffsetEncoder:
    """Encodes texts with offsets."""

    def __init__(self, coder: Coder) -> None:
        self.coder = coder
        preparation = coder.preparation
        self.pipeline = None if preparation is None else preparation.pipeline
        self.splitter = None if self.pipeline is None else AlignedSplitter(self.pipeline.splits)
        self.known: dict[bytes, list[int]] = {}

    def encode(self, text: str, choice: Choice, unit: Unit) -> WithOffsets:
        if unit not in ("characters", "bytes"):
            raise ValueError(f"unit is {unit!r}; it must be 'characters' or 'bytes'")
        some = list(self._plain(text, choice) if choice.added is None else
                    self._prepared(text, choice))
        if not some:
            return WithOffsets([], [])
        tokens = _Tokens(*map(numpy.concatenate, zip(*some)))
        starts, stops = tokens.starts, tokens.stops
        if self.pipeline is not None and self.pipeline.trim_offsets:
            starts, stops = _trimmed(tokens, self.pipeline.trim_prefix_space)
        if unit == "bytes" and not text.isascii():
            places = _character_places(text.encode())
            starts, stops = places[starts], places[stops]
        return WithOffsets(tokens.ids.tolist(), list(zip(starts.tolist(), stops.tolist())))

    def _plain(self, text: str, choice: Choice) -> Iterator[_Tokens]:
        place = 0
        for part in choice.splitter.split(text):
            if isinstance(part, int):
                length = len(self.coder.tokens[part].decode())
                yield _one_token(part, (place, place + length), "")
                place += length
            else:
                yield self._of_part(_Part(part, place))
                place += len(part)

    def _prepared(self, text: str, choice: Choice) -> Iterator[_Tokens]:
        added, ids = choice.added, self.coder.choices.ids
        assert added is not None
        for start, stop, token in added.raw.spans(text):
            if token is not None:
                yield _one_token(ids[token.content], (start, stop), text[start:stop])
                continue
            part = _normalized(text[start:stop], start, added.normalizer)
            for first, last, inner in added.normalized.spans(part.text):
                piece = part.cut(first, last)
                if inner is None:
                    yield self._of_part(piece)
                else:
                    ends = piece.spans(numpy.array([0]), numpy.array([len(piece.text) - 1]))
                    yield _one_token(ids[inner.content], (int(ends[0][0]), int(ends[1][0])),
                                     piece.text)

    def _of_part(self, part: _Part) -> _Tokens:
        """The tokens of a text in which there are no added tokens."""
        if self.coder.compiled is None:
            return self._step_by_step(part)
        text = part.text
        preparation = self.coder.preparation
        has_prefix = (preparation is not None and preparation.prefix_space
                      and not text.startswith(" "))
        if has_prefix:
            text = " " + text
        kind = self.coder.smallest_dtype
        ids = as_array(self.coder.encode_between(text, self.coder.width), kind)
        measures = self.coder.token_measures
        lengths = measures.of(measures.lengths, ids)
        ends = numpy.cumsum(lengths)
        character_of = _characters(text.encode())
        # A space that was put there has the place of the first character.
        first = character_of[ends - lengths] - has_prefix
        last = character_of[ends - 1] - has_prefix
        starts, stops = part.spans(numpy.maximum(first, 0), numpy.maximum(last, 0))
        return _Tokens(ids, starts, stops, measures.of(measures.leading, ids),
                       measures.of(measures.trailing, ids))

    def _step_by_step(self, part: _Part) -> _Tokens:
        """The same if the text has to be cut into pretokens in Python."""
        ids: list[int] = []
        spans: list[Span] = []
        for pretoken, places in self._pretokens(part):
            found = self.known.get(pretoken)
            if found is None:
                encoded = self.coder.engine.encode_pieces([pretoken], self.coder.width)
                found = self.known[pretoken] = self.coder.as_list(encoded)
            place = 0
            for number in found:
                stop = place + len(self.coder.tokens[number])
                spans.append((places[place][0], places[stop - 1][1]))
                place = stop
            ids += found
        array = numpy.array(ids, numpy.int64)
        both = numpy.array(spans, numpy.int64).reshape(-1, 2)
        measures = self.coder.token_measures
        return _Tokens(array, both[:, 0], both[:, 1], measures.of(measures.leading, array),
                       measures.of(measures.trailing, array))

    def _pretokens(self, part: _Part) -> Iterator[tuple[bytes, Sequence[Span]]]:
        """The pretokens, with the span of each of their bytes."""
        source = part.aligned()
        if self.splitter is not None:
            yield from self.splitter.pretokens(source)
            return
        for span in self.coder.pretoken_spans(part.text):
            piece = source[slice(*span)]
            yield piece.text.encode(), [place for character, place in zip(piece.text, piece.spans)
                                        for _ in character.encode()]


def _one_token(number: int, span: Span, content: str) -> _Tokens:
    """An added token that stands for some text."""
    return _Tokens(*(numpy.array([value], numpy.int64) for value in (
        number, *span, _white(content), _white(content[::-1]))))


def _normalized(text: str, begin: int, normalizer: Normalizer) -> _Part:
    """A text between raw added tokens, normalized, and where its characters come from."""
    if normalizer.leaves(text):
        return _Part(text, begin)
    texts: list[str] = []
    columns: list[Array] = []
    for stretch in normalizer.stretches(text):
        if normalizer.leaves(stretch):
            texts.append(stretch)
            starts = numpy.arange(begin, begin + len(stretch))
            columns.append(numpy.stack([starts, starts + 1], axis=1))
        else:
            changed = normalized(aligned(stretch, begin), normalizer.steps)
            texts.append(changed.text)
            columns.append(numpy.array(changed.spans, numpy.int64).reshape(-1, 2))
        begin += len(stretch)
    both = numpy.concatenate(columns)
    return _Part("".join(texts), 0, both[:, 0], both[:, 1])


def _is_first_byte(data: bytes) -> "Array":
    """Whether a character begins at each byte of some UTF-8."""
    first: Array = (numpy.frombuffer(data, numpy.uint8) & 0xC0) != 0x80
    return first


def _characters(data: bytes) -> "Array":
    """The number of the character that each byte belongs to."""
    return numpy.cumsum(_is_first_byte(data)) - 1


def _character_places(data: bytes) -> "Array":
    """Where each character begins, and at last where the text ends."""
    return numpy.append(numpy.flatnonzero(_is_first_byte(data)), len(data))


def _trimmed(tokens: _Tokens, prefix_space: bool) -> "tuple[Array, Array]":
    """The spans without the white space at the ends of tokens."""
    _, starts, stops, leading, trailing = tokens
    if prefix_space:  # then one space before what begins the text was put there
        begins = starts == 0
        begins[:1] = True
        leading = numpy.where(begins & (leading == 1), 0, leading)
    starts = numpy.minimum(starts + leading, numpy.where(leading > 0, stops, starts))
    shorter = numpy.maximum(stops - trailing, starts)
    return starts, numpy.where((trailing > 0) & (stops >= trailing), shorter, stops)


def _white(text: str) -> int:
    """How many characters of white space, or of a written space, a token begins with."""
    return len(text) - len(text.lstrip("\u0120 \t\n\x0b\x0c\r\x85\xa0\u1680\u2000\u2001\u2002\u2003"
                                       "\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
                                       "\u202f\u205f\u3000"))
