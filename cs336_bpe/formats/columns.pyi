from array import array
from collections.abc import Iterable

from cs336_bpe.formats.merge_columns import MergeColumns

def from_printables(texts: Iterable[str]) -> list[bytes | None]: ...
def columns_of_parts(
    tokens: list[bytes], ids: list[int], lefts: array[int], rights: array[int]
) -> MergeColumns: ...
def places_of(
    tokens: list[bytes], merges: list[object]
) -> tuple[array[int], array[int], array[int]] | None: ...
def columns_of(
    ids: dict[bytes, int], merges: object, *, printable: bool = False, in_order: bool = True
) -> MergeColumns | None: ...
