"""From text to ids: special tokens, the pattern and the engine, put together once.

`Tokenizer`, files, streams and batches all encode through this; nothing else knows which engine
there is.
"""

import sys
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cs336_bpe.formats.consistent import Consistent
from cs336_bpe.native.scanner import compiled
from cs336_bpe.patterns.known import can_compile
from cs336_bpe.rules import check_pattern, check_size, require_pattern
from cs336_bpe.text.utf8 import Text, as_bytes
from cs336_bpe.tokenizer import engine
from cs336_bpe.tokenizer.special_choice import Choice, SpecialChoices

if TYPE_CHECKING:  # numpy is imported when an array is asked for
    import numpy
    import regex
    from numpy.typing import DTypeLike

    Array = numpy.ndarray[Any, Any]


class Coder:
    """Encodes texts. It never changes, and many threads may use it at once."""

    def __init__(self, found: Consistent, pattern: str, cache_bytes: int) -> None:
        self.pattern = require_pattern(pattern)
        self.compiled = compiled(self.pattern) if can_compile(self.pattern) else None
        limit = check_size("cache_bytes", cache_bytes, engine.SMALLEST_CACHE_BYTES)
        self.cache_bytes = min(limit, sys.maxsize)
        self.choices = SpecialChoices(found.ids.specials)
        self.engine = engine.Engine(found.tokens, found.merges, self.cache_bytes)
        if self.compiled is not None:
            self.engine.use_pattern(self.compiled, keep_unmatched=False)
        self.greatest_id = max(found.tokens)
        self.width = 2 if self.greatest_id < 1 << 16 else 4  # bytes per id

    @cached_property
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
        if self.compiled is not None:
            data = text if isinstance(text, str) else as_bytes(text)
            return self.engine.encode_ids(data, choice.native, width, cache, strict)
        as_bytes(text)  # which refuses what has no UTF-8 form
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

    def encode_list(self, text: str, choice: Choice) -> list[int]:
        """The ids of a text, which may be short: so there are no more calls than need be."""
        if self.compiled is not None and choice.refused is None:
            return self.engine.encode_list(text, choice.native)
        return self.engine.as_list(self.encode_any(text, choice, self.width))

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
