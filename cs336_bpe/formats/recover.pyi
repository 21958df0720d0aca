from array import array
from collections.abc import Sequence

def last_merges(
    tokens: Sequence[bytes], lefts: Sequence[int], rights: Sequence[int], made: Sequence[int]
) -> tuple[array[int], array[int]]: ...
