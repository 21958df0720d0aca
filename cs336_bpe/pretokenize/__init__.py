"""Counting pretokens, in files and in texts, with the fastest stage that knows the pattern.

Which stages these are is written here, and not taken from the order of the registry: a new stage
changes nothing until somebody puts its name below.
"""

import io
from collections.abc import Iterable
from os import PathLike

from cs336_bpe import stages
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.patterns.known import can_compile, may_leave_gaps
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.pretokenize.stage01_whole_text import count_text
from cs336_bpe.pretokenize.unmatched import SAMPLE_BYTES, UnmatchedWarning, warn_if_unmatched
from cs336_bpe.rules import (
    GPT2_PATTERN,
    CountBlocks,
    check_errors,
    check_special_tokens,
    check_workers,
    require_pattern,
)
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, open_text
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.utf8 import as_utf8

__all__ = ["PretokenCounts", "UnmatchedWarning", "count_pretokens", "count_pretokens_in"]


ENGINE = "stage11_threads"  # it has `count_blocks` too, for text in memory
ANY_PATTERN_STAGE = "stage03_processes"  # for patterns that can't be compiled


def count_pretokens(
    input_path: AnyPath | Iterable[AnyPath],
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    errors: str = "strict",
    workers: int | None = None,
    block_bytes: int = DEFAULT_BLOCK_BYTES,
    progress: Progress = None,
    stage: str | None = None,
) -> PretokenCounts:
    """How often each pretoken occurs in a text file, or in several.

    `pattern` is a name (see `PATTERNS`) or a regular expression. Files are read in blocks of about
    `block_bytes`, so memory does not grow with their size, and `workers` are threads. A pattern
    that can't be compiled (docs/patterns/index.md) runs through `regex`, and a message says why:
    then `workers` are processes, and blocks are cut after special tokens only. Without these, a
    file is read as a whole.
    """
    specials = check_special_tokens(special_tokens)
    paths = check_paths(input_path)
    require_pattern(pattern)
    if stage is None:
        stage = ENGINE if can_compile(pattern) else ANY_PATTERN_STAGE
    count = stages.find("pretokenize", stage).load().count_pretokens
    total = PretokenCounts()
    for path in paths:
        if may_leave_gaps(pattern):
            with open_text(path) as file:
                warn_if_unmatched(file.read(SAMPLE_BYTES) if file.seekable() else b"", specials,
                                  pattern)
        counts = count(
            path, specials, pattern=pattern, errors=errors, workers=workers,
            block_bytes=block_bytes, progress=progress)
        if total:
            total += counts
        else:
            total = counts
    return total


def count_pretokens_in(
    text: str | bytes,
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    errors: str = "strict",
    workers: int | None = None,
    progress: Progress = None,
) -> PretokenCounts:
    """How often each pretoken occurs in a text, or in its UTF-8 bytes.

    >>> count_pretokens_in("one, two<|end|>one", ["<|end|>"]).top(2)
    [(b'one', 2), (b' two', 1)]
    """
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    if isinstance(text, str):
        data = as_utf8(text)
    elif isinstance(text, (bytes, bytearray, memoryview)):
        data = bytes(text)
    else:
        raise TypeError(f"text is a {type(text).__name__}; it must be str or bytes (for a file, "
                        f"use count_pretokens)")
    require_pattern(pattern)
    if may_leave_gaps(pattern):
        warn_if_unmatched(data, specials, pattern)
    if not can_compile(pattern):
        check_workers(workers)
        return count_text(decode(data, errors, "the text"), specials, pattern, progress)
    reader = BlockReader(io.BytesIO(data), "the text", Cutter(specials, pattern, errors),
                         DEFAULT_BLOCK_BYTES, end=len(data))
    count_blocks: CountBlocks = stages.find("pretokenize", ENGINE).load().count_blocks
    with reporting(progress, "count", len(data)) as report:
        counts = count_blocks(reader, specials, pattern, errors, check_workers(workers),
                              report)
    assert isinstance(counts, PretokenCounts)
    return counts


def check_paths(input_path: AnyPath | Iterable[AnyPath]) -> list[AnyPath]:
    if isinstance(input_path, (str, PathLike)):
        return [input_path]
    if isinstance(input_path, (bytes, bytearray)) or not isinstance(input_path, Iterable):
        raise TypeError(f"input_path is {input_path!r}; it must be the path of a file (str or "
                        f"os.PathLike), or a list of paths")
    paths = list(input_path)
    for place, path in enumerate(paths):
        if not isinstance(path, (str, PathLike)):
            raise TypeError(f"input_path[{place}] is {path!r}; it must be a str or an os.PathLike")
    return paths

