"""The class of every character, as a table for the scanners in C."""

from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from cs336_bpe.native import unicode_classes

CLASS_NUMBERS = {"O": 0, "L": 1, "N": 2, "W": 3}


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
    class_of = bytearray(0x110000)
    for name, points in runs():
        class_of[points.start : points.stop] = bytes([CLASS_NUMBERS[name]]) * len(points)
    blocks: dict[bytes, int] = {}
    index = bytes(blocks.setdefault(bytes(class_of[start : start + 256]), len(blocks))
                  for start in range(0, 0x110000, 256))
    return index, b"".join(blocks)


def runs() -> Iterator[tuple[str, range]]:
    """The runs of code points that are letters (L), digits (N) or white space (W).

    >>> next(runs())
    ('W', range(9, 14))
    """
    for run in unicode_classes.RUNS.split():
        first, _, last = run[1:].partition("-")
        yield run[0], range(int(first, 16), int(last or first, 16) + 1)


def check_regex_version() -> None:
    """Results must be those of the installed `regex`: if it is another version than the tables
    were made from, compare every character (a quarter of a second), and refuse if one differs."""
    if _is_installed_from(f"regex-{unicode_classes.REGEX_VERSION}.dist-info"):
        return
    import regex

    if regex.__version__ == unicode_classes.REGEX_VERSION:
        return
    from cs336_bpe.native import generate_classes

    ours, theirs = set(unicode_classes.RUNS.split()), set(generate_classes.runs())
    if ours != theirs:
        example = min(ours ^ theirs)
        raise UnicodeTablesError(
            f"the installed regex {regex.__version__} classifies characters differently from regex "
            f"{unicode_classes.REGEX_VERSION}, from which the tables of the compiled scanner were "
            f"made (around {example}). Install that version of regex, or make the tables again "
            f"with `python -m cs336_bpe.native.generate_classes`, or pass stage='stage03'.")


def _is_installed_from(record: str) -> bool:
    """Whether the record that an installer leaves beside `regex` has this name, and so is of this
    version. That takes a glance; to import `regex` takes as long as to import all the rest."""
    spec = find_spec("regex")
    return (spec is not None and spec.origin is not None
            and Path(spec.origin).parent.with_name(record).is_dir())
