"""How often each pretoken occurs: all that training needs to know of a corpus.

Counting looks at every byte of the text; training looks at these counts only, which are much
smaller. So many machines can count a part of the corpus each, and save what they have found; one
machine loads the parts, adds them up and trains. `counts_file.py` is about the file.
"""

import heapq
import html
import os
from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping
from fractions import Fraction
from itertools import accumulate
from math import isfinite
from operator import itemgetter
from typing import NamedTuple

import numpy

from cs336_bpe.common.amounts import plural, readable_size
from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.built import is_built
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.pretokenize.counts_file import check_magic, read_counts, write_counts
from cs336_bpe.rules import MAX_TOTAL, check_count, check_size, shown


class Columns(NamedTuple):
    """Counts as compiled stages hand them on: without a Python object per pretoken."""

    text: bytes  # all pretokens, one after the other
    lengths: memoryview  # of each, as unsigned 64-bit integers
    counts: memoryview  # of each, the same


class PretokenCounts(MutableMapping[bytes, int]):
    """How often each pretoken occurs in a corpus: a dict that can be added up, saved and loaded.

    It is made as a dict is, from a mapping or from pairs. To keep that cheap, the entries are not
    looked at until they are used; then each key must be bytes and each count an integer that is
    not negative, or an error names the entry. An entry with the count zero is as good as none.

    >>> counts = PretokenCounts({b"low": 5, b"lower": 2, b"newest": 6})
    >>> counts
    <PretokenCounts: 13 pretokens, 3 distinct, 61 bytes; b'newest' 6, b'low' 5, b'lower' 2>
    >>> counts[b"low"]
    5

    Inside there is a dict, or, as long as nobody looks, the columns that a compiled stage or a file
    has left: building a dict takes a third as long as counting, and training doesn't need one.
    """

    __slots__ = ("_columns", "_kept")

    def __init__(self, entries: Mapping[bytes, int] | Iterable[tuple[bytes, int]] = ()) -> None:
        self._columns: Columns | None = None
        # The dict, once there is one. It is in another, in which to add something is one step.
        self._kept: dict[str, dict[bytes, int]] = {"dict": dict(entries)}

    @classmethod
    def from_columns(cls, columns: Columns) -> "PretokenCounts":
        """Counts from columns whose pretokens are all different, and whose counts are not 0.

        >>> numbers = memoryview(bytes([3, *7 * [0], 5, *7 * [0]])).cast("Q")
        >>> PretokenCounts.from_columns(Columns(b"lownewer", numbers, numbers)) == {
        ...     b"low": 3, b"newer": 5}
        True
        """
        counts = cls()
        counts._columns, counts._kept = columns, {}
        return counts

    @property
    def columns(self) -> Columns | None:
        """The columns, if there are some that are up to date."""
        return self._columns

    def _entries(self) -> dict[bytes, int]:
        columns = self._columns  # first: who forgets them has made the dict before
        entries = self._kept.get("dict")
        if entries is None:
            assert columns is not None
            # Another thread may be here too. Then both get the dict of the one that is first.
            entries = self._kept.setdefault("dict", columns_to_dict(*columns))
        return entries

    def __getitem__(self, word: bytes) -> int:
        return self._entries()[word]

    def __setitem__(self, word: bytes, count: int) -> None:
        self._entries()[word] = count
        self._columns = None

    def __delitem__(self, word: bytes) -> None:
        del self._entries()[word]
        self._columns = None

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._entries())

    def __len__(self) -> int:
        columns = self._columns
        return len(self._entries() if columns is None else columns.lengths)

    def clear(self) -> None:
        """Forget everything. (What `MutableMapping` has takes quadratic time on a dict.)"""
        self._kept = {"dict": {}}
        self._columns = None

    def __contains__(self, word: object) -> bool:
        return word in self._entries()

    def items(self) -> ItemsView[bytes, int]:
        return self._entries().items()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PretokenCounts):
            return self._entries() == other._entries()
        return self._entries() == other

    def __reduce__(self) -> tuple[type["PretokenCounts"], tuple[dict[bytes, int]]]:
        return type(self), (self._entries(),)

    @property
    def total(self) -> int:
        """The number of pretokens in the corpus.

        >>> PretokenCounts({b"low": 5, b"lower": 2}).total
        7
        """
        columns = self._columns
        if columns is not None:
            return int(numpy.asarray(columns.counts).sum())
        return sum(count for _, count in _entries(self))

    @property
    def num_bytes(self) -> int:
        """The number of bytes of text that the pretokens stand for.

        >>> PretokenCounts({b"low": 5, b"lower": 2}).num_bytes
        25
        """
        columns = self._columns
        if columns is not None:
            _, lengths, counts = columns
            return int(numpy.dot(numpy.asarray(lengths), numpy.asarray(counts)))
        return sum(len(word) * count for word, count in _entries(self))

    def top(self, n: int) -> list[tuple[bytes, int]]:
        """The `n` most frequent pretokens, or all if there are fewer.

        Among equally frequent ones the lexicographically smallest comes first.

        >>> PretokenCounts({b"b": 2, b"a": 2, b"c": 3, b"d": 1}).top(3)
        [(b'c', 3), (b'a', 2), (b'b', 2)]
        """
        number = check_size("n", n)
        return heapq.nsmallest(number, _entries(self), key=lambda item: (-item[1], item[0]))

    # --- Adding up -------------------------------------------------------------------------

    def merge(self, *others: Mapping[bytes, int]) -> "PretokenCounts":
        """New counts: these and all the others, added up.

        >>> monday = PretokenCounts({b"low": 5, b"lower": 2})
        >>> monday.merge({b"low": 1}, {b"new": 1}) == {b"low": 6, b"lower": 2, b"new": 1}
        True
        """
        merged = type(self)()
        for counts in (self, *others):
            merged += counts
        return merged

    def __add__(self, other: Mapping[bytes, int]) -> "PretokenCounts":
        return self.merge(other) if isinstance(other, Mapping) else NotImplemented

    def __radd__(self, other: Mapping[bytes, int]) -> "PretokenCounts":
        return self.merge(other) if isinstance(other, Mapping) else NotImplemented

    def __iadd__(self, other: Mapping[bytes, int]) -> "PretokenCounts":
        if not isinstance(other, Mapping):
            raise TypeError(f"can't add a {type(other).__name__} to PretokenCounts; it must be a "
                            f"mapping from bytes to int, such as another PretokenCounts")
        # The list is made first, so that a wrong entry stops us before anything has changed.
        checked = list(_entries(other))
        entries = self._entries()
        self._columns = None
        for word, count in checked:
            before = entries.get(word, 0)
            if type(before) is not int:  # numpy's integers would wrap round
                before = check_count(word, before)
            entries[word] = before + count
        return self

    def scaled(self, factor: int | float | Fraction) -> "PretokenCounts":
        """New counts, multiplied by `factor` and rounded (a half goes up); none that become 0.

        This weights corpora against each other: `web.scaled(0.5) + code.scaled(3)`.

        >>> PretokenCounts({b"low": 5, b"lower": 2, b"newest": 1}).scaled(Fraction(1, 4))
        <PretokenCounts: 2 pretokens, 2 distinct, 8 bytes; b'low' 1, b'lower' 1>

        The arithmetic is exact, so every machine gives the same. Exact means that a float is what
        it is: 0.7 is a little less than 7/10, and so 5 * 0.7 is rounded down.

        >>> PretokenCounts({b"low": 5}).scaled(0.7), PretokenCounts({b"low": 5}).scaled(
        ...     Fraction(7, 10)) == {b"low": 4}
        (<PretokenCounts: 3 pretokens, 1 distinct, 9 bytes; b'low' 3>, True)
        """
        if isinstance(factor, bool) or not isinstance(factor, (int, float, Fraction)):
            raise TypeError(f"factor is {factor!r}, a {type(factor).__name__}; "
                            f"it must be an int, a float or a Fraction")
        if not isfinite(factor) or factor <= 0:
            raise ValueError(f"factor is {factor}; it must be finite and greater than 0")
        up, down = Fraction(factor).as_integer_ratio()
        scaled = type(self)()
        for word, count in _entries(self):
            number = (2 * count * up + down) // (2 * down)  # floor(count * factor + 1/2)
            if number:
                scaled[word] = number
        return scaled

    # --- Files -----------------------------------------------------------------------------

    def save(self, path: AnyPath) -> None:
        """Write the counts to a file, for `load`. The same counts give the same bytes.

        Entries with the count zero are left out. A wrong entry is an error before anything is
        written, and a file that was there before stays until the new one is complete.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> counts = PretokenCounts({b"low": 5, b"lower": 2})
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "corpus.counts")
        ...     counts.save(path)
        ...     PretokenCounts.load(path) == counts
        True
        """
        entries = sorted(_entries(self), key=itemgetter(0))
        for what, total in (("bytes of text", sum(len(word) * count for word, count in entries)),
                            ("pretokens", sum(count for _, count in entries))):
            if total > MAX_TOTAL:
                raise ValueError(f"counts add up to {total} {what}, more than the 64-bit limit of "
                                 f"{MAX_TOTAL}; divide all counts by a common factor")
        data = write_counts(entries)
        with atomic_writer(path) as file:
            file.write(data)

    @classmethod
    def load(cls, path: AnyPath) -> "PretokenCounts":
        """Read a file that `save` wrote. The entries come in the order of their bytes.

        A file that is not one of ours, cut short, altered, or not what `save` would have written
        is a ValueError that names it and says what to do. An example is at `save`.
        """
        name = os.fsdecode(path)
        with open(path, "rb") as file:
            data = file.read(40)
            # Before the rest is read: it may be a file of any size, or a device without an end.
            check_magic(data, name)
            data += file.read()
        text, lengths, counts = read_counts(data, name)
        return cls.from_columns(Columns(text, lengths.data, counts.data))

    # --- What a dict does, in the manner of this type --------------------------------------

    def copy(self) -> "PretokenCounts":
        """The same counts once more.

        >>> type(PretokenCounts({b"low": 5}).copy()).__name__
        'PretokenCounts'
        """
        return type(self)(self)

    def __repr__(self) -> str:
        try:
            top = ", ".join(f"{shown(word)} {count:,}" for word, count in self.top(3))
            more = ", ..." if len(self) > 3 else ""
            return f"<{type(self).__name__}: {self._summary()}{'; ' if top else ''}{top}{more}>"
        except (TypeError, ValueError, OverflowError):
            # A wrong entry. Whoever looks for it must be able to look.
            return (f"<{type(self).__name__}: {plural(len(self), 'distinct pretoken')}, not all of "
                    f"them valid>")

    def _repr_html_(self) -> str:
        """A small table for notebooks: the ten most frequent pretokens."""
        try:
            rows = [(shown(word), f"{count:,}") for word, count in self.top(10)]
            summary = self._summary()
        except (TypeError, ValueError, OverflowError):
            return f"<code>{html.escape(repr(self))}</code>"
        lines = [f"<table><caption>{html.escape(summary)}</caption>",
                 "<tr><th>pretoken</th><th>count</th></tr>"]
        lines += [f"<tr><td><code>{html.escape(word)}</code></td><td>{count}</td></tr>"
                  for word, count in rows]
        if len(self) > len(rows):
            lines.append(f"<tr><td>{len(self) - len(rows):,} more</td><td></td></tr>")
        return "\n".join([*lines, "</table>"])

    def _summary(self) -> str:
        return (f"{plural(self.total, 'pretoken')}, {len(self):,} distinct, "
                f"{readable_size(self.num_bytes)}")


def columns_to_dict(text: bytes, lengths: memoryview, counts: memoryview) -> dict[bytes, int]:
    """Columns as a dict; see `columns.pyx`. Without it, any sequences of integers will do."""
    if is_built():
        from cs336_bpe.pretokenize import columns

        return columns.columns_to_dict(text, lengths, counts)
    ends = list(accumulate(lengths, initial=0))
    return {text[start:end]: count for start, end, count in zip(ends, ends[1:], counts)}


def _entries(counts: Mapping[bytes, int]) -> Iterator[tuple[bytes, int]]:
    """The entries that occur at least once; an error names one that is wrong."""
    for word, count in counts.items():
        if number := check_count(word, count):
            yield word, number
