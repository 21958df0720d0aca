r"""Sets of characters, and what `regex` says is in them.

`\p{L}` has more than a hundred thousand characters, but they lie in a few hundred runs. So a set is
a tuple of the places where one gets in or out: `(97, 123)` is a to z, `(48, 58, 97, 123)` has the
digits too. A character is in a set if an odd number of these places is at or before it.

Nothing here knows Unicode. What is in `\p{L}` or in `(?i:s)` is what the `regex` package matches
with it, because the compiled pattern must give the matches of `regex`, not those of another
version of Unicode. The sets that most patterns use are in `unicode_sets.py`, made from one version
of `regex`; if another one is installed, or a set is not in there, `regex` is asked: a few
milliseconds for each set.
"""

import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from cs336_bpe.patterns import unicode_sets

CharSet = tuple[int, ...]

NUM_POINTS = 0x110000
EVERYTHING: CharSet = (0, NUM_POINTS)
NOTHING: CharSet = ()
MOST_CLASSES = 250  # a class is one byte, and a few values are kept for other uses


def one(character: str) -> CharSet:
    """The set of one character."""
    return (ord(character), ord(character) + 1)


def complement(members: CharSet) -> CharSet:
    """All characters that are not in a set.

    >>> complement((0, 10, 20, 30)) == (10, 20, 30, NUM_POINTS)
    True
    """
    inner = members[1:] if members[:1] == (0,) else (0, *members)
    return inner[:-1] if inner[-1:] == (NUM_POINTS,) else (*inner, NUM_POINTS)


def union(sets: Iterable[CharSet]) -> CharSet:
    """The characters that are in any of the sets.

    >>> union([(10, 20), (15, 30), (40, 50)])
    (10, 30, 40, 50)
    """
    result: list[int] = []
    runs = sorted(run for members in sets for run in zip(members[::2], members[1::2]))
    for first, end in runs:
        if result and first <= result[-1]:
            result[-1] = max(result[-1], end)
        else:
            result += (first, end)
    return tuple(result)


def contains(members: CharSet, character: str) -> bool:
    """Whether a character is in a set.

    >>> [contains(ask(r"\\p{L}"), character) for character in "aé一1 "]
    [True, True, True, False, False]
    """
    return bisect_right(members, ord(character)) % 2 == 1


def intersection(a: CharSet, b: CharSet) -> CharSet:
    """The characters that are in both sets.

    >>> intersection((10, 20), (15, 30))
    (15, 20)
    """
    return complement(union([complement(a), complement(b)]))


# --- What is in a set, to `regex` --------------------------------------------------------------


_CONTROLS = {r"\t": "\t", r"\n": "\n", r"\r": "\r"}


@lru_cache(maxsize=4096)
def ask(source: str, ignore_case: bool = False) -> CharSet:
    r"""The characters that a piece of a pattern matches: `\s`, `[^a-z]`, `\p{Lu}`, `a`.

    >>> [chr(point) for point in range(0x3000) if contains(ask("s", True), chr(point))]
    ['S', 's', 'ſ']
    """
    if not ignore_case:
        if source in _CONTROLS:
            return one(_CONTROLS[source])
        known = shipped().get(source)
        if known is not None:
            return known
    elif len(source) == 1 and source.isascii() and is_same_regex():
        others = unicode_sets.OTHER_CASES.get(source, "")
        return union([one(source), *map(one, others)])
    return ask_regex(source, ignore_case)


def ask_regex(source: str, ignore_case: bool = False) -> CharSet:
    """The same, from the installed `regex`: which of all characters does it match?"""
    import regex  # here, because most sets are known

    pattern = f"(?i:(?:{source})+)" if ignore_case else f"(?:{source})+"
    return tuple(place for match in regex.finditer(pattern, _all_characters())
                 for place in match.span())


@lru_cache(maxsize=1)
def _all_characters() -> str:
    """A character's place is its code point. Without a million objects for them in between."""
    points = array("I", range(NUM_POINTS))
    return points.tobytes().decode(f"utf-32-{sys.byteorder[0]}e", "surrogatepass")


