"""From text to ids: special tokens, the pattern and the engine, put together once.

`Tokenizer`, files, streams and batches all encode through this; nothing else knows which engine
there is.
"""

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from cs336_bpe.common.built import is_built
from cs336_bpe.common.lazy import lazy
from cs336_bpe.formats.consistent import Consistent
from cs336_bpe.formats.round_trip import Checked
from cs336_bpe.patterns.known import can_compile
from cs336_bpe.rules import TokenIds, check_pattern, check_size, require_pattern
from cs336_bpe.text.blocks import Block
from cs336_bpe.text.utf8 import Text, as_bytes, as_text
from cs336_bpe.tokenizer.native import engine
from cs336_bpe.tokenizer.special_choice import Choice, SpecialChoices

if TYPE_CHECKING:  # numpy is imported when an array is asked for
    import numpy
    import regex
    from numpy.typing import DTypeLike

    from cs336_bpe.native.scanner import CompiledPattern
    from cs336_bpe.rules.pipeline import Pipeline
    from cs336_bpe.tokenizer.preparing import Preparation

    Array = numpy.ndarray[Any, Any]

Unmatched = Literal["raise", "keep"]
"""What to do with text that a pattern does not match."""


class Coder:
    """Encodes texts. It never changes, and many threads may use it at once."""

    def __init__(self, found: Consistent, pattern: str, cache_bytes: int,
                 pipeline: "Pipeline | None" = None, unmatched: Unmatched = "raise") -> None:
        if unmatched not in get_args(Unmatched):
            raise ValueError(f"unmatched is {unmatched!r}; it must be 'raise' or 'keep'")
        self.unmatched = unmatched
        self.pattern = require_pattern(pattern)
        self.preparation = _preparation(pipeline, found.ids)
        if self.preparation is not None:
            self.compiled = self.preparation.compiled
            self.is_direct = self.preparation.cuts_anywhere
        else:
            self.compiled = None
            if can_compile(self.pattern):
                from cs336_bpe.native.scanner import compiled

                self.compiled = compiled(self.pattern, unmatched == "keep")
            self.is_direct = self.compiled is not None
        """Whether the engine takes a text as it is, and it can be cut where the automaton says."""
        limit = check_size("cache_bytes", cache_bytes, engine.SMALLEST_CACHE_BYTES)
        self.cache_bytes = min(limit, sys.maxsize)
        self.choices = SpecialChoices(found.ids.specials, self.preparation)
        self.engine = engine.Engine(found.tokens, found.merges, self.cache_bytes,
                                    _wholes(pipeline, found))
        if self.compiled is not None:
            self.engine.use_pattern(self.compiled)
        self.tokens = found.tokens
        self.greatest_id = max(found.tokens)
        self.width = 2 if self.greatest_id < 1 << 16 else 4  # bytes per id

    @property
    def cut_by(self) -> "str | CompiledPattern | None":
        """What says where a text can be cut; None if that is after special tokens only."""
        if self.is_direct:
            return self.compiled
        # `regex` has the matches of the automaton that was not compiled for lack of a compiler.
        return self.pattern if self.preparation is None and not is_built() else None

    @lazy
    def regex(self) -> "regex.Pattern[str]":
        """The pattern, for those who need it: compiled ones are run by the engine."""
        return check_pattern(self.pattern)

    def encode(self, text: Text, choice: Choice, width: int, *, cache: engine.Cache | None = None,
               strict: bool = False, offset: int | None = 0) -> engine.Ids | None:
        """The ids, of `width` bytes each; None if the text must be UTF-8 (`strict`) and is not.

        The text begins at `offset` of what the user knows, which an error names.
        """
        if choice.refused is not None:
            choice.check(text, offset)
        if self.is_direct:
            data = text if isinstance(text, str) else as_bytes(text)
            try:
                return self.engine.encode_ids(data, choice.native, width, cache, strict)
            except engine.UnmatchedText:
                for _ in self.pieces(text, choice):
                    pass  # it raises too, and says what is not matched
                raise
        data = as_bytes(text)  # which refuses what has no UTF-8 form
        try:
            if self.preparation is not None and self.compiled is not None:
                if not isinstance(data, str):
                    normal = self.preparation.normalized(bytes(data))
                    if normal is not None:
                        return self.engine.encode_ids(normal, choice.native, width, cache, strict)
                return self._encode_parts(as_text(text, strict=strict), choice, width, cache)
            return self.engine.encode_pieces(self.pieces(text, choice, strict=strict), width, cache)
        except UnicodeDecodeError:
            return None

    def _encode_parts(self, text: str, choice: Choice, width: int,
                      cache: engine.Cache | None) -> engine.Ids:
        """The ids of a text that is not for the engine as it is, but in parts."""
        preparation = self.preparation
        assert preparation is not None
        assert choice.added is not None
        if preparation.is_transparent(text):
            return self._encode_lenient(text, choice.native, width, cache)
        whole = engine.Ids(width, len(text))
        for part in preparation.parts(text, choice.added):
            if isinstance(part, int):
                whole.extend(self.engine.encode_pieces([part], width, cache))
            else:
                whole.extend(self._encode_lenient(part, self.choices.nothing, width, cache))
        whole.shrink()
        return whole

    def encode_between(self, text: str, width: int) -> engine.Ids:
        """The ids of what is between added tokens, prepared, if the pattern is compiled."""
        if self.preparation is None:
            return self.encode_any(text, self.choices.none, width)
        return self._encode_lenient(text, self.choices.nothing, width, None)

    def _encode_lenient(self, text: str, specials: engine.Specials, width: int,
                        cache: engine.Cache | None) -> engine.Ids:
        """The ids of a text in which surrogates stand for bytes that are not UTF-8."""
        data = text if text.isascii() else text.encode("utf-8", "surrogateescape")
        ids = self.engine.encode_ids(data, specials, width, cache)
        assert ids is not None
        return ids

    def encode_any(self, text: Text, choice: Choice, width: int, *,
                   cache: engine.Cache | None = None, offset: int | None = 0) -> engine.Ids:
        """The same for a text that need not be UTF-8."""
        ids = self.encode(text, choice, width, cache=cache, offset=offset)
        assert ids is not None
        return ids

    def encode_part(self, text: Text, start: int, stop: int, choice: Choice,
                    ids: engine.Ids) -> engine.Ids:
        """Append the ids of `text[start:stop]`; only if `is_direct`, and of a str or bytes."""
        try:
            self.engine.encode_part(text, start, stop, choice.native, ids)
        except engine.UnmatchedText:
            for _ in self.pieces(text[start:stop], choice):
                pass  # it raises too, and says what is not matched
            raise
        return ids

    def encode_list(self, text: str, choice: Choice) -> list[int]:
        """The ids of a text, which may be short: so there are no more calls than need be."""
        if self.is_direct and choice.refused is None:
            try:
                return self.engine.encode_list(text, choice.native)
            except engine.UnmatchedText:
                pass  # below, what is not matched is said
        return self.engine.as_list(self.encode_any(text, choice, self.width))

    def encode_block(self, block: Block, choice: Choice, width: int, *, separator: int | None,
                     cache: engine.Cache | None = None, strict: bool = True) -> engine.Ids | None:
        """The ids of the texts in a block, with `separator` after each; None as above."""
        packing = block.packing
        assert packing is not None
        if choice.refused is not None:
            for number, text in enumerate(block.texts()):
                choice.check(text, offset=0, name=partial(packing.place, number))
        if self.is_direct:
            return self.engine.encode_texts(block.buffer, packing.ends, choice.native, separator,
                                            width, cache, strict)
        whole = engine.Ids(width, block.size)
        after = self.engine.encode_pieces([] if separator is None else [separator], width, cache)
        for text in block.texts():
            ids = self.encode(text, choice, width, cache=cache, strict=strict)
            if ids is None:
                return None
            whole.extend(ids)
            whole.extend(after)
        whole.shrink()
        return whole

    def pieces(self, text: Text, choice: Choice, *, strict: bool = False) -> Iterator[bytes | int]:
        """The pretokens of a text, found by `regex`, and the ids of special tokens."""
        text = as_text(text, strict=strict)
        if self.preparation is not None:
            assert choice.added is not None
            yield from self.preparation.pieces(text, choice.added)
            return
        for part in choice.splitter.split(text):
            if isinstance(part, int):
                yield part
            else:
                for span in self.pretoken_spans(part):
                    yield part[slice(*span)].encode("utf-8", "surrogateescape")

    def pretoken_spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the pretokens of a text without special tokens are, found by `regex`."""
        end = 0
        for match in self.regex.finditer(text):
            start, stop = match.span()
            if start > end:
                yield self._gap(text, end, start)
            if stop > start:
                yield start, stop
            end = stop
        if end < len(text):
            yield self._gap(text, end, len(text))

    def _gap(self, text: str, start: int, stop: int) -> tuple[int, int]:
        """What the pattern does not match: a pretoken too, or an error."""
        if self.unmatched == "raise":
            lost = text[start:stop][:20]
            raise ValueError(f"the pattern {self.pattern!r} does not match {lost!r}, so it would "
                             f"be lost; unmatched='keep' encodes it as a pretoken")
        return start, stop

    def as_list(self, ids: engine.Ids) -> list[int]:
        return self.engine.as_list(ids)

    # --- arrays ----------------------------------------------------------------------------

    @property
    def token_lengths(self) -> "Array":
        """The number of bytes of each token, by id; 0 where ids have gaps."""
        import numpy

        lengths = numpy.zeros(self.greatest_id + 1, numpy.int64)
        measures = self.token_measures
        lengths[measures.ids] = measures.lengths
        return lengths

    @lazy
    def token_measures(self) -> "TokenMeasures":
        """How long the tokens are, and how many spaces they begin and end with."""
        return TokenMeasures(self.tokens)

    @property
    def smallest_dtype(self) -> "numpy.dtype[Any]":
        import numpy

        return numpy.dtype(numpy.uint16 if self.width == 2 else numpy.uint32)

    def check_dtype(self, dtype: "DTypeLike | None") -> "numpy.dtype[Any]":
        """The type that an array of ids is to have, or an error if it can't hold them all."""
        if dtype is None:
            return self.smallest_dtype
        import numpy

        kind = numpy.dtype(dtype)
        if kind.kind not in "iu":
            raise TypeError(f"dtype is {kind}; it must be a type of integers")
        if numpy.iinfo(kind).max < self.greatest_id:
            raise ValueError(f"dtype is {kind}, which can't hold the id {self.greatest_id}; use "
                             f"{self.smallest_dtype}")
        return kind


