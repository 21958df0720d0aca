from typing import Any

from cs336_bpe.pretokenize.counts import PretokenCounts

class Total:
    def add(self, text: bytes, lengths: Any, counts: Any) -> None: ...
    def as_counts(self) -> PretokenCounts: ...
