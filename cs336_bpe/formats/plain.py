"""The compiled modules of this room in plain Python, for machines without a compiler.

Each function returns what the compiled one of the same name returns; those say what it is for.
tests/test_not_built.py compares them.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence

from cs336_bpe.encode.trace import merge_by_rank
from cs336_bpe.formats.merge_columns import MergeColumns, Numbers
from cs336_bpe.rules import BYTES, Pair, from_printable

# --- columns.pyx ---------------------------------------------------------------------------


def from_printables(texts: Iterable[str]) -> list[bytes | None]:
    """The bytes of texts in the printable alphabet."""
    return [from_printable(text) for text in texts]


def not_printable(texts: Iterable[str]) -> list[str]:
    """Those of some texts that are not in the printable alphabet."""
    return [text for text in texts if from_printable(text) is None]


def columns_of(ids: Mapping[bytes, int], merges: object, *, printable: bool = False,
               in_order: bool = True) -> MergeColumns | None:
    """The merges as columns; None if anything is wrong with them."""
    if not isinstance(merges, (list, tuple)) or not all(byte in ids for byte in BYTES):
        return None
    own = {token: token for token in ids}  # so that each token is in memory once
    pairs = []
    for merge in merges:
        pair = _parts_of(merge, printable)
        if pair is None or pair[0] not in own or pair[1] not in own:
            return None
        pairs.append((own[pair[0]], own[pair[1]]))
    made = [left + right for left, right in pairs]
    numbers = {token: number for number, token in enumerate([*BYTES, *made])}
    if len(numbers) < len(BYTES) + len(made) or not all(token in own for token in made):
        return None
    lefts = array("i", [numbers.get(left, -1) for left, _ in pairs])
    rights = array("i", [numbers.get(right, -1) for _, right in pairs])
    for number, (left, right) in enumerate(zip(lefts, rights), len(BYTES)):
        if left < 0 or right < 0 or (in_order and max(left, right) >= number):
            return None
    return MergeColumns(array("i", [ids[token] for token in numbers]), lefts, rights, pairs)


def _parts_of(merge: object, printable: bool) -> Pair | None:
    if printable and isinstance(merge, str):
        if len(merge) > 8 and merge.startswith("#version"):
            return None  # some readers leave it out, as if it were a file's first line
        merge = merge.split(" ", 1)
    if not isinstance(merge, (tuple, list)) or len(merge) != 2:
        return None
    left, right = merge
    if printable:
        left, right = (from_printable(part) if isinstance(part, str) else None for part in merge)
    return (left, right) if isinstance(left, bytes) and isinstance(right, bytes) else None


def columns_of_ranked(ids: Mapping[bytes, int], merges: list[object]) -> MergeColumns | None:
    """The same for merges in any order, of which several may make the same token."""
    columns = columns_of(ids, merges, printable=True)
    if columns is not None:
        return columns
    tokens = list(ids)
    places = {token: place for place, token in enumerate(tokens)}
    pairs = [_parts_of(merge, printable=True) for merge in merges]
    if not all(byte in ids for byte in BYTES) or any(
            pair is None or not {*pair, b"".join(pair)} <= places.keys() for pair in pairs):
        return None
    found = [(places[left], places[right], places[left + right])
             for left, right in filter(None, pairs)]
    if len(set(found)) < len(found):
        return None
    lefts, _ = last_merges(tokens, *zip(*found))
    happening = [(tokens[left], tokens[right]) for left, right, made in found
                 if lefts[made] == left]
    columns = columns_of(ids, happening, in_order=False)
    return None if columns is None else MergeColumns(*columns[:-1], all_happen=True)


def are_in_order(columns: MergeColumns) -> bool:
    """Whether every merge comes after those that make its parts."""
    return all(left < number and right < number for number, (left, right)
               in enumerate(zip(columns.lefts, columns.rights), len(BYTES)))


def columns_of_parts(tokens: list[bytes], ids: list[int], lefts: Numbers,
                     rights: Numbers) -> MergeColumns:
    """The columns of merges of which the places of both parts in `tokens` are known."""
    made = [place for place, left in enumerate(lefts) if left >= 0]
    pairs = [(tokens[lefts[place]], tokens[rights[place]]) for place in made]
    numbers = {token: number for number, token in enumerate(BYTES)}
    numbers |= {tokens[place]: number for number, place in enumerate(made, len(BYTES))}
    id_of = dict(zip(tokens, ids))
    return MergeColumns(array("i", [id_of[token] for token in numbers]),
                        array("i", [numbers[left] for left, _ in pairs]),
                        array("i", [numbers[right] for _, right in pairs]), pairs, True)


# --- recover.pyx ---------------------------------------------------------------------------


class _Recovery:
    """Merges the bytes of tokens, which are numbers."""

    def __init__(self, byte_tokens: Mapping[int, int]) -> None:
        self.byte_tokens = byte_tokens
        self.pairs: dict[tuple[int, int], tuple[int, int]] = {}

    def merge(self, token: bytes,
              applied: Callable[[int, int], object] = lambda rank, place: None) -> list[int]:
        """What is left of a token. A byte that is no token is -1, which nothing joins."""
        return merge_by_rank([self.byte_tokens.get(byte, -1) for byte in token], self.pairs,
                             applied)


def _recovery(tokens: Sequence[bytes]) -> _Recovery:
    return _Recovery({token[0]: place for place, token in enumerate(tokens) if len(token) == 1})


def last_merges(tokens: Sequence[bytes], lefts: Sequence[int], rights: Sequence[int],
                made: Sequence[int]) -> tuple[Numbers, Numbers]:
    """For each token, the numbers of the two tokens that are joined to make it; -1 if none are."""
    recovery = _recovery(tokens)
    for rank, (left, right, result) in enumerate(zip(lefts, rights, made)):
        if (left, right) in recovery.pairs:
            raise ValueError(f"merge {rank} is ({left}, {right}), which is there already")
        recovery.pairs[left, right] = rank, result
    left_parts = array("i", [-1]) * len(tokens)
    right_parts = array("i", [-1]) * len(tokens)
    ranks: list[int] = []
    for place, token in enumerate(tokens):
        ranks.clear()
        parts = recovery.merge(token, lambda rank, at: ranks.append(rank))
        if len(parts) == 1 and ranks:
            left_parts[place], right_parts[place] = lefts[ranks[-1]], rights[ranks[-1]]
    return left_parts, right_parts


def merges_of_ranks(tokens: Sequence[bytes]) -> tuple[Numbers, Numbers]:
    """The same for tiktoken's ranks: two neighbours are joined if together they are a token."""
    recovery = _recovery(tokens)
    left_parts = array("i", [-1]) * len(tokens)
    right_parts = array("i", [-1]) * len(tokens)
    for place, token in enumerate(tokens):
        parts = recovery.merge(token)
        if len(token) > 1 and len(parts) == 2:
            left_parts[place], right_parts[place] = parts
            recovery.pairs.setdefault((parts[0], parts[1]), (place, place))
    return left_parts, right_parts


