"""The engine in plain Python, for machines without a compiler.

It stands in for `engine.pyx` where a pattern can't be compiled: somebody else (`Coder.pieces`)
finds the pretokens, and this encodes them. So it has what `Coder` then calls, and no more.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from cs336_bpe.common.lazy import lazy
from cs336_bpe.encode.trace import merge_by_rank
from cs336_bpe.formats.merge_columns import MergeColumns, Numbers
from cs336_bpe.text.specials import pattern_of
from cs336_bpe.text.utf8 import Text, as_bytes

if TYPE_CHECKING:
    import regex

DEFAULT_CACHE_BYTES = 128 << 20
SMALLEST_CACHE_BYTES = 4096 * 32 + 8192 * 5
BYTES_OF_A_RESULT = 256  # about: a key, a tuple, their place in a dictionary
LONGEST_KEPT = 64


class Specials:
    """Special tokens to look for in a text."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._tokens = [token.encode() for token in ids]

    @lazy
    def _regex(self) -> "regex.Pattern[bytes]":
        import regex

        return regex.compile(pattern_of(self._tokens))

    def first_in(self, text: Text) -> tuple[int, int] | None:
        """The place of the first special token in a text, and its length; None if there is none.

        >>> Specials({"<e>": 256}).first_in("one<e>two")
        (3, 3)
        """
        data = as_bytes(text)
        match = self._tokens and self._regex.search(
            data.encode() if isinstance(data, str) else bytes(data))
        return (match.start(), len(match.group())) if match else None


class Cache(dict[bytes, tuple[int, ...]]):
    """The ids of pretokens, by their numbers; emptied when it is full."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._most = max(1, limit // BYTES_OF_A_RESULT)

    def keep(self, pretoken: bytes, ids: tuple[int, ...]) -> None:
        if len(self) >= self._most:
            self.clear()
        if len(pretoken) <= LONGEST_KEPT:
            self[pretoken] = ids


class Ids(Numbers):
    """An array of ids, of 2 or 4 bytes each, for numpy."""

    def __new__(cls, width: int, room: int) -> "Ids":
        return super().__new__(cls, "H" if width == 2 else "I")  # type: ignore[return-value]

    def reserve(self, number: int) -> None:
        """There is nothing to be done: an array takes room as it needs it."""

    def shrink(self) -> None:
        """There is nothing to give back: an array has no more room than it needs."""


class Offsets(Numbers):
    """Where the ids of each text begin, and at last where they end."""

    def __new__(cls, number: int) -> "Offsets":
        return super().__new__(cls, "q", bytes(8 * number))  # type: ignore[return-value]

    def extend(self, others: Iterable[int]) -> None:
        """Append those of texts that come after all these."""
        first, *ends = others
        before = self[-1] - first
        super().extend([before + end for end in ends])


class Engine:
    """The merges of a vocabulary, and a cache. Many threads may use it at once.

    >>> from cs336_bpe.formats.consistent import consistent
    >>> tokens = dict(enumerate([*(bytes([byte]) for byte in range(256)), b"lo", b"<e>"]))
    >>> engine = Engine(tokens, consistent(tokens, [(b"l", b"o")], ["<e>"]).merges, 1 << 20)
    >>> engine.as_list(engine.encode_pieces([b"lol", 257], 2))
    [256, 108, 257]
    """

    def __init__(self, tokens: Mapping[int, bytes], merges: MergeColumns, cache_bytes: int,
                 wholes: Mapping[bytes, int] | None = None) -> None:
        self.cache_bytes = cache_bytes
        self._ids = merges.ids.tolist()
        self._pairs = {pair: (rank, 256 + rank)
                       for rank, pair in enumerate(zip(merges.lefts, merges.rights))}
        self._wholes = wholes or {}
        self._cache = self.new_cache(cache_bytes)

    def encode_pieces(self, pieces: Iterable[bytes | int], width: int,
                      cache: Cache | None = None) -> Ids:
        """The ids of pretokens that somebody else has found; an int stands for itself."""
        known = self._cache if cache is None else cache
        ids = Ids(width, 0)
        for piece in pieces:
            if isinstance(piece, int):
                ids.append(piece)
                continue
            found = known.get(piece)
            if found is None:
                found = self._encode(piece)
                known.keep(piece, found)
            ids.extend(found)
        return ids

    def _encode(self, pretoken: bytes) -> tuple[int, ...]:
        if pretoken in self._wholes:
            return (self._wholes[pretoken],)
        return tuple([self._ids[number] for number in merge_by_rank(pretoken, self._pairs)])

    def joined(self, some: list[Ids], width: int) -> tuple[Ids, Offsets]:
        """The ids of texts that were encoded one by one, one after the other."""
        whole, offsets = Ids(width, 0), Offsets(1)
        for ids in some:
            whole.extend(ids)
            offsets.append(len(whole))
        return whole, offsets

    def as_list(self, ids: Ids) -> list[int]:
        return ids.tolist()

    def as_lists(self, ids: Ids, offsets: Offsets) -> list[list[int]]:
        """What `joined` gives, as a list for each text."""
        return [ids[start:stop].tolist() for start, stop in pairwise(offsets)]

    def new_cache(self, cache_bytes: int) -> Cache:
        """A cache for a caller who encodes much in one thread."""
        return Cache(cache_bytes)
