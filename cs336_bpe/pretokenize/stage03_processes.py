"""Stage 03: a pool of processes, each with its own part of the file.

Unlike stage 02, which counts all blocks in one process, this one cuts the file into chunks, at
places where it may be cut, and lets each process count some of them. The counts of all chunks are
added up.

Cost: that of stage 02, divided by the processes; plus starting them, and pickling each chunk's
counts on their way back.
Memory: a block, and a table of counts, in each process.
Expect: up to twice as fast on two cores, if the file is large. More processes than cores only add
to the costs; docs/pretokenize/stage03_processes.md measures it.
Trap: send offsets to the processes, not text, which the parent would have to read and pickle alone.
"""

import multiprocessing
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from os import PathLike, fspath
from typing import Any, BinaryIO

from cs336_bpe.common.families import end_with_parent
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

CHUNKS_A_WORKER = 4  # so that a worker that is done early finds something to do
MAX_PROCESSES = 256
WINDOW = 1 << 12  # bytes that are looked at to find a place to cut

Options = tuple[list[str], str, str, int]

_stop: Any = None  # in a worker: shared memory, which is 1 when the work is to end early


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
    check_pattern(pattern)
    num_workers = min(check_workers(workers), MAX_PROCESSES)
    check_size("block_bytes", block_bytes, 1)
    path = fspath(input_path)
    options = (specials, pattern, errors, block_bytes)
    counts: Counter[str] = Counter()
    with open_text(path) as file:
        size = file_size(file)
        with reporting(progress, "count", size or 0) as report:
            if size is None or num_workers == 1:  # nobody can jump into the middle of a pipe
                counts = count_range(file, path, 0, size, options, report)
            else:
                cutter = Cutter(specials, pattern, errors)
                borders = find_chunk_borders(file, size, num_workers * CHUNKS_A_WORKER, cutter)
                chunks = [(path, start, end, options) for start, end in zip(borders, borders[1:])]
                num_workers = min(num_workers, len(chunks))
                context = multiprocessing.get_context(start_method())
                # Not an Event: who is killed while it looks would keep the lock that is in one.
                stop = context.RawValue("b", 0)
                with ProcessPoolExecutor(num_workers, context, initialize, (stop,)) as pool:
                    try:
                        add_up(counts, pool.map(count_chunk, chunks), borders, report)
                    except BaseException:
                        stop.value = 1  # each worker ends after its block
                        pool.shutdown(cancel_futures=True)
                        raise
    return PretokenCounts((pretoken.encode(), n) for pretoken, n in counts.items())


def add_up(counts: Counter[str], results: Iterable[Counter[str]], borders: list[int],
           report: Callable[[int], None]) -> None:
    """Add the counts of the chunks, in the file's order, so that its first error is raised."""
    for end, result in zip(borders[1:], results):
        for pretoken, n in result.items():
            counts[pretoken] += n
        report(end)


def find_chunk_borders(file: BinaryIO, size: int, num_chunks: int,
                       cutter: Cutter) -> list[int]:
    """Cut the file into about `num_chunks` parts of about equal size, where it may be cut.

    From the place where a chunk should end, look at a window of the file, and at a larger one if
    there is no cut in it. The window begins earlier: what spans a cut begins before it, and where
    the cut is the end of a special token, what spans the beginning of that begins earlier still.
    """
    borders = [0]
    last = 0
    for number in range(1, num_chunks):
        wanted = size * number // num_chunks
        start = max(last, wanted - 2 * cutter.longest - 4)
        length = WINDOW + 3 * cutter.longest
        cut = 0
        while not cut and start < size:
            file.seek(start)
            window = file.read(length)
            cut = cutter.last_cut(window, len(window), first=wanted - start + 1)
            if start + length >= size:
                break
            length *= 2
        if cut and last < start + cut < size:
            last = start + cut
            borders.append(last)
    borders.append(size)
    return borders


def start_method() -> str:
    """Forking is quick, but not safe when other threads run; then start afresh."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


def initialize(stop: Any) -> None:
    global _stop
    _stop = stop
    end_with_parent()


def count_chunk(chunk: tuple[str, int, int, Options]) -> Counter[str]:
    """Count one part of a file, in a worker."""
    path, start, end, options = chunk
    with open_text(path) as file:
        return count_range(file, path, start, end, options, lambda done: None)


def count_range(file: BinaryIO, name: str, start: int, end: int | None, options: Options,
                report: Callable[[int], None]) -> Counter[str]:
    """Count a part of an open file, block by block."""
    specials, pattern, errors, block_bytes = options
    find = check_pattern(pattern).findall
    cutter = Cutter(specials, pattern, errors)
    reader = BlockReader(file, name, cutter, block_bytes, start, end)
    counts: Counter[str] = Counter()
    buffer = bytearray()
    while block := reader.read_into(buffer):
        text = decode(bytes(buffer[:block]), errors, name, reader.offset - block)
        for document in split_at_specials(text, specials):
            counts.update(filter(None, find(document)))
        report(reader.offset)
        if _stop is not None and _stop.value:
            break
    return counts
