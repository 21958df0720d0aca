"""Which size a vocabulary should have: what a size costs, weighed against what it saves.

A vocabulary costs twice: parameters in the embedding and the head, and the head's FLOPs at every
token. It gives back one thing: fewer tokens for the same text. `compute_per_byte` weighs the two.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import isfinite
from numbers import Real
from typing import Any

from cs336_bpe.common import tables
from cs336_bpe.common.amounts import percent, scientific
from cs336_bpe.cost.transformer import Shape, cost

TRAINING = 3
"""Training costs a forward pass, and a backward pass of twice as much: one matrix product each
for the gradients of a layer's input and of its weights."""

@dataclass(frozen=True)
class SizeCost:
    """What training on one byte of text costs with a vocabulary of this size."""

    vocab_size: int
    bytes_per_token: float
    flops_per_byte: float
    head_share: float  # of the FLOPs
    embedding_share: float  # of the parameters

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def compute_per_byte(shape: Shape, vocab_size: int, bytes_per_token: float, *,
                     context_bytes: float | None = None) -> float:
    """FLOPs to train on one byte of text: three forward passes' worth for each of its tokens.

    `vocab_size` takes the place of the shape's, and `bytes_per_token` is what a tokenizer of that
    size reaches on the text (see `bytes_per_token.py`). The context is the shape's number of
    tokens, so a token of more bytes means that the model sees more text at once; if it should see
    equally much whatever the vocabulary, give `context_bytes` instead.

    >>> from cs336_bpe.cost.transformer import SHAPES
    >>> f"{compute_per_byte(SHAPES['small'], 50_257, 4.3):.3g}"
    '2.38e+08'
    """
    return size_cost(shape, vocab_size, bytes_per_token, context_bytes=context_bytes).flops_per_byte


def size_cost(shape: Shape, vocab_size: int, bytes_per_token: float, *,
              context_bytes: float | None = None) -> SizeCost:
    """As `compute_per_byte`, with the shares of the vocabulary."""
    ratio = _positive("bytes_per_token", bytes_per_token)
    if ratio < 1:
        raise ValueError(f"bytes_per_token is {bytes_per_token!r}, but a token is at least one "
                         f"byte; if it is tokens per byte, give {1 / ratio:.4g}")
    one = cost(replace(shape, vocab_size=vocab_size))
    a_token = {part: flops / shape.context for part, flops in one.flops.items()}
    if context_bytes is not None:
        # The products grow with the tokens that are looked at, here with a fraction of one too.
        a_token["products"] *= _positive("context_bytes", context_bytes) / ratio / shape.context
    forward = sum(a_token.values())
    return SizeCost(one.shape.vocab_size, ratio, TRAINING * forward / ratio,
                    a_token["head"] / forward, one.embedding_share)


def size_costs(shape: Shape, curve: Mapping[int, float], *,
               context_bytes: float | None = None) -> list[SizeCost]:
    """The cost of each vocabulary size of a measured curve, from small to large.

    >>> from cs336_bpe.cost.transformer import SHAPES
    >>> curve = {1024: 2.31, 16384: 3.90, 131072: 4.50}  # bytes per token
    >>> [round(row.flops_per_byte / 1e6) for row in size_costs(SHAPES["small"], curve)]
    [345, 223, 310]
    """
    if not isinstance(curve, Mapping) or not curve:
        raise ValueError(f"curve is {curve!r}; it must be a mapping from vocabulary sizes to bytes "
                         f"per token, with one entry at least")
    return [size_cost(shape, size, curve[size], context_bytes=context_bytes)
            for size in sorted(curve)]


def cheapest(rows: list[SizeCost]) -> SizeCost:
    """The size with the least compute per byte; the smaller one if two are equal.

    If it is the first or the last of the rows, the true minimum may lie beyond them.

    >>> from cs336_bpe.cost.transformer import SHAPES
    >>> cheapest(size_costs(SHAPES["small"], {1024: 2.31, 16384: 3.90, 131072: 4.50})).vocab_size
    16384
    """
    return min(rows, key=lambda row: (row.flops_per_byte, row.vocab_size))


def nearly_cheapest(rows: list[SizeCost], within: float = 0.01) -> list[SizeCost]:
    """The sizes that cost at most so much more than the cheapest, as a fraction."""
    limit = cheapest(rows).flops_per_byte * (1 + within)
    return [row for row in rows if row.flops_per_byte <= limit]


def sizes_as_text(rows: list[SizeCost], width: int | None = None) -> str:
    """The table for a terminal: what share the vocabulary has of FLOPs and of parameters, and how
    much more a size costs than the cheapest.

    >>> from cs336_bpe.cost.transformer import SHAPES
    >>> print(sizes_as_text(size_costs(SHAPES["small"], {1024: 2.31, 16384: 3.9, 131072: 4.5})))
    vocabulary  bytes/token  of FLOPs  of parameters  FLOPs/byte    more
    ----------  -----------  --------  -------------  ----------  ------  -----
         1,024        2.310    0.59 %         1.37 %     3.452e8  +55.1%
        16,384        3.900    8.70 %        18.18 %     2.226e8   +0.0%  least
       131,072        4.500   43.24 %        64.00 %     3.104e8  +39.4%
    """
    best = cheapest(rows)
    cells: list[tuple[str, ...]] = [
        ("vocabulary", "bytes/token", "of FLOPs", "of parameters", "FLOPs/byte", "more", "")]
    for row in rows:
        note = ""
        if row is best:
            note = "least" if rows[0] is not row is not rows[-1] else "least of these, at the end"
        cells.append((f"{row.vocab_size:>10,}", f"{row.bytes_per_token:.3f}",
                      percent(row.head_share), percent(row.embedding_share),
                      scientific(row.flops_per_byte),
                      f"{row.flops_per_byte / best.flops_per_byte - 1:+.1%}", note))
    return tables.as_text(cells, width)


def _positive(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}, a {type(value).__name__}; it must be a number")
    if not (value > 0 and isfinite(value)):
        raise ValueError(f"{name} is {value!r}; it must be a finite number above 0")
    return float(value)
