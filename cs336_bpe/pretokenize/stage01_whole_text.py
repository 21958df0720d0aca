"""Stage 01: the definition. Read the whole text, split it with the pattern, count.

Special tokens cut the text first, so that no pretoken reaches across one and none is counted.

Cost: one step of the regex engine per character, one Python string per pretoken.
Memory: the file, its text, and a list of the pretokens of one document at a time.
Trap: a special token may contain characters that mean something in a regex, and one may be the
beginning of another; see `split_at_specials`.
"""

from collections import Counter
from collections.abc import Iterable
from os import PathLike

from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import (
    GPT2_PATTERN,
    check_errors,
    check_pattern,
    check_special_tokens,
    check_workers,
)
from cs336_bpe.text.blocks import decode, open_text
from cs336_bpe.text.specials import split_at_specials


def count_pretokens(
    input_path: str | PathLike[str],
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    errors: str = "strict",
    workers: int | None = None,
    block_bytes: int | None = None,
    progress: Progress = None,
) -> PretokenCounts:
    """How often each pretoken occurs in a file. (`block_bytes` is what other stages have; here
    the whole file is one block.)"""
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    check_workers(workers, most=1)
    check_pattern(pattern)
    with open_text(input_path) as file:
        text = decode(file.read(), errors, input_path)
    return count_text(text, specials, pattern, progress)


def count_text(text: str, specials: list[str], pattern: str, progress: Progress) -> PretokenCounts:
    """How often each pretoken occurs in a text."""
    find = check_pattern(pattern).findall
    counts: Counter[str] = Counter()
    with reporting(progress, "count", len(text)) as report:
        done = 0
        for document in split_at_specials(text, specials):
            counts.update(filter(None, find(document)))  # an empty match is no pretoken
            done += len(document)
            report(done)
        report(len(text))
    return PretokenCounts((pretoken.encode(), n) for pretoken, n in counts.items())
