from collections.abc import Callable, Iterable
from os import PathLike

from cs336_bpe.common.progress import Progress
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.text.blocks import Reader

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
def count_blocks(
    reader: Reader,
    specials: list[str],
    pattern: str,
    errors: str,
    workers: int,
    report: Callable[[int], None],
) -> PretokenCounts: ...