def merges_of_any_ranks(tokens: Sequence[bytes]) -> tuple[Numbers, Numbers]:
    """The same for ranks in which a token may need others of a higher rank, or is made by none."""
    recovery = _recovery(tokens)
    places = {token: place for place, token in enumerate(tokens)}
    making: list[dict[tuple[int, int], tuple[int, int]]] = []
    for made, token in enumerate(tokens):
        cuts = [(token[:cut], token[cut:]) for cut in range(1, len(token))]
        making.append({(places[left], places[right]): (made, made) for left, right in cuts
                       if left in places and right in places})
        recovery.pairs |= making[-1]
    left_parts = array("i", [-1]) * len(tokens)
    right_parts = array("i", [-1]) * len(tokens)
    for place, token in enumerate(tokens):
        for pair in making[place]:  # so that the last merge does not happen
            del recovery.pairs[pair]
        parts = recovery.merge(token)
        if len(parts) == 2 and (parts[0], parts[1]) in making[place]:
            left_parts[place], right_parts[place] = parts
        recovery.pairs |= making[place]
    return left_parts, right_parts


def parts_left(columns: MergeColumns, words: Sequence[bytes]) -> list[int]:
    """How many parts the merges leave of each word."""
    recovery = _Recovery({byte: byte for byte in range(256)})
    for rank, pair in enumerate(zip(columns.lefts, columns.rights)):
        recovery.pairs[pair] = rank, 256 + rank
    return [len(recovery.merge(word)) for word in words]


# --- rank_lines.pyx, json_counts.pyx -------------------------------------------------------


def read_rank_lines(data: bytes) -> dict[bytes, int] | None:
    """Nothing: the reader then goes through the lines one by one."""
    return None


def counts_of_text(text: bytes) -> tuple[int, int, int]:
    """Of a JSON text: entries of objects, digits of the longest number, about how many values."""
    outside = re.sub(rb'"[^"\\]*(?:\\.[^"\\]*)*"', b'""', text, flags=re.DOTALL)
    digits = max(map(len, re.findall(rb"[0-9]+", outside)), default=0)
    return outside.count(b":"), digits, sum(map(outside.count, (b",", b"[", b"{")))


def count_entries(value: object) -> int:
    """How many entries all the objects in what `json.loads` returned have."""
    if isinstance(value, dict):
        return len(value) + sum(map(count_entries, value.values()))
    return sum(map(count_entries, value)) if isinstance(value, list) else 0
