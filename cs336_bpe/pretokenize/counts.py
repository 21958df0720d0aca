"""How often each pretoken occurs: all that training needs to know of a corpus, and a file for it.

Counting looks at every byte of the text; training looks at these counts only, which are much
smaller: 2.4 MB in a file for 99 MB of web text. So many machines can count a part of the corpus
each, and save what they have found; one machine loads the parts, adds them up and trains.

The file is the entries in the order of their bytes, each without the beginning that it shares
with the one before, then a checksum. `docs/pretokenize/counts.md` describes it byte by byte. Two
properties are worth their price:

- *Canonical.* The same counts give the same bytes, whichever machine found which word first; so
  two files can be compared with `cmp`. Cost: the entries are sorted, and the reader refuses what
  the writer would not have written.
- *Safe to load.* A file from elsewhere can be wrong or malicious, but it can do no more than raise
  a ValueError. It can't run code, as a pickle can. It can't make the reader allocate what its
  header claims. And it can't be a "zip bomb": at most 255 bytes are shared, for without such a
  limit a file of n bytes could say a word of n/2 bytes and then n/8 times "the same, and one more
  byte": n²/16 bytes of memory.
"""

import heapq
import html
import os
import re
from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping
from fractions import Fraction
from hashlib import sha256
from math import isfinite
from operator import itemgetter
from typing import NamedTuple

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.rules import MAX_TOTAL, check_count, check_size, check_total

MAGIC = b"cs336_bpe pretoken counts 1\n"
"""The first bytes of a file of counts. The number is the version of the format."""

MAX_SHARED = 255
"""The most bytes that an entry of the file can take over from the one before."""

_CHECKSUM_SIZE = 32
_SMALLEST_FILE = len(MAGIC) + 3 + _CHECKSUM_SIZE  # three numbers of one byte each, no entries
_MAX_VARINT = 10  # bytes: what 64 bits need, seven to a byte


