from array import array
from collections.abc import Iterable
from typing import NamedTuple

from cs336_bpe.rules import Pair

class MergeColumns(NamedTuple):
    ids: array[int]
    lefts: array[int]
    rights: array[int]
    pairs: list[Pair]
    all_happen: bool = False

def from_printables(texts: Iterable[str]) -> list[bytes | None]: ...
def not_printable(texts: Iterable[str]) -> list[str]: ...
def columns_of_parts(
    tokens: list[bytes], ids: list[int], lefts: array[int], rights: array[int]
) -> MergeColumns: ...
def columns_of_ranked(ids: dict[bytes, int], merges: list[object]) -> MergeColumns | None: ...
def are_in_order(columns: MergeColumns) -> bool: ...
def columns_of(
    ids: dict[bytes, int], merges: object, *, printable: bool = False, in_order: bool = True
) -> MergeColumns | None: ...
