"""The class of every character, as a table for the scanners in C."""

from functools import lru_cache

from cs336_bpe.patterns.sets import NUM_POINTS, ask

CLASS_NUMBERS = {r"\p{L}": 1, r"\p{N}": 2, r"\s": 3}  # all others: 0


@lru_cache(maxsize=1)
def tables() -> tuple[bytes, bytes]:
    """(index, classes): the class of code point c is `classes[index[c >> 8] << 8 | c & 255]`.

    Most blocks of 256 code points have one class throughout, so few different ones are kept.

    >>> index, classes = tables()
    >>> [classes[index[ord(c) >> 8] << 8 | ord(c) & 255] for c in "a1 !"]
    [1, 2, 3, 0]
    """
    class_of = bytearray(NUM_POINTS)
    for source, number in CLASS_NUMBERS.items():
        places = ask(source)
        for first, end in zip(places[::2], places[1::2]):
            class_of[first:end] = bytes([number]) * (end - first)
    blocks: dict[bytes, int] = {}
    index = bytes(blocks.setdefault(bytes(class_of[start : start + 256]), len(blocks))
                  for start in range(0, NUM_POINTS, 256))
    return index, b"".join(blocks)
