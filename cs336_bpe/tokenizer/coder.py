"""From text to ids: special tokens, the pattern and the engine, put together once.

`Tokenizer`, files, streams and batches all encode through this; nothing else knows which engine
there is.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import DTypeLike

from cs336_bpe.rules import (
    Model,
    Pair,
    TokenIds,
    check_pattern,
    check_size,
    is_gpt2,
    separate_specials,
)
from cs336_bpe.text.blocks import Block
from cs336_bpe.text.utf8 import Text, as_bytes
from cs336_bpe.tokenizer import engine
from cs336_bpe.tokenizer.special_choice import Choice, SpecialChoices

Array = numpy.ndarray[Any, Any]


class Coder:
    """Encodes texts. It never changes, and many threads may use it at once."""

    def __init__(self, tokens: Mapping[int, bytes], merges: Sequence[Pair], ids: TokenIds,
                 pattern: str, cache_bytes: int) -> None:
        self.regex = check_pattern(pattern)
        self.pattern = pattern
        self.is_gpt2 = is_gpt2(pattern)
        limit = check_size("cache_bytes", cache_bytes, engine.SMALLEST_CACHE_BYTES)
        self.cache_bytes = min(limit, sys.maxsize)
        self.choices = SpecialChoices(ids.specials)
        self.engine = engine.Engine(tokens, merges, ids.ordinary, self.cache_bytes)
        self.tokens = tokens
        self.greatest_id = max(tokens)
        self.width = 2 if self.greatest_id < 1 << 16 else 4  # bytes per id

    def encode(self, text: Text, choice: Choice, width: int, *, cache: engine.Cache | None = None,
               strict: bool = False, offset: int | None = 0) -> engine.Ids | None:
        """The ids, of `width` bytes each; None if the text must be UTF-8 (`strict`) and is not.

        The text begins at `offset` of what the user knows, which an error names.
        """
        data = as_bytes(text)
        if choice.refused is not None:
            choice.check(data, offset)
        if self.is_gpt2:
            return self.engine.encode_ids(data, choice.native, width, cache, strict)
        try:
            return self.engine.encode_pieces(self.pieces(text, choice, strict=strict), width, cache)
        except UnicodeDecodeError:
            return None

    def encode_any(self, text: Text, choice: Choice, width: int, *,
                   cache: engine.Cache | None = None, offset: int | None = 0) -> engine.Ids:
        """The same for a text that need not be UTF-8."""
        ids = self.encode(text, choice, width, cache=cache, offset=offset)
        assert ids is not None
        return ids

    def encode_block(self, block: Block, choice: Choice, width: int, *, separator: int | None,
                     cache: engine.Cache | None = None, strict: bool = True) -> engine.Ids | None:
        """The ids of the texts in a block, with `separator` after each; None as above.

        `engine.PADDING` bytes come after the block.
        """
        packing = block.packing
        assert packing is not None
        if choice.refused is not None:
            for number, text in enumerate(block.texts()):
                choice.check(text, offset=0, name=packing.place(number) if text else "")
        if self.is_gpt2:
            return self.engine.encode_texts(block.buffer, packing.ends, choice.native, separator,
                                            width, cache, strict)

        def pieces() -> Iterator[bytes | int]:
            for text in block.texts():
                yield from self.pieces(text, choice, strict=strict)
                if separator is not None:
                    yield separator

        try:
            return self.engine.encode_pieces(pieces(), width, cache)
        except UnicodeDecodeError:
            return None

    def pieces(self, text: Text, choice: Choice, *, strict: bool = False) -> Iterator[bytes | int]:
        """The pretokens of a text, found by `regex`, and the ids of special tokens."""
        if not isinstance(text, str):
            text = bytes(text).decode("utf-8", "strict" if strict else "surrogateescape")
        for part in choice.splitter.split(text):
            if isinstance(part, int):
                yield part
            else:
                for match in self.regex.finditer(part):
                    if match.end() > match.start():
                        yield match.group().encode("utf-8", "surrogateescape")

    def as_list(self, ids: engine.Ids) -> list[int]:
        return self.engine.as_list(ids)

    # --- arrays ----------------------------------------------------------------------------

    @property
    def token_lengths(self) -> Array:
        """The number of bytes of each token, by id; 0 where ids have gaps."""
        lengths = numpy.zeros(self.greatest_id + 1, numpy.int64)
        for number, token in self.tokens.items():
            lengths[number] = len(token)
        return lengths

    @property
    def smallest_dtype(self) -> "numpy.dtype[Any]":
        return numpy.dtype(numpy.uint16 if self.width == 2 else numpy.uint32)

    def check_dtype(self, dtype: DTypeLike | None) -> "numpy.dtype[Any]":
        """The type that an array of ids is to have, or an error if it can't hold them all."""
        if dtype is None:
            return self.smallest_dtype
        kind = numpy.dtype(dtype)
        if kind.kind not in "iu":
            raise TypeError(f"dtype is {kind}; it must be a type of integers")
        if numpy.iinfo(kind).max < self.greatest_id:
            raise ValueError(f"dtype is {kind}, which can't hold the id {self.greatest_id}; use "
                             f"{self.smallest_dtype}")
        return kind


def coder_of(model: Model, cache_bytes: int) -> Coder:
    """What a tokenizer of this model encodes with."""
    ids = separate_specials(model.vocab, model.merges, model.special_tokens)
    tokens = {int(number): token for number, token in sorted(model.vocab.items())}
    for special, number in ids.specials.items():
        tokens[number] = special.encode()
    return Coder(tokens, [(left, right) for left, right in model.merges], ids, model.pattern,
                 cache_bytes)


def width_for(dtype: "numpy.dtype[Any]") -> int:
    """The width in which to encode, if an array of this type is wanted: 2 or 4 bytes per id."""
    return 2 if dtype == numpy.uint16 else 4


def as_array(ids: engine.Ids, dtype: "numpy.dtype[Any]") -> Array:
    """Ids of the width for this type as an array; no copy unless the type is another one."""
    if not len(ids):
        return numpy.empty(0, dtype)
    kind = numpy.uint16 if width_for(dtype) == 2 else numpy.uint32
    array: Array = numpy.frombuffer(memoryview(ids), kind)
    return array.astype(dtype, copy=False)
