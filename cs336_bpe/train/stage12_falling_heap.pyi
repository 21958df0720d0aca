from collections.abc import Mapping
from typing import Any

from cs336_bpe.common.progress import Progress
from cs336_bpe.rules import Pair, TieBreak

def learn_merges(
    counts: Mapping[bytes, int],
    num_merges: int,
    *,
    tie_break: TieBreak = "lexicographic",
    progress: Progress = None,
) -> list[Pair]: ...

class Trainer:
    def __init__(self, counts: Mapping[bytes, int], tie_break: TieBreak) -> None: ...
    def merge_until(self, goal: int) -> int: ...
    def finish(self) -> list[Pair]: ...
    def state(self) -> dict[str, Any]: ...
