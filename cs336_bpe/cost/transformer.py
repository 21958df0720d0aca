"""What a Transformer costs: parameters, bytes and floating-point operations, by part.

The model is a Transformer decoder of GPT-2's kind: a token embedding, `layers` blocks of attention
and a feed-forward network (FFN), and an output head that gives every token of the vocabulary a
score. Left as they are, the four `SHAPES` are counted as write-up C6 counts them: a gated FFN of
three matrices (SwiGLU), two different matrices for the embedding and the head, no biases, no
position embedding, and the few numbers of the normalizations left out. `as_released` makes of a
shape what OpenAI released.

FLOPs are those of the matrix products: 2 a b c for an (a, b) by a (b, c) matrix. Left out are the
operations on single numbers (softmax, normalization, activation, biases) and the embedding, which
is a look-up. Attention is counted as the whole square of positions, though half of it is masked.

Which size of vocabulary to choose is the question of `vocabulary_size.py`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from cs336_bpe.common import tables
from cs336_bpe.common.amounts import gib, percent, scientific
from cs336_bpe.rules import check_size

Norm = Literal["none", "rms", "layer"]
FLOAT32_BYTES = 4


@dataclass(frozen=True)
class Shape:
    """What decides the cost of a Transformer.

    >>> Shape(vocab_size=10_000, context=256, layers=4, d_model=512, d_ff=1344, heads=5)
    Traceback (most recent call last):
    ValueError: heads is 5, which does not divide d_model, 512: a head has d_model / heads numbers
    """

    vocab_size: int
    context: int  # tokens in a sequence
    layers: int
    d_model: int
    d_ff: int
    heads: int  # has no influence on the cost, but must divide d_model
    tied: bool = False  # the head uses the embedding's matrix: fewer parameters, the same FLOPs
    gated: bool = True  # an FFN of three matrices (SwiGLU), not of two
    biases: bool = False
    norm: Norm = "none"  # what is counted of it: nothing, gains, or gains and biases
    positions: bool = False  # a learned embedding of the positions

    def __post_init__(self) -> None:
        for name in ("vocab_size", "context", "layers", "d_model", "d_ff", "heads"):
            # A frozen dataclass; an int, so that numpy's 32-bit ones can't overflow.
            object.__setattr__(self, name, check_size(name, getattr(self, name), 1))
        for name in ("tied", "gated", "biases", "positions"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} is {getattr(self, name)!r}; it must be True or False")
        if self.norm not in get_args(Norm):
            raise ValueError(f"norm is {self.norm!r}; it must be 'none', 'rms' or 'layer'")
        if self.d_model % self.heads:
            raise ValueError(f"heads is {self.heads}, which does not divide d_model, "
                             f"{self.d_model}: a head has d_model / heads numbers")


def _gpt2(layers: int, d_model: int, heads: int) -> Shape:
    return Shape(50_257, 1024, layers, d_model, 4 * d_model, heads)


SHAPES = {"small": _gpt2(12, 768, 12), "medium": _gpt2(24, 1024, 16),
          "large": _gpt2(36, 1280, 20), "xl": _gpt2(48, 1600, 25)}
"""The four GPT-2 shapes, as write-up C6 counts them."""


def find_shape(name: str) -> Shape:
    """
    >>> find_shape("XL").layers
    48
    """
    shape = SHAPES.get(name.lower()) if isinstance(name, str) else None
    if shape is None:
        raise ValueError(f"there is no shape {name!r}; there are {', '.join(SHAPES)}")
    return shape


def as_released(shape: Shape) -> Shape:
    """The same shape as the released GPT-2 has it, instead of as write-up C6 counts it.

    >>> cost(as_released(SHAPES["small"])).total_parameters
    124439808
    """
    return replace(shape, tied=True, gated=False, biases=True, norm="layer", positions=True)


# --- The cost of one shape -----------------------------------------------------------------


PARTS = {"token embedding": "vocab_size x d_model",
         "position embedding": "context x d_model",
         "projections": "4 of d_model x d_model per layer",
         "products": "queries by keys, weights by values",
         "ffn": "3 of d_model x d_ff per layer; 2 if not gated",
         "norms": "2 per layer and a last one",
         "head": "d_model x vocab_size; shared if tied"}
"""The parts of a model, and their matrices. Projections and products are those of attention."""


@dataclass(frozen=True)
class Cost:
    """Parameters, and forward FLOPs of one sequence of `context` tokens, by part."""

    shape: Shape
    parameters: dict[str, int]
    flops: dict[str, int]

    @property
    def total_parameters(self) -> int:
        return sum(self.parameters.values())

    @property
    def num_bytes(self) -> int:
        """Of the parameters as 32-bit floats."""
        return FLOAT32_BYTES * self.total_parameters

    @property
    def total_flops(self) -> int:
        return sum(self.flops.values())

    @property
    def flops_without_head(self) -> int:
        """What write-up C6 calls the total."""
        return self.total_flops - self.flops["head"]

    def share(self, part: str, *, head: bool = True) -> float:
        """The part's share of the FLOPs, of those without the head if `head` is False."""
        return self.flops[part] / (self.total_flops if head else self.flops_without_head)

    @property
    def embedding_share(self) -> float:
        """The share of the parameters that grows with the vocabulary."""
        return ((self.parameters["token embedding"] + self.parameters["head"])
                / self.total_parameters)

    def as_json(self) -> dict[str, Any]:
        body = [part for part in self.flops if part != "head"]
        return {
            "shape": asdict(self.shape), "parameters": self.parameters,
            "total_parameters": self.total_parameters, "bytes": self.num_bytes,
            "embedding_share": self.embedding_share, "forward_flops": self.flops,
            "total_forward_flops": self.total_flops,
            "forward_flops_without_head": self.flops_without_head,
            "shares": {part: self.share(part) for part in self.flops},
            "shares_without_head": {part: self.share(part, head=False) for part in body},
        }

    def table(self, width: int | None = None) -> str:
        """The table for a terminal."""
        cells: list[tuple[str, ...]] = [
            ("part", "parameters", "share", "forward FLOPs", "share", "without head", "size")]
        for part, size in PARTS.items():
            number, flops = self.parameters.get(part, 0), self.flops.get(part, 0)
            if number or flops:
                cells.append((
                    part, f"{number:,}" if number else "",
                    percent(number / self.total_parameters) if number else "",
                    scientific(flops) if flops else "", percent(self.share(part)) if flops else "",
                    percent(self.share(part, head=False)) if flops and part != "head" else "",
                    size))
        cells.append(("total", f"{self.total_parameters:,}", "", scientific(self.total_flops), "",
                      scientific(self.flops_without_head), f"{gib(self.num_bytes)} in float32"))
        return tables.as_text(cells, width)