@lru_cache(maxsize=1)
def is_same_regex() -> bool:
    """Whether the installed `regex` is the one that the shipped sets were made from.

    An installer leaves a record with the version beside a package. To look for it takes a glance,
    and to import `regex` takes as long as to import all the rest.
    """
    spec = find_spec("regex")
    if spec is not None and spec.origin is not None:
        record = f"regex-{unicode_sets.REGEX_VERSION}.dist-info"
        if Path(spec.origin).parent.with_name(record).is_dir():
            return True
    import regex

    return bool(regex.__version__ == unicode_sets.REGEX_VERSION)


@lru_cache(maxsize=1)
def shipped() -> dict[str, CharSet]:
    r"""The sets in `unicode_sets.py`: `\s`, the general categories and their groups; none of them
    if another version of `regex` is installed.

    >>> shipped()[r"\p{Zl}"]
    (8232, 8233)
    """
    if not is_same_regex():
        return {}
    runs: dict[str, list[int]] = {}
    end = 0
    for run in unicode_sets.CATEGORIES.split():
        first, end = end, end + int(run[2:], 16)
        runs.setdefault(run[:2], []).extend((first, end))
    sets = {rf"\p{{{name}}}": union([tuple(places)]) for name, places in runs.items()}
    for group in sorted({name[0] for name in runs}):
        sets[rf"\p{{{group}}}"] = union(tuple(runs[name]) for name in runs if name[0] == group)
    sets[r"\s"] = tuple(unicode_sets.WHITE_SPACE)
    sets[r"\d"] = sets[r"\p{Nd}"]
    for source in list(sets):
        inverse = source.replace(r"\p", r"\P") if r"\p" in source else source.upper()
        sets[inverse] = complement(sets[source])
    return sets


# --- Classes: characters that no set of a pattern tells apart ----------------------------------


class Classes(NamedTuple):
    """All characters, in as few classes as the sets of a pattern need.

    `of_point[p]` is the class of code point p, `members[k][c]` whether the characters of class c
    are in set k, and `first_points[c]` the first character of class c.
    """

    of_point: bytes
    members: list[list[bool]]
    first_points: list[int]

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.first_points)

    def set_of(self, numbers: Iterable[int]) -> CharSet:
        """The characters of some classes."""
        wanted = set(numbers)
        inside = self.of_point.translate(bytes(number in wanted for number in range(256)))
        places: list[int] = []
        at = 0
        while (at := inside.find(1 - len(places) % 2, at)) >= 0:
            places.append(at)
        return tuple(places if len(places) % 2 == 0 else [*places, NUM_POINTS])


def partition(sets: Sequence[CharSet]) -> Classes:
    """The coarsest classes that tell the sets apart, in the order of their first characters.

    >>> classes = partition([ask("[a-z]"), ask("[aeiou]")])
    >>> [classes.of_point[ord(character)] for character in "!xe"]
    [0, 2, 1]
    """
    toggles = sorted((place, 1 << k) for k, members in enumerate(sets) for place in members)
    numbers: dict[int, int] = {}  # of the classes, by the sets that they are in, as bits
    first_points = []
    runs = []
    inside, begin = 0, 0
    for place, bit in [*toggles, (NUM_POINTS, 0)]:
        if place > begin:
            if inside not in numbers:
                numbers[inside] = len(numbers)
                first_points.append(begin)
            runs.append((numbers[inside], place - begin))
            begin = place
        inside ^= bit
    if len(numbers) > MOST_CLASSES:
        raise TooManyClasses(f"more than {MOST_CLASSES} classes of characters")
    of_point = b"".join(bytes([number]) * length for number, length in runs)
    members = [[bool(bits >> k & 1) for bits in numbers] for k in range(len(sets))]
    return Classes(of_point, members, first_points)


def two_levels(of_point: bytes) -> tuple[bytes, bytes]:
    """A table of all characters in two levels: `blocks[index[c >> 8] << 8 | c & 255]` for code
    point c. Most blocks of 256 characters are alike, so few different ones are kept. An entry of
    the index has two bytes, the lower one first.

    >>> index, blocks = two_levels(partition([ask("[a-z]")]).of_point)
    >>> len(index), len(blocks)
    (8704, 512)
    """
    blocks: dict[bytes, int] = {}
    numbers = [blocks.setdefault(of_point[start : start + 256], len(blocks))
               for start in range(0, NUM_POINTS, 256)]
    return b"".join(number.to_bytes(2, "little") for number in numbers), b"".join(blocks)


class TooManyClasses(ValueError):
    """A pattern has too many different sets."""
