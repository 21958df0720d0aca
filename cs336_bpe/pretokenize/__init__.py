"""Counting pretokens, in files and in texts, with the fastest stage that knows the pattern.

Which stages these are is written here, and not taken from the order of the registry: a new stage
changes nothing until somebody puts its name below.
"""

import io
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from cs336_bpe import stages
from cs336_bpe.common.limits import IN_FLIGHT, PART_BYTES
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.inputs import Corpus, Part, gather, split, texts_reader
from cs336_bpe.patterns.known import can_compile, may_leave_gaps
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.pretokenize.over_tasks import CountTask, Packed, count_with, pack_counts
from cs336_bpe.pretokenize.unmatched import SAMPLE_BYTES, UnmatchedWarning, warn_if_unmatched
from cs336_bpe.rules import (
    GPT2_PATTERN,
    CountBlocks,
    check_errors,
    check_pattern,
    check_size,
    check_special_tokens,
    check_workers,
    require_pattern,
)
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, Reader, decode
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.specials import split_at_specials
from cs336_bpe.text.utf8 import as_utf8

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["PretokenCounts", "UnmatchedWarning", "count_pretokens", "count_pretokens_in"]


ENGINE = "stage12_rolling"  # it has `count_blocks` too, for text in memory
ANY_PATTERN_STAGE = "stage03_processes"  # for patterns that can't be compiled


def count_pretokens(
    input_path: AnyPath | Iterable[AnyPath] | Corpus,
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    errors: str = "strict",
    workers: int | None = None,
    block_bytes: int = DEFAULT_BLOCK_BYTES,
    progress: Progress = None,
    stage: str | None = None,
    input_format: str | None = None,
    field: str = "text",
    specials_in_documents: bool = False,
    executor: "Executor | None" = None,
    part_bytes: int = PART_BYTES,
    in_flight: int = IN_FLIGHT,
    checkpoint: AnyPath | None = None,
) -> PretokenCounts:
    """How often each pretoken occurs in a file, or in several.

    Files may be text, compressed text, JSON lines or parquet, and a folder stands for all files in
    it: docs/corpora/inputs.md. They are recognised by their content; `input_format` overrules that.
    `field` has the text of JSON lines and is the column of a parquet file. A special token in the
    text of such a document is text, unless `specials_in_documents`.

    `pattern` is a name (see `PATTERNS`) or a regular expression. Files are read in blocks of about
    `block_bytes`, so memory does not grow with their size, and `workers` are threads. A pattern
    that can't be compiled (docs/patterns/index.md) runs through `regex`, and a message says why:
    then `workers` are processes, and blocks are cut after special tokens only. Without these, a
    file is read as a whole.

    With an `executor`, other processes or machines count parts of `part_bytes`, each with `workers`
    threads (one, if that is not given): docs/distributed.md. At most `in_flight` parts are under
    way or waiting to be added up. A `checkpoint` is a folder in which the sum is kept while the
    work lasts, so that it can be stopped and continued by the same call.
    """
    specials = check_special_tokens(special_tokens)
    require_pattern(pattern)
    check_errors(errors)
    num_workers = check_workers(workers)
    check_size("block_bytes", block_bytes, 1)
    corpus = (input_path if isinstance(input_path, Corpus)
              else Corpus(input_path, input_format=input_format, field=field))
    if may_leave_gaps(pattern):
        for source in corpus.plain_files:
            with source.open() as file:
                warn_if_unmatched(file.read(SAMPLE_BYTES), specials, pattern)
    if executor is not None:
        if stage is not None:
            raise ValueError("give either a stage or an executor")
        options_of_tasks = (corpus.field, tuple(specials), pattern, errors, block_bytes,
                            specials_in_documents, check_workers(1 if workers is None else workers))
        return _count_with(executor, corpus, options_of_tasks, part_bytes, in_flight, checkpoint,
                           progress)
    if checkpoint is not None:
        raise ValueError("a checkpoint is kept only with an executor; give one, such as "
                         "ProcessPoolExecutor()")
    by_files = stage is not None or not can_compile(pattern)
    if by_files and corpus.is_plain_text and not corpus.has_streams:
        name = ANY_PATTERN_STAGE if stage is None else stage
        count = stages.find("pretokenize", name).load().count_pretokens
        total = PretokenCounts()
        for source in corpus.inputs:
            source.check_unchanged()
            counts = count(source.path, specials, pattern=pattern, errors=errors, workers=workers,
                           block_bytes=block_bytes, progress=progress)
            total = total + counts if total else counts
        return total
    if stage is not None:
        raise ValueError(f"stage is {stage!r}, but a stage reads plain text only; this is "
                         f"{corpus.in_words}")
    with reporting(progress, "count", corpus.size) as report:
        return count_corpus(corpus, specials, pattern, errors, num_workers, block_bytes, report,
                            specials_in_documents)