class TokenMeasures:
    """What can be counted of tokens, in arrays in the order of ids."""

    def __init__(self, tokens: Mapping[int, bytes]) -> None:
        import numpy

        number = len(tokens)
        self.ids = numpy.fromiter(tokens, numpy.int64, number)
        """Of all tokens, rising."""
        self.lengths = numpy.fromiter(map(len, tokens.values()), numpy.int64, number)
        self.leading = self.lengths - numpy.fromiter(
            (len(token.lstrip(b" ")) for token in tokens.values()), numpy.int64, number)
        self.trailing = self.lengths - numpy.fromiter(
            (len(token.rstrip(b" ")) for token in tokens.values()), numpy.int64, number)

    def of(self, measure: "Array", ids: "Array") -> "Array":
        """A measure of the tokens that have these ids."""
        if self.ids[-1] == len(self.ids) - 1:  # no gaps
            return measure[ids]
        return measure[self.ids.searchsorted(ids)]


def _preparation(pipeline: "Pipeline | None", ids: TokenIds) -> "Preparation | None":
    if pipeline is None or not pipeline.splits:
        return None
    from cs336_bpe.tokenizer.preparing import Preparation

    return Preparation(pipeline, ids)


def _wholes(pipeline: "Pipeline | None", found: Consistent) -> dict[bytes, int] | None:
    """Tokens that a whole pretoken is, but for those that the merges make of it in any case."""
    if pipeline is None or not pipeline.whole_tokens:
        return None
    from cs336_bpe.model.wholes import whole_tokens

    ids, merges = found.ids, found.merges
    if merges.all_happen:
        made = set(merges.ids)
        ordinary = ({} if len(ids.ordinary) == len(made) else
                    {token: one for token, one in ids.ordinary.items() if one not in made})
        ids = TokenIds(ordinary, ids.specials)
    return whole_tokens(ids, pipeline)


def coder_of(tokenizer: Checked, cache_bytes: int, unmatched: Unmatched) -> Coder:
    """What a tokenizer that was read from a file encodes with."""
    model, ids, columns = tokenizer
    return Coder(Consistent(model.vocab, ids, columns), model.pattern, cache_bytes, model.pipeline,
                 unmatched)


def width_for(dtype: "numpy.dtype[Any]") -> int:
    """The width in which to encode, if an array of this type is wanted: 2 or 4 bytes per id."""
    return 2 if dtype == "uint16" else 4


def as_array(ids: engine.Ids, dtype: "numpy.dtype[Any]") -> "Array":
    """Ids of the width for this type as an array; no copy unless the type is another one."""
    import numpy

    if not len(ids):
        return numpy.empty(0, dtype)
    kind = numpy.uint16 if width_for(dtype) == 2 else numpy.uint32
    array: Array = numpy.frombuffer(memoryview(ids), kind)
    return array.astype(dtype, copy=False)
