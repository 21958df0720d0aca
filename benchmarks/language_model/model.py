"""A decoder-only Transformer, in the few modules that it consists of.

Token ids go in; for each position come the scores (logits) of all tokens that could be next. Each
block adds two things to the stream of vectors: what attention gathers from earlier positions, and
what a feed-forward network (FFN) makes of each position by itself. Both read a normalized stream.

The model is built from a `Shape`, the same that `cs336_bpe.cost.transformer` counts: the parameters
and the FLOPs of these modules are equal to its figures, to the digit; a test says so.
"""

import math

import torch
from torch import Tensor, nn

NORM_EPSILON = 1e-5
ROTATION_BASE = 10_000.0


class RMSNorm(nn.Module):
    """Scale each vector to a root mean square of one, then each coordinate by a learnt gain."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + NORM_EPSILON) * self.gain


def rotations(context: int, width: int) -> Tensor:
    """For each position, how far each pair of coordinates is turned: its cosines and sines.

    Pair k turns by base^(-2k/width) per position: the first pairs like the second hand of a clock,
    the last ones like the hour hand.
    """
    speeds = ROTATION_BASE ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(context, dtype=torch.float64)[:, None] * speeds
    return torch.stack([angles.cos(), angles.sin()]).float()


def rotate(x: Tensor, turns: Tensor) -> Tensor:
    """Turn pairs of coordinates by their position (RoPE).

    The product of a query and a key, both turned, depends on how far apart the two positions are
    and not on where they are.
    """
    cosines, sines = turns[:, :x.shape[-2]]
    first, second = x.chunk(2, dim=-1)  # coordinate k is paired with k + width / 2
    return torch.cat([first * cosines - second * sines, first * sines + second * cosines], dim=-1)


class Attention(nn.Module):
    """Each position gathers from itself and those before it, in several heads at once."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.queries, self.keys, self.values, self.output = (
            nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x: Tensor, turns: Tensor, hidden: Tensor) -> Tensor:
        batch, length, width = x.shape

        def split(vectors: Tensor) -> Tensor:  # (batch, head, position, numbers of a head)
            return vectors.view(batch, length, self.heads, -1).transpose(1, 2)

        queries = rotate(split(self.queries(x)), turns)
        keys = rotate(split(self.keys(x)), turns)
        scores = queries @ keys.transpose(-1, -2) / math.sqrt(width // self.heads)
        weights = scores.masked_fill(hidden[:length, :length], -math.inf).softmax(-1)
        gathered = weights @ split(self.values(x))
        return self.output(gathered.transpose(1, 2).reshape(batch, length, width))


class SwiGLU(nn.Module):
    """A feed-forward network in which one half of the inner numbers opens or shuts the other."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate, self.up = (nn.Linear(width, inner, bias=False) for _ in range(2))
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, shape) -> None:
        super().__init__()
        self.attention_norm, self.ffn_norm = RMSNorm(shape.d_model), RMSNorm(shape.d_model)
        self.attention = Attention(shape.d_model, shape.heads)
        self.ffn = SwiGLU(shape.d_model, shape.d_ff)

    def forward(self, x: Tensor, turns: Tensor, hidden: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x), turns, hidden)
        return x + self.ffn(self.ffn_norm(x))


class Transformer(nn.Module):
    """The model of a `cs336_bpe.cost.transformer.Shape`, with weights that `seed` decides."""

    def __init__(self, shape, seed: int = 0) -> None:
        super().__init__()
        if not shape.gated or shape.biases or shape.norm != "rms" or shape.positions:
            raise ValueError(f"this model has a gated FFN, no biases, RMS norms and rotations; "
                             f"the shape asks for another one: {shape}")
        if shape.d_model // shape.heads % 2:
            raise ValueError(f"a head has {shape.d_model // shape.heads} numbers, which can't be "
                             f"turned in pairs; give an even d_model / heads")
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocab_size, shape.d_model)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = RMSNorm(shape.d_model)
        self.head = nn.Linear(shape.d_model, shape.vocab_size, bias=False)
        if shape.tied:
            self.head.weight = self.embedding.weight
        # Not parameters, and not saved: they follow from the shape.
        self.register_buffer("turns", rotations(shape.context, shape.d_model // shape.heads),
                             persistent=False)
        later = torch.ones(shape.context, shape.context, dtype=torch.bool).triu(1)
        self.register_buffer("hidden", later, persistent=False)
        self.start(seed)

    def start(self, seed: int) -> None:
        """Small random weights; smaller still where a block adds to the stream: many blocks do.

        The embedding and the head start small too, so that all tokens are about equally likely.
        """
        random = torch.Generator().manual_seed(seed)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                inputs = self.shape.d_model if "embedding" in name else weight.shape[1]
                deviation = 0.5 / math.sqrt(inputs)
                if name.endswith(("output.weight", "down.weight")):
                    deviation /= math.sqrt(2 * self.shape.layers)
                nn.init.trunc_normal_(weight, std=deviation, a=-3 * deviation, b=3 * deviation,
                                      generator=random)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x, self.turns, self.hidden)
        return self.head(self.norm(x))