def _count_with(executor: "Executor", corpus: Corpus, options: tuple[Any, ...], part_bytes: int,
                in_flight: int, checkpoint: AnyPath | None, progress: Progress) -> PretokenCounts:
    _, specials, pattern, errors, *_ = options
    check_pattern(pattern)
    corpus.check_no_streams()
    can_cut = Cutter(specials, pattern, errors).can_cut
    chunks = gather(split(corpus.inputs, check_size("part_bytes", part_bytes, 1),
                          field=corpus.field, can_cut=can_cut), part_bytes)
    tasks = [CountTask(tuple(parts), *options) for parts in chunks]
    with reporting(progress, "count", corpus.size) as report:
        return count_with(executor, tasks, count_task, report,
                          check_size("in_flight", in_flight, 1), checkpoint)


def count_task(task: CountTask) -> Packed:
    """Count some parts, in a worker."""
    counts = count_corpus(
        Corpus.of([part.source for part in task.parts], task.field), list(task.specials),
        task.pattern, task.errors, task.workers, task.block_bytes, lambda done: None,
        task.specials_in_documents, task.parts)
    return pack_counts(counts)


def count_corpus(
    corpus: Corpus,
    specials: list[str],
    pattern: str,
    errors: str,
    workers: int,
    block_bytes: int,
    report: Callable[[int], None],
    specials_in_documents: bool = False,
    parts: Iterable[Part] | None = None,
) -> PretokenCounts:
    """Count a corpus, or some parts of it; the arguments have been checked."""
    cutter = Cutter(specials, pattern, errors)
    with corpus.reader(cutter, block_bytes, errors, parts=parts,
                       specials_in_documents=specials_in_documents) as reader:
        return count_reader(reader, specials, pattern, errors, workers, report)


def count_reader(reader: Reader, specials: list[str], pattern: str, errors: str, workers: int,
                 report: Callable[[int], None]) -> PretokenCounts:
    """Count what a reader gives out: with threads if the pattern compiles, else with `regex`."""
    if can_compile(pattern):
        count_blocks: CountBlocks = stages.find("pretokenize", ENGINE).load().count_blocks
        counts = count_blocks(reader, specials, pattern, errors, workers, report)
        assert isinstance(counts, PretokenCounts)
        return counts
    find = check_pattern(pattern).findall
    found: Counter[str] = Counter()
    buffer = bytearray()
    done = 0
    while (block := reader.read_block(buffer)) is not None:
        packing = block.packing
        for number, data in enumerate(block.texts()):
            name, offset = block.name, block.offset
            if packing is not None:
                name, offset = packing.place(number) if not data.isascii() else "", 0
            text = decode(data, errors, name, offset)
            with_specials = packing is None or packing.specials
            for document in split_at_specials(text, specials if with_specials else []):
                found.update(find(document))
        done += block.input_bytes
        report(done)
    return PretokenCounts((pretoken.encode(), n) for pretoken, n in found.items())


def count_pretokens_in(
    text: str | bytes | Iterable[str | bytes],
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    errors: str = "strict",
    workers: int | None = None,
    progress: Progress = None,
    field: str = "text",
    specials_in_documents: bool = False,
) -> PretokenCounts:
    """How often each pretoken occurs in a text, or in many.

    A text is `str`, or its UTF-8 bytes. Many texts come as any iterable of these: a list, a
    generator, a column of a `datasets.Dataset` (or the dataset itself, with `field`). They are
    packed into blocks, so short ones cost no more than a part of a long one. Each is a document of
    its own: no pretoken spans two, and a special token in it is text unless
    `specials_in_documents`.

    >>> count_pretokens_in("one, two<|end|>one", ["<|end|>"]).top(2)
    [(b'one', 2), (b' two', 1)]
    >>> count_pretokens_in(["one two", "one"], ["<|end|>"]).top(2)
    [(b'one', 2), (b' two', 1)]
    """
    specials = check_special_tokens(special_tokens)
    require_pattern(pattern)
    check_errors(errors)
    num_workers = check_workers(workers)
    reader: Reader
    size = 0
    if isinstance(text, (str, bytes, bytearray, memoryview)):
        data = as_utf8(text) if isinstance(text, str) else bytes(text)
        size = len(data)
        if may_leave_gaps(pattern):
            warn_if_unmatched(data, specials, pattern)
        reader = BlockReader(io.BytesIO(data), "the text", Cutter(specials, pattern, errors),
                             DEFAULT_BLOCK_BYTES, end=size)
    elif isinstance(text, Iterable):
        reader = texts_reader(text, DEFAULT_BLOCK_BYTES, errors, field=field,
                              specials=specials_in_documents)
    else:
        raise TypeError(f"text is a {type(text).__name__}; it must be str or bytes, or an iterable "
                        f"of these (for a file, use count_pretokens)")
    with reporting(progress, "count", size) as report:
        return count_reader(reader, specials, pattern, errors, num_workers, report)
