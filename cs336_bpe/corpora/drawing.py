"""What the generators of text share: fast draws that are the same on every machine.

Only integers and correctly rounded float operations are used, and bytes of Python's generator of
random numbers, which no version may change.
"""

from collections.abc import Callable, Iterator
from random import Random
from struct import unpack
from typing import TypeVar

PIECE = 1 << 20  # a piece of a stream ends with the document that reaches so many characters
Item = TypeVar("Item")


def check_amount(n_bytes: object, seed: object) -> None:
    """The arguments that all generators have."""
    for what, value in (("n_bytes", n_bytes), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{what} must be an int, not {value!r}; try int(...)")
    assert isinstance(n_bytes, int)
    if n_bytes < 0:
        raise ValueError(f"n_bytes must not be negative, but is {n_bytes}; give 0 or more")


def mix(x: int) -> int:
    """A fixed scrambling of 64-bit integers (splitmix64): looks random, but only depends on x."""
    x = (x + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    x = (x ^ x >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return x ^ x >> 31


def bag(pairs: list[tuple[Item, int]]) -> list[Item]:
    """65,536 items, each repeated in proportion to its weight: a weighted draw is one look-up."""
    filled: list[Item] = []
    total, done = sum(weight for _, weight in pairs), 0
    for item, weight in pairs:
        done += weight
        filled += [item] * ((done << 16) // total - len(filled))
    return filled


def draw(rng: Random, bag: list[Item], n: int) -> list[Item]:
    return list(map(bag.__getitem__, unpack(f"<{n}H", rng.randbytes(2 * n))))


def zipf(weight: int, ranks: range) -> Iterator[tuple[int, int]]:
    """Share out a weight over ranks in proportion to 1/rank."""
    total = sum(10**9 // r for r in ranks)
    return ((r, weight * (10**9 // r) // total) for r in ranks)


def pieces(document: Callable[[], str], n_bytes: int) -> Iterator[str]:
    """Documents, one after the other, until there are so many bytes; in pieces of about 1 MB."""
    while n_bytes > 0:
        documents: list[str] = []
        size = 0
        while size < min(n_bytes, PIECE):
            documents.append(document())
            size += len(documents[-1])
        data = "".join(documents).encode()
        yield data[:n_bytes].decode(errors="ignore")  # if a character is cut, it is left out
        n_bytes -= len(data)
