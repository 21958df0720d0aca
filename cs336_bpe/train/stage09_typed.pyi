from collections.abc import Mapping

from cs336_bpe.common.progress import Progress
from cs336_bpe.rules import Pair, TieBreak

def learn_merges(
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    tie_break: TieBreak = "lexicographic",
    progress: Progress = None,
) -> list[Pair]: ...