class Columns(NamedTuple):
    """Counts as compiled stages hand them on to each other: without a Python object a pretoken."""

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
    <PretokenCounts: 3 kinds, 13 pretokens, 61 bytes; b'newest' 6, b'low' 5, b'lower' 2>
    >>> counts[b"low"]
    5

    Inside there is a dict, or, as long as nobody looks, the columns that a compiled stage has left:
    to make the objects of a dict takes a third of the time that counting the text does, and
    training needs none of them.
    """

    __slots__ = ("_columns", "_dict")

    def __init__(self, entries: Mapping[bytes, int] | Iterable[tuple[bytes, int]] = ()) -> None:
        self._columns: Columns | None = None
        self._dict: dict[bytes, int] | None = dict(entries)

    @classmethod
    def from_columns(cls, columns: Columns) -> "PretokenCounts":
        """Counts from columns whose pretokens are all different, and whose counts are not 0.

        >>> numbers = memoryview(bytes([3, *7 * [0], 5, *7 * [0]])).cast("Q")
        >>> PretokenCounts.from_columns(Columns(b"lownewer", numbers, numbers)) == {
        ...     b"low": 3, b"newer": 5}
        True
        """
        counts = cls()
        counts._columns, counts._dict = columns, None
        return counts

    @property
    def columns(self) -> Columns | None:
        """The columns, if there are some that are up to date."""
        return self._columns

    def _entries(self) -> dict[bytes, int]:
        if self._dict is None:
            from cs336_bpe.pretokenize.columns import (
                columns_to_dict,  # compiled, as who made the columns
            )

            assert self._columns is not None
            self._dict = columns_to_dict(*self._columns)
        return self._dict

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
        return len(self._entries() if self._columns is None else self._columns.lengths)

    def clear(self) -> None:
        """Forget everything. (What `MutableMapping` has takes quadratic time on a dict.)"""
        self._columns, self._dict = None, {}

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
        return sum(count for _, count in _entries(self))

    @property
    def num_bytes(self) -> int:
        """The number of bytes of text that the pretokens stand for.

        >>> PretokenCounts({b"low": 5, b"lower": 2}).num_bytes
        25
        """
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
        <PretokenCounts: 2 kinds, 2 pretokens, 8 bytes; b'low' 1, b'lower' 1>

        The arithmetic is exact, so every machine gives the same. Exact means that a float is what
        it is: 0.7 is a little less than 7/10, and so 5 * 0.7 is rounded down.

        >>> PretokenCounts({b"low": 5}).scaled(0.7), PretokenCounts({b"low": 5}).scaled(
        ...     Fraction(7, 10)) == {b"low": 4}
        (<PretokenCounts: 1 kind, 3 pretokens, 9 bytes; b'low' 3>, True)
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

    def save(self, path: str | os.PathLike[str]) -> None:
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
        data = _encode(self)
        with atomic_writer(path) as file:
            file.write(data)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "PretokenCounts":
        """Read a file that `save` wrote. The entries come in the order of their bytes.

        A file that is none of ours, of another version, cut short, altered, or not what `save`
        would have written is a ValueError that names it, the byte where it goes wrong, and what
        to do. An example is at `save`.
        """
        name = os.fsdecode(path)
        with open(path, "rb") as file:
            data = file.read(40)
            # Before the rest is read: it may be a file of any size, or a device without an end.
            _check_magic(data, name)
            data += file.read()
        entries: dict[bytes, int] = {}
        _decode(data, name, entries)
        return cls(entries)

    # --- What a dict does, in the manner of this type --------------------------------------

    def copy(self) -> "PretokenCounts":
        """The same counts once more.

        >>> type(PretokenCounts({b"low": 5}).copy()).__name__
        'PretokenCounts'
        """
        return type(self)(self)

    def __repr__(self) -> str:
        try:
            top = ", ".join(f"{_shortened(word)} {count:,}" for word, count in self.top(3))
            more = ", ..." if len(self) > 3 else ""
            return f"<{type(self).__name__}: {self._summary()}{'; ' if top else ''}{top}{more}>"
        except (TypeError, ValueError, OverflowError):
            # A wrong entry. Whoever looks for it must be able to look.
            return f"<{type(self).__name__}: {_plural(len(self), 'kind')}, not all of them valid>"

    def _repr_html_(self) -> str:
        """A small table for notebooks: the ten most frequent pretokens."""
        try:
            rows = [(_shortened(word), f"{count:,}") for word, count in self.top(10)]
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
        return (f"{_plural(len(self), 'kind')}, {_plural(self.total, 'pretoken')}, "
                f"{_size(self.num_bytes)}")


def _entries(counts: Mapping[bytes, int]) -> Iterator[tuple[bytes, int]]:
    """The entries that occur at least once; an error names one that is wrong."""
    for word, count in counts.items():
        # check_count alone would do, but calling it takes longer than all else in these loops.
        if type(word) is not bytes or type(count) is not int or count < 0:
            count = check_count(word, count)
        if count:
            yield word, count


# --- The file format: see docs/pretokenize/counts.md -----------------------------------------


def _encode(counts: Mapping[bytes, int]) -> bytes:
    """The whole file."""
    entries = sorted(_entries(counts), key=itemgetter(0))
    check_total(sum(len(word) * count for word, count in entries))
    total = sum(count for _, count in entries)
    if total > MAX_TOTAL:  # and yet few bytes: only the empty pretoken can do that
        raise ValueError(f"counts add up to {total} pretokens, more than the 64-bit limit of "
                         f"{MAX_TOTAL}; divide all counts by a common factor")
    body = bytearray()
    previous = b""
    for word, count in entries:
        shared = 0
        for ours, theirs in zip(word[:MAX_SHARED], previous):
            if ours != theirs:
                break
            shared += 1
        size = len(word) - shared
        body.append(shared)
        if size < 0x80:  # nearly always: then a number is its own varint
            body.append(size)
        else:
            body += _varint(size)
        body += word[shared:]
        if count < 0x80:
            body.append(count)
        else:
            body += _varint(count)
        previous = word
    data = b"".join([MAGIC, _varint(len(entries)), _varint(total), _varint(len(body)), body])
    return data + sha256(data).digest()


def _varint(number: int) -> bytes:
    """Unsigned LEB128: seven bits a byte, the lowest first; the top bit means "more follows".

    >>> _varint(5).hex(), _varint(300).hex()
    ('05', 'ac02')
    """
    result = bytearray()
    while number >= 0x80:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)


def _check_magic(start: bytes, name: str) -> None:
    """Is this file, which starts like this, one of ours?"""
    if start.startswith(MAGIC):
        return
    if MAGIC.startswith(start):
        raise ValueError(f"{name} is {f'cut short at byte {len(start)}' if start else 'empty'}; "
                         f"copy it again, or count again")
    version = re.match(rb"cs336_bpe pretoken counts ([0-9]+)\n", start)
    if version:
        raise ValueError(f"{name} is a file of pretoken counts of version {version[1].decode()}, "
                         f"but this program reads version 1; use the release that wrote it, or "
                         f"count again")
    raise ValueError(f"{name} is not a file of pretoken counts: it starts with "
                     f"{start[: len(MAGIC)]!r}, not with {MAGIC!r}; give one that "
                     f"PretokenCounts.save has written")


def _decode(data: bytes, name: str, counts: dict[bytes, int]) -> None:
    """Fill `counts` from the whole file. Accepts what `_encode` gives, and nothing else."""
    if len(data) < _SMALLEST_FILE:
        raise ValueError(f"{name} is cut short at byte {len(data)}; copy it again, or count again")
    intact = sha256(memoryview(data)[:-_CHECKSUM_SIZE]).digest() == data[-_CHECKSUM_SIZE:]
    advice = ("its checksum is right, so it was written like this: count again" if intact
              else "copy it again, or count again")

    def wrong(offset: int, problem: str) -> ValueError:
        return ValueError(f"{name} is wrong at byte {offset}: {problem}; {advice}")

    def varint(start: int) -> tuple[int, int]:
        """The number at `start`, and where the next thing starts."""
        # No look at the end of the data is needed: ten bytes from any place in the header or the
        # entries are within the 32 bytes of the checksum at most.
        number = 0
        for position in range(start, start + _MAX_VARINT):
            byte = data[position]
            number |= (byte & 0x7F) << 7 * (position - start)
            if byte < 0x80:
                break
        else:
            raise wrong(start, f"a number of more than {_MAX_VARINT} bytes")
        if byte == 0 and position > start:
            raise wrong(start, f"the number {number} is written in more bytes than it needs")
        if number > MAX_TOTAL:
            raise wrong(start, f"the number {number} is above the 64-bit limit of {MAX_TOTAL}")
        return number, position + 1

    kinds_at = len(MAGIC)
    kinds, total_at = varint(kinds_at)
    total, size_at = varint(total_at)
    size_of_entries, start = varint(size_at)
    end = start + size_of_entries
    extra = len(data) - (end + _CHECKSUM_SIZE)
    if extra < 0:
        raise ValueError(f"{name} is cut short at byte {len(data)} of {len(data) - extra}; "
                         f"{advice}")
    if extra > 0:
        raise wrong(len(data) - extra, f"the file should end here, but has "
                                       f"{_plural(extra, 'byte')} more")
    if not intact:
        raise ValueError(f"{name} has been altered: the checksum in its last {_CHECKSUM_SIZE} "
                         f"bytes is not that of the bytes before; {advice}")

    position = start
    previous = b""
    while position < end:
        shared = data[position]
        size = data[position + 1]
        word_at = position + 2
        if size >= 0x80:
            size, word_at = varint(position + 1)
        count_at = word_at + size
        if count_at >= end:
            raise wrong(position, "the entry goes on after the end of the entries")
        if shared > len(previous):
            raise wrong(position, f"the entry takes over {_plural(shared, 'byte')} from one "
                                  f"that has only {len(previous)}")
        rest = data[word_at:count_at]
        word = previous[:shared] + rest
        # The first byte that is not shared must be greater than the one that it replaces, or
        # replace none. This one comparison finds every entry that is out of order, repeated, or
        # shares more than it says. It is too strict for the first entry if that is b"", and where
        # the most that can be shared is.
        if (rest[:1] <= previous[shared : shared + 1]
                and position > start and (shared < MAX_SHARED or word <= previous)):
            raise wrong(position, _order_problem(word, previous, shared))
        count = data[count_at]
        next_at = count_at + 1
        if count >= 0x80:
            count, next_at = varint(count_at)
        elif not count:
            raise wrong(count_at, f"the count of {_shortened(word)} is zero")
        counts[word] = count
        previous = word
        position = next_at
    if position > end:
        raise wrong(end, "the last entry goes on after the end of the entries")
    if len(counts) != kinds:
        raise wrong(kinds_at, f"it says that there are {kinds} entries, but there are "
                              f"{len(counts)}")
    if sum(counts.values()) != total:
        raise wrong(total_at, f"it says that the counts add up to {total}, but they add up to "
                              f"{sum(counts.values())}")
    try:
        check_total(sum(len(word) * count for word, count in counts.items()))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _order_problem(word: bytes, previous: bytes, shared: int) -> str:
    if word == previous:
        return f"the entry {_shortened(word)} is there already"
    if word < previous:
        return f"the entry {_shortened(word)} is out of order after {_shortened(previous)}"
    return (f"the entry {_shortened(word)} takes over {_plural(shared, 'byte')} from "
            f"{_shortened(previous)}, which has more in common with it")


# --- For people ------------------------------------------------------------------------------


def _shortened(word: bytes) -> str:
    """
    >>> _shortened(b"-" * 500)
    "b'------------------------'... of 500 bytes"
    """
    return repr(word) if len(word) <= 24 else f"{word[:24]!r}... of {len(word):,} bytes"


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _size(num_bytes: int) -> str:
    """
    >>> _size(1), _size(999), _size(1000), _size(98_765_432), _size(999_950)
    ('1 byte', '999 bytes', '1.0 kB', '98.8 MB', '1.0 MB')
    """
    if num_bytes < 1000:
        return _plural(num_bytes, "byte")
    unit = 1000
    for name in ("kB", "MB", "GB", "TB"):
        if num_bytes < unit * 999.95:  # what is above would be shown as 1000.0
            return f"{num_bytes / unit:.1f} {name}"
        unit *= 1000
    return f"{num_bytes / unit:,.1f} PB"