def cost(shape: Shape) -> Cost:
    """Count a shape.

    >>> xl = cost(SHAPES["xl"])
    >>> xl.total_parameters, gib(xl.num_bytes), scientific(xl.flops_without_head)
    (2126902400, '7.92 GiB', '4.349e12')
    """
    return Cost(shape, _parameters(shape), _flops(shape))


def _parameters(shape: Shape) -> dict[str, int]:
    width, hidden = shape.d_model, shape.d_ff
    inner = 2 if shape.gated else 1  # matrices of the FFN that lead to d_ff numbers; one leads back
    attention = 4 * width * width + shape.biases * 4 * width
    ffn = (inner + 1) * width * hidden + shape.biases * (inner * hidden + width)
    of_a_norm = {"none": 0, "rms": 1, "layer": 2}[shape.norm] * width
    return {
        "token embedding": shape.vocab_size * width,
        "position embedding": shape.positions * shape.context * width,
        "projections": shape.layers * attention,
        "ffn": shape.layers * ffn,
        "norms": (2 * shape.layers + 1) * of_a_norm,
        "head": 0 if shape.tied else width * shape.vocab_size,
    }


def _flops(shape: Shape) -> dict[str, int]:
    tokens, width = shape.context, shape.d_model
    matrices = 3 if shape.gated else 2
    return {
        "projections": shape.layers * 4 * 2 * tokens * width * width,
        # d_model / heads numbers for each of the heads: the heads cancel out.
        "products": shape.layers * 2 * 2 * tokens * tokens * width,
        "ffn": shape.layers * matrices * 2 * tokens * width * shape.d_ff,
        "head": 2 * tokens * width * shape.vocab_size,
    }


def compare(shapes: Mapping[str, Shape], *, head: bool = True,
            width: int | None = None) -> str:
    """A table of several shapes; without `head`, of the FLOPs that write-up C6 has.

    >>> print(compare({"xl": SHAPES["xl"]}, head=False))
    shape     parameters   float32  forward FLOPs      ffn  projections  products  blocks
    -----  -------------  --------  -------------  -------  -----------  --------  ----------
    xl     2,126,902,400  7.92 GiB       4.349e12  69.44 %      23.15 %    7.41 %  48 of 1600
    """
    parts = ["ffn", "projections", "products", *(["head"] if head else [])]
    cells: list[tuple[str, ...]] = [
        ("shape", "parameters", "float32", "forward FLOPs", *parts, "blocks")]
    for name, shape in shapes.items():
        one = cost(shape)
        flops = one.total_flops if head else one.flops_without_head
        cells.append((name, f"{one.total_parameters:,}", gib(one.num_bytes), scientific(flops),
                      *(percent(one.share(part, head=head)) for part in parts),
                      f"{shape.layers} of {shape.d_model}"))
    return tables.as_text(cells, width)
