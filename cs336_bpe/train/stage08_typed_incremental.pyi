from collections.abc import Mapping

from cs336_bpe.interface import Pair, TieBreak
from cs336_bpe.progress import Progress

def learn_merges(
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    tie_break: TieBreak = "lexicographic",
    progress: Progress = None,
) -> list[Pair]: ...
