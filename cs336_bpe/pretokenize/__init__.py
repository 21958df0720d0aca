"""Counting pretokens, in files and in texts, with the fastest stage that knows the pattern.

Which stages these are is written here, and not taken from the order of the registry: a new stage
changes nothing until somebody puts its name below.
"""

import io
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any

from cs336_bpe import stages
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.common.tasks import IN_FLIGHT
from cs336_bpe.inputs import Corpus, Part, gather, split, texts_reader
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.pretokenize.over_tasks import PART_BYTES, CountTask, Packed, count_with, pack_counts
from cs336_bpe.rules import (
    GPT2_PATTERN,
    CountBlocks,
    check_errors,
    check_pattern,
    check_size,
    check_special_tokens,
    check_workers,
    is_gpt2,
)
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, Reader, decode
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.specials import split_at_specials
from cs336_bpe.text.utf8 import as_utf8

__all__ = ["PretokenCounts", "count_pretokens", "count_pretokens_in"]


GPT2_STAGE = "stage08_threads"  # it has `count_blocks` too, for text in memory
ANY_PATTERN_STAGE = "stage03_processes"


def count_pretokens(
    input_path: AnyPath | Iterable[AnyPath] | Corpus,
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    errors: str = "strict",
    workers: int | None = None,
    block_bytes: int = DEFAULT_BLOCK_BYTES,
    progress: Progress = None,
    safe_cut: str | None = None,
    stage: str | None = None,
    input_format: str | None = None,
    field: str = "text",
    specials_in_documents: bool = False,
    executor: Executor | None = None,
    part_bytes: int = PART_BYTES,
    in_flight: int = IN_FLIGHT,
    checkpoint: AnyPath | None = None,
) -> PretokenCounts:
    """How often each pretoken occurs in a file, or in several.

    Files may be text, compressed text, JSON lines or parquet, and a folder stands for all files in
    it: docs/corpora/inputs.md. They are recognised by their content; `input_format` overrules that.
    `field` has the text of JSON lines and is the column of a parquet file. A special token in the
    text of such a document is text, unless `specials_in_documents`.

    Files are read in blocks of about `block_bytes`, so memory does not grow with their size. With
    GPT-2's pattern, blocks are cut at white space, and `workers` are threads. Any other pattern
    runs through `regex`, and `workers` are processes; blocks are then cut after special tokens, or
    before `safe_cut`: a string at which your pattern always starts a new pretoken, and past which
    nothing in it looks. With neither, a file is read as a whole.

    With an `executor`, other processes or machines count parts of `part_bytes`, each with `workers`
    threads (one, if that is not given): docs/distributed.md. At most `in_flight` parts are under
    way or waiting to be added up. A `checkpoint` is a folder in which the sum is kept while the
    work lasts, so that it can be stopped and continued by the same call.
    """
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    num_workers = check_workers(workers)
    check_size("block_bytes", block_bytes, 1)
    if safe_cut is not None and not (isinstance(safe_cut, str) and safe_cut):
        raise TypeError(f"safe_cut is {safe_cut!r}; it must be a string that is not empty")
    corpus = (input_path if isinstance(input_path, Corpus)
              else Corpus(input_path, input_format=input_format, field=field))
    if executor is not None:
        if stage is not None:
            raise ValueError("give either a stage or an executor")
        options_of_tasks = (corpus.field, tuple(specials), pattern, errors, block_bytes, safe_cut,
                            specials_in_documents, check_workers(1 if workers is None else workers))
        return _count_with(executor, corpus, options_of_tasks, part_bytes, in_flight, checkpoint,
                           progress)
    if checkpoint is not None:
        raise ValueError("a checkpoint is kept only with an executor; give one, such as "
                         "ProcessPoolExecutor()")
    by_files = stage is not None or not is_gpt2(pattern)
    if by_files and corpus.is_plain_text and not corpus.has_streams:
        name = ANY_PATTERN_STAGE if stage is None else stage
        count = stages.find("pretokenize", name).load().count_pretokens
        options = {} if safe_cut is None or is_gpt2(pattern) else {"safe_cut": safe_cut}
        total = PretokenCounts()
        for source in corpus.inputs:
            counts = count(source.path, specials, pattern=pattern, errors=errors, workers=workers,
                           block_bytes=block_bytes, progress=progress, **options)
            total = total + counts if total else counts
        return total
    if stage is not None:
        raise ValueError(f"stage is {stage!r}, but a stage reads plain text only; this is "
                         f"{corpus.in_words}")
    with reporting(progress, "count", corpus.size) as report:
        return count_corpus(corpus, specials, pattern, errors, num_workers, block_bytes, report,
                            safe_cut, specials_in_documents)


def _count_with(executor: Executor, corpus: Corpus, options: tuple[Any, ...], part_bytes: int,
                in_flight: int, checkpoint: AnyPath | None, progress: Progress) -> PretokenCounts:
    _, specials, pattern, errors, _, safe_cut, *_ = options
    check_pattern(pattern)
    corpus.check_no_streams()
    can_cut = Cutter(specials, pattern, errors, safe_cut).pattern is not None
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
        task.safe_cut, task.specials_in_documents, task.parts)
    return pack_counts(counts)


def count_corpus(
    corpus: Corpus,
    specials: list[str],
    pattern: str,
    errors: str,
    workers: int,
    block_bytes: int,
    report: Callable[[int], None],
    safe_cut: str | None = None,
    specials_in_documents: bool = False,
    parts: Iterable[Part] | None = None,
) -> PretokenCounts:
    """Count a corpus, or some parts of it; the arguments have been checked."""
    cutter = Cutter(specials, pattern, errors, safe_cut)
    with corpus.reader(cutter, block_bytes, errors, parts=parts,
                       specials_in_documents=specials_in_documents) as reader:
        return count_reader(reader, specials, pattern, errors, workers, report)


def count_reader(reader: Reader, specials: list[str], pattern: str, errors: str, workers: int,
                 report: Callable[[int], None]) -> PretokenCounts:
    """Count what a reader gives out: GPT-2's pattern with threads, any other with `regex`."""
    if is_gpt2(pattern):
        count_blocks: CountBlocks = stages.find("pretokenize", GPT2_STAGE).load().count_blocks
        counts = count_blocks(reader, specials, errors, workers, report)
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
    check_errors(errors)
    num_workers = check_workers(workers)
    reader: Reader
    size = 0
    if isinstance(text, (str, bytes, bytearray, memoryview)):
        data = as_utf8(text) if isinstance(text, str) else bytes(text)
        size = len(data)
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
