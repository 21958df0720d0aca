"""Which documents a sample takes.

Every document gets a random key, the next number of a generator that is started with the seed. A
sample takes the documents with the smallest keys. So the same seed gives the same sample, whatever
the size of the blocks in which the file is read, and *a smaller random sample is a part of a larger
one*, which makes samples of different sizes comparable.

- `documents=N` takes the N smallest keys. A reservoir finds them in one pass: it has the N smallest
  so far, and gives up its largest for a smaller one.
- `fraction=F` takes all keys below F: each document by its own draw, so that the number is about F
  of all, not exactly.
- `smart=True` first drops near-duplicates (see near_duplicates.pyx), then divides what is left by
  length into strata, each twice as long as the one before, and takes from each its exact share,
  and at least one document. With `fraction=F` it takes F of the documents that the input has.
"""

import heapq
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Stratum:
    """The documents of lengths from `shortest` to `longest`: how many there were, and are."""

    shortest: int
    longest: int
    before: int
    without_duplicates: int
    after: int


class Reservoir:
    """Of all that is offered, what has the `size` smallest keys.

    >>> reservoir = Reservoir(2)
    >>> for key, item in [(0.5, 10), (0.1, 11), (0.9, 12), (0.2, 13)]:
    ...     reservoir.offer(key, item)
    >>> sorted(reservoir.items())
    [11, 13]
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._heap: list[tuple[float, int]] = []  # by the negative key: the largest is on top

    def offer(self, key: float, item: int) -> None:
        if len(self._heap) < self.size:
            heapq.heappush(self._heap, (-key, item))
        elif self._heap and -key > self._heap[0][0]:
            heapq.heapreplace(self._heap, (-key, item))

    def items(self) -> Iterator[int]:
        return (item for _, item in self._heap)


def _keys(seed: int) -> Iterator[float]:
    # The seed is set apart from that of a generated corpus, which may have the same number.
    draw = Random(f"sample {seed}").random
    while True:
        yield draw()


def choose_at_random(total: int, documents: int | None, fraction: float | None,
                     seed: int) -> Sequence[int]:
    """The numbers of so many documents, or of about such a share of them, in order.

    >>> list(choose_at_random(100, 3, None, seed=0))
    [0, 5, 55]
    """
    if fraction is not None:
        return array("Q", (i for i, key in zip(range(total), _keys(seed)) if key < fraction))
    assert documents is not None
    if documents >= total:
        return range(total)
    reservoir = Reservoir(documents)
    for number, key in zip(range(total), _keys(seed)):
        reservoir.offer(key, number)
    return array("Q", sorted(reservoir.items()))


def choose_by_length(lengths: "array[int]", dropped: bytearray, wanted: int,
                     seed: int) -> tuple[list[Stratum], Sequence[int]]:
    """From each stratum its share, of documents that are not dropped.

    A stratum has the lengths with the same number of binary digits.
    """
    before = Counter(length.bit_length() for length in lengths)
    left = Counter(length.bit_length() for length, drop in zip(lengths, dropped) if not drop)
    reservoirs = {stratum: Reservoir(size) for stratum, size in shares(left, wanted).items()}
    for number, (length, drop, key) in enumerate(zip(lengths, dropped, _keys(seed))):
        if not drop:
            reservoirs[length.bit_length()].offer(key, number)
    strata = [Stratum(1 << digits >> 1, (1 << digits) - 1, before[digits], left[digits],
                      len(list(reservoirs[digits].items())) if digits in reservoirs else 0)
              for digits in sorted(before)]
    chosen = (number for reservoir in reservoirs.values() for number in reservoir.items())
    return strata, array("Q", sorted(chosen))


def shares(sizes: dict[int, int], wanted: int) -> dict[int, int]:
    """Divide `wanted` in proportion to `sizes`, in whole numbers, and one at least to each.

    >>> shares({1: 90, 2: 1, 3: 9}, 10)
    {1: 8, 2: 1, 3: 1}

    If there are not enough for one each, the largest get one.
    """
    total = sum(sizes.values())
    if wanted >= total:
        return dict(sizes)
    if wanted < len(sizes):
        largest = sorted(sizes, key=lambda name: (-sizes[name], name))[:wanted]
        return {name: int(name in largest) for name in sizes}
    parts = {name: max(1, wanted * size // total) for name, size in sizes.items()}
    # What rounding left over goes to those who lost most by it. What was given to the smallest
    # beyond their share is taken from the largest.
    by_loss = sorted(sizes, key=lambda name: (parts[name] * total - wanted * sizes[name], name))
    for name in by_loss[:max(0, wanted - sum(parts.values()))]:
        parts[name] += 1
    while sum(parts.values()) > wanted:
        parts[max(parts, key=lambda name: (parts[name], name))] -= 1
    return parts
