"""The class of every character, as tables for the scanners in C."""

from collections.abc import Mapping
from functools import lru_cache

from cs336_bpe.patterns.sets import NUM_POINTS, ask

# The numbers that the scanners know, and what is in a class; all other characters have number 0.
CLASSES = {1: (r"\p{L}",), 2: (r"\p{N}",), 3: (r"\s",)}
CASES = {1: (r"\p{Lu}", r"\p{Lt}"), 2: (r"\p{Ll}",), 3: (r"\p{Lm}", r"\p{Lo}"), 4: (r"\p{M}",),
         5: (r"\p{N}",), 6: (r"\s",)}


@lru_cache(maxsize=1)
def tables() -> tuple[bytes, bytes]:
    """(index, classes): the class of code point c is `classes[index[c >> 8] << 8 | c & 255]`.

    >>> index, classes = tables()
    >>> [classes[index[ord(c) >> 8] << 8 | ord(c) & 255] for c in "a1 !"]
    [1, 2, 3, 0]
    """
    return _two_levels(CLASSES)


@lru_cache(maxsize=1)
def case_tables() -> tuple[bytes, bytes]:
    """The same with marks, and letters told apart by case: upper, lower, or neither.

    >>> index, classes = case_tables()
    >>> [classes[index[ord(c) >> 8] << 8 | ord(c) & 255] for c in "Aa猫1 !"]
    [1, 2, 3, 5, 6, 0]
    """
    return _two_levels(CASES)


def _two_levels(classes: Mapping[int, tuple[str, ...]]) -> tuple[bytes, bytes]:
    """An index of blocks of 256 code points, and the blocks: most are alike, and kept once."""
    class_of = bytearray(NUM_POINTS)
    for number, sources in classes.items():
        for source in sources:
            places = ask(source)
            for first, end in zip(places[::2], places[1::2]):
                class_of[first:end] = bytes([number]) * (end - first)
    blocks: dict[bytes, int] = {}
    index = bytes(blocks.setdefault(bytes(class_of[start : start + 256]), len(blocks))
                  for start in range(0, NUM_POINTS, 256))
    return index, b"".join(blocks)
