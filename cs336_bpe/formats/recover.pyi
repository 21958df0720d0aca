from array import array
from collections.abc import Sequence

from cs336_bpe.formats.merge_columns import MergeColumns

def last_merges(
    tokens: Sequence[bytes], lefts: Sequence[int], rights: Sequence[int], made: Sequence[int]
) -> tuple[array[int], array[int]]: ...
def merges_of_ranks(tokens: Sequence[bytes]) -> tuple[array[int], array[int]]: ...
def parts_left(columns: MergeColumns, words: Sequence[bytes]) -> list[int]: ...
