"""A small encoder, to compare with other libraries and to find out what merges do.

It is not the one to encode with: it is written to be short and to have no bad input. Tokens are
numbers here, because joining long byte strings again and again would take quadratic time.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cs336_bpe.encode.trace import merge_by_rank
from cs336_bpe.formats.round_trip import Checked
from cs336_bpe.rules import BYTES, check_pattern
from cs336_bpe.text.specials import SpecialSplitter

if TYPE_CHECKING:
    from cs336_bpe.model.added import AddedTokens

Pairs = dict[tuple[int, int], tuple[int, int]]
"""Two tokens -> the rank of their merge, and the token that it makes."""


class PlainEncoder:
    """Text to ids, by the ten rules."""

    def __init__(self, tokenizer: Checked) -> None:
        self.model, ids, _ = tokenizer
        self._byte_ids = [ids.ordinary[byte] for byte in BYTES]
        self._pairs: Pairs = {}
        for rank, (left, right) in enumerate(self.model.merges):
            pair = ids.ordinary[left], ids.ordinary[right]
            self._pairs[pair] = rank, ids.ordinary[left + right]
        self._pattern = check_pattern(self.model.pattern)
        self._splitter = SpecialSplitter(ids.specials)
        self._ids = ids
        pipeline = self.model.pipeline
        self._wholes: dict[bytes, int] = {}
        self._added: AddedTokens | None = None
        if pipeline is not None:
            from cs336_bpe.model import added
            from cs336_bpe.model.normal import Normalizer
            from cs336_bpe.model.splitting import Splitter
            from cs336_bpe.model.wholes import whole_tokens

            self._wholes = whole_tokens(ids, pipeline)
            if pipeline.splits:
                self._added = added.AddedTokens(pipeline.added, Normalizer(pipeline.normalize))
                self._steps = Splitter(pipeline.splits)

    def encode_bytes(self, word: bytes) -> list[int]:
        """The ids of one pretoken."""
        if word in self._wholes:
            return [self._wholes[word]]
        return merge_by_rank([self._byte_ids[byte] for byte in word], self._pairs)

    def pieces(self, text: str) -> Iterator[bytes | int]:
        """The pretokens of a text, and the ids of special tokens."""
        if self._added is not None:
            for found in self._added.split(text):
                if isinstance(found, str):
                    yield from self._steps.pretokens(found)
                else:
                    yield self._ids.specials[found.content]
            return
        for part in self._splitter.split(text):
            if isinstance(part, int):
                yield part
            else:
                yield from map(str.encode, self._pattern.findall(part))

    def encode(self, text: str) -> list[int]:
        """The ids of a text, in which special tokens are looked for."""
        ids: list[int] = []
        for piece in self.pieces(text):
            ids += [piece] if isinstance(piece, int) else self.encode_bytes(piece)
        return ids
