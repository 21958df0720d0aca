"""What a collection of documents is like: how many, how long, and of which kinds of characters."""

from array import array
from dataclasses import asdict, dataclass
from typing import Any

_LETTERS = bytes([*range(0x41, 0x5B), *range(0x61, 0x7B)])
_DIGITS = bytes(range(0x30, 0x3A))
_SPACE = b" \t\n\r\v\f"
_FIRST_BYTES = bytes(range(0xC0, 0x100))  # of characters beyond ASCII, in UTF-8
_FURTHER_BYTES = bytes(range(0x80, 0xC0))
PERCENTILES = (5, 25, 50, 75, 95, 99, 100)


class CharacterCounts:
    """How many characters there are of each kind, told from bytes, without decoding.

    Beyond ASCII, a character is counted where its first byte is, so bytes that are not UTF-8 are
    counted roughly.

    >>> counts = CharacterCounts()
    >>> counts.add("Öl 15 %".encode())
    >>> counts.shares()["digits"] == 2 / 7, counts.shares()["beyond_ascii"] == 1 / 7
    (True, True)
    """

    def __init__(self) -> None:
        self.letters = self.digits = self.white_space = self.other_ascii = self.beyond_ascii = 0

    def add(self, piece: bytes) -> None:
        # Each step leaves out one kind and looks at what is left, which is soon little.
        rest = piece
        for kind, members in (("letters", _LETTERS), ("white_space", _SPACE), ("digits", _DIGITS)):
            fewer = rest.translate(None, members)
            setattr(self, kind, getattr(self, kind) + len(rest) - len(fewer))
            rest = fewer
        if not rest.isascii():
            fewer = rest.translate(None, _FIRST_BYTES)
            self.beyond_ascii += len(rest) - len(fewer)
            rest = fewer.translate(None, _FURTHER_BYTES)
        self.other_ascii += len(rest)

    def shares(self) -> dict[str, float]:
        """The share of each kind."""
        total = sum(vars(self).values())
        return {kind: count / total if total else 0.0 for kind, count in vars(self).items()}


@dataclass(frozen=True)
class TextStatistics:
    """Lengths are in bytes, without separators; `percentiles[50]` is the median."""

    documents: int
    bytes: int
    empty: int  # documents without any byte
    mean: float
    percentiles: dict[int, int]
    characters: dict[str, float]  # the share of each kind

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def describe(lengths: "array[int]", characters: CharacterCounts) -> TextStatistics:
    """Statistics from the lengths of documents and the counts of their characters.

    >>> describe(array("Q", [3, 0, 5, 4]), CharacterCounts()).percentiles[50]
    3
    """
    ordered = sorted(lengths)
    total = sum(ordered)
    count = len(ordered)
    # The smallest length that so many percent of the documents do not exceed.
    percentiles = {p: ordered[max(0, -(-p * count // 100) - 1)] if count else 0
                   for p in PERCENTILES}
    return TextStatistics(count, total, sum(not length for length in ordered),
                          total / count if count else 0.0, percentiles, characters.shares())
