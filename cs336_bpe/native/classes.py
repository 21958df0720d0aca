"""The class of every character, as a table for the scanners in C."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import regex

from cs336_bpe.native import generate_classes, unicode_classes

CLASS_NUMBERS = {"O": 0, "L": 1, "N": 2, "W": 3}
CASE_NUMBERS = {"O": 0, "U": 1, "B": 2, "X": 3, "M": 4, "N": 5, "W": 6}


class UnicodeTablesError(RuntimeError):
    """The installed `regex` takes a character for something else than the tables do."""


@lru_cache(maxsize=1)
def tables() -> tuple[bytes, bytes]:
    """(index, classes): the class of code point c is `classes[index[c >> 8] << 8 | c & 255]`.

    Most blocks of 256 code points have one class throughout, so few different ones are kept.

    >>> index, classes = tables()
    >>> [classes[index[ord(c) >> 8] << 8 | ord(c) & 255] for c in "a1 !"]
    [1, 2, 3, 0]
    """
    check_regex_version()
    return two_levels(runs(), CLASS_NUMBERS)


@lru_cache(maxsize=1)
def case_tables() -> tuple[bytes, bytes]:
    """The same with letters told apart by case, and marks: `CASE_NUMBERS`.

    >>> index, classes = case_tables()
    >>> [classes[index[ord(c) >> 8] << 8 | ord(c) & 255] for c in "Aa猫1 !"]
    [1, 2, 3, 5, 6, 0]
    """
    check_regex_version()
    others = [run for run in runs() if run[0] != "L"]
    return two_levels([*others, *runs(unicode_classes.CASE_RUNS)], CASE_NUMBERS)


def two_levels(runs: Iterable[tuple[str, range]], numbers: dict[str, int]) -> tuple[bytes, bytes]:
    """An index of blocks of 256 code points, and the different blocks."""
    class_of = bytearray(0x110000)
    for name, points in runs:
        class_of[points.start : points.stop] = bytes([numbers[name]]) * len(points)
    blocks: dict[bytes, int] = {}
    index = bytes(blocks.setdefault(bytes(class_of[start : start + 256]), len(blocks))
                  for start in range(0, 0x110000, 256))
    return index, b"".join(blocks)


def runs(table: str | None = None) -> Iterator[tuple[str, range]]:
    """The runs of code points that are letters (L), digits (N) or white space (W).

    >>> next(runs())
    ('W', range(9, 14))
    """
    for run in (unicode_classes.RUNS if table is None else table).split():
        first, _, last = run[1:].partition("-")
        yield run[0], range(int(first, 16), int(last or first, 16) + 1)


def check_regex_version() -> None:
    """Results must be those of the installed `regex`: if it is another version than the tables
    were made from, compare every character (a quarter of a second), and refuse if one differs."""
    if regex.__version__ == unicode_classes.REGEX_VERSION:
        return
    ours = {*unicode_classes.RUNS.split(), *unicode_classes.CASE_RUNS.split()}
    theirs = {*generate_classes.runs(), *generate_classes.runs(generate_classes.CASES)}
    if ours != theirs:
        example = min(ours ^ theirs)
        raise UnicodeTablesError(
            f"the installed regex {regex.__version__} classifies characters differently from regex "
            f"{unicode_classes.REGEX_VERSION}, from which the tables of the compiled scanner were "
            f"made (around {example}). Install that version of regex, or make the tables again "
            f"with `python -m cs336_bpe.native.generate_classes`, or pass stage='stage03'.")
