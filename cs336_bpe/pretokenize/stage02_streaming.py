"""Stage 02: block by block, cut only where no pretoken can span.

Unlike stage 01, which holds the whole text in memory, this one reads a block, cuts it at the last
place that is known to be a border of pretokens, counts what is before the cut, and goes on with
what is after it. Such places are found by the two characters around them: after a letter and
before white space, for example, GPT-2's pattern always starts a pretoken, and looks back at
nothing. Which pairs of characters are safe is told by the pattern's automaton
(`patterns/cuts.py`), and a special token must not span the place. With a pattern that can't be
compiled, a text may be cut after a special token.

Cost: that of stage 01.
Memory: the whole text -> one block, and the counts.
Expect: no gain in time. But a file of any size can be counted, with or without special tokens.
Trap: not anywhere between two lines: the pattern lets white space look ahead. `text/cuts.py`
finds the cuts, and docs/pretokenize/cutting.md has the proof.
"""

from collections import Counter
from collections.abc import Iterable
from os import PathLike, fspath

from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import (
    GPT2_PATTERN,
    check_errors,
    check_pattern,
    check_size,
    check_special_tokens,
    check_workers,
)
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, file_size, open_text
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.specials import split_at_specials


def count_pretokens(
    input_path: str | PathLike[str],
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    errors: str = "strict",
    workers: int | None = None,
    block_bytes: int = DEFAULT_BLOCK_BYTES,
    progress: Progress = None,
) -> PretokenCounts:
    """How often each pretoken occurs in a file."""
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    check_workers(workers, most=1)
    check_size("block_bytes", block_bytes, 1)
    find = check_pattern(pattern).findall
    counts: Counter[str] = Counter()
    with open_text(input_path) as file:
        size = file_size(file)
        cutter = Cutter(specials, pattern, errors)
        reader = BlockReader(file, fspath(input_path), cutter, block_bytes, end=size)
        buffer = bytearray()
        with reporting(progress, "count", size or 0) as report:
            while block := reader.read_into(buffer):
                text = decode(bytes(buffer[:block]), errors, input_path, reader.offset - block)
                for document in split_at_specials(text, specials):
                    counts.update(filter(None, find(document)))
                report(reader.offset)
    return PretokenCounts((pretoken.encode(), n) for pretoken, n in counts.items())
