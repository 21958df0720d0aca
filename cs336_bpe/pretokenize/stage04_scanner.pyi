from collections.abc import Iterable
from os import PathLike

from cs336_bpe.counts import PretokenCounts
from cs336_bpe.progress import Progress

def count_pretokens(
    input_path: str | PathLike[str],
    special_tokens: Iterable[str],
    *,
    pattern: str = ...,
    errors: str = "strict",
    workers: int | None = None,
    block_bytes: int = ...,
    progress: Progress = None,
) -> PretokenCounts: ...
def pretokens(text: bytes) -> list[bytes]: ...
