"""Counting pretokens, in files and in texts, with the fastest stage that knows the pattern."""

import io
from collections.abc import Iterable
from os import PathLike
from types import ModuleType

from cs336_bpe import stages
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import GPT2_PATTERN, check_errors, check_special_tokens, check_workers, is_gpt2
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.utf8 import as_utf8

__all__ = ["PretokenCounts", "count_pretokens", "count_pretokens_in"]

Path = str | PathLike[str]


def count_pretokens(
    input_path: Path | Iterable[Path],
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    errors: str = "strict",
    workers: int | None = None,
    block_bytes: int = DEFAULT_BLOCK_BYTES,
    progress: Progress = None,
    safe_cut: str | None = None,
    stage: str | None = None,
) -> PretokenCounts:
    """How often each pretoken occurs in a text file, or in several.

    Files are read in blocks of about `block_bytes`, so memory does not grow with their size. With
    GPT-2's pattern, blocks are cut at white space, and `workers` are threads. Any other pattern
    runs through `regex`, and `workers` are processes; blocks are then cut after special tokens, or
    before `safe_cut`: a string of which you know that, with your pattern, a pretoken always ends
    before it, and that nothing in the pattern looks across that place. With neither, a file is
    read as a whole.
    """
    specials = check_special_tokens(special_tokens)
    paths = check_paths(input_path)
    if safe_cut is not None and not (isinstance(safe_cut, str) and safe_cut):
        raise TypeError(f"safe_cut is {safe_cut!r}; it must be a string that is not empty")
    module = find_stage(pattern, stage)
    options = {} if safe_cut is None or is_gpt2(pattern) else {"safe_cut": safe_cut}
    total = PretokenCounts()
    for path in paths:
        counts = module.count_pretokens(
            path, specials, pattern=pattern, errors=errors, workers=workers,
            block_bytes=block_bytes, progress=progress, **options)
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
    if not is_gpt2(pattern):
        check_workers(workers)
        count_text = stages.find("pretokenize", "stage01").load().count_text
        counts = count_text(decode(data, errors, "the text"), specials, pattern, progress)
        assert isinstance(counts, PretokenCounts)
        return counts
    reader = BlockReader(io.BytesIO(data), "the text", Cutter(specials, pattern, errors),
                         DEFAULT_BLOCK_BYTES, end=len(data))
    with reporting(progress, "count", len(data)) as report:
        native = stages.find("pretokenize").load()
        counts = native.count_blocks(reader, specials, errors, check_workers(workers), report)
        assert isinstance(counts, PretokenCounts)
        return counts


def check_paths(input_path: Path | Iterable[Path]) -> list[Path]:
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


def find_stage(pattern: str, stage: str | None) -> ModuleType:
    """The stage asked for; by default the fastest that can run the pattern."""
    if stage is None and not is_gpt2(pattern):
        stage = "stage03"
    return stages.find("pretokenize", stage).load()
