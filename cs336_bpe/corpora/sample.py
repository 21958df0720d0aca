"""Samples of a corpus: some of its documents, chosen at random or 'smart'.

How documents are chosen, by random keys, is in choose.py; what a near-duplicate is, in
near_duplicates.pyx.

The text is read once to know the lengths (and near-duplicates); then the chosen documents are read
again and copied. So memory does not depend on how long documents are: a block, about 50 bytes for
each document of the input and 120 for each that is chosen, and with `smart` 512 bytes for each of
the last million documents that were not near-duplicates.
"""

import os
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from os import fsdecode
from typing import Any, BinaryIO

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.built import is_built
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.corpora.choose import Stratum, choose_at_random, choose_by_length
from cs336_bpe.corpora.documents import DEFAULT_BLOCK_BYTES, Piece, Report, TextDocuments
from cs336_bpe.corpora.other_documents import CorpusDocuments, write_json_lines
from cs336_bpe.corpora.parquet import ParquetDocuments, is_parquet, write_documents, write_rows
from cs336_bpe.corpora.statistics import CharacterCounts, TextStatistics, describe
from cs336_bpe.inputs import Corpus
from cs336_bpe.inputs.arrow import load_pyarrow
from cs336_bpe.rules import END_OF_TEXT, check_size

__all__ = ["SampleReport", "Stratum", "sample"]


@dataclass(frozen=True)
class SampleReport:
    """What was sampled, and what the corpus was like before and after."""

    input: str
    output: str
    smart: bool
    seed: int
    wanted: int  # documents; with a fraction, what that comes to on average
    before: TextStatistics
    after: TextStatistics
    near_duplicates: int  # dropped before sampling
    forgotten: int  # documents that later ones could not be compared with, for lack of memory
    strata: list[Stratum]
    note: str  # if there is something to know, such as that there were fewer than asked for

    def as_json(self) -> dict[str, Any]:
        """As a dict of what JSON has."""
        values = asdict(self)
        for name in ("before", "after"):
            percentiles = values[name]["percentiles"]
            values[name]["percentiles"] = {str(p): value for p, value in percentiles.items()}
        return values


def sample(
    input: AnyPath,
    output: AnyPath,
    *,
    documents: int | None = None,
    fraction: float | None = None,
    smart: bool = False,
    seed: int = 0,
    separator: str = END_OF_TEXT,
    column: str = "text",
    input_format: str | None = None,
    block_bytes: int = DEFAULT_BLOCK_BYTES,
    progress: Progress = None,
) -> SampleReport:
    """Write some documents of one file to another, in their order, and say what they are like.

    Give either `documents`, how many, or `fraction`, how much of all. The input is recognised by
    its content, unless `input_format` says what it is: text with a separator after each document,
    compressed text, JSON lines, parquet, a folder of these (docs/corpora/inputs.md). `column` is
    the column or field that has the text. The output is parquet or JSON lines if its name ends in
    `.parquet` or `.jsonl`; a sample from parquet to parquet keeps all columns, and one from text
    to text is copied as it is.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     corpus, out = Path(folder, "corpus.txt"), Path(folder, "sample.txt")
    ...     _ = corpus.write_text("".join(f"text {i}<|endoftext|>" for i in range(100)))
    ...     report = sample(corpus, out, documents=3)
    ...     print(out.read_text())
    text 0<|endoftext|>text 5<|endoftext|>text 55<|endoftext|>
    >>> report.before.documents, report.after.documents, report.after.bytes
    (100, 3, 19)
    """
    if (documents is None) == (fraction is None):
        raise ValueError("give either documents, how many, or fraction, how much of all")
    if documents is not None:
        documents = check_size("documents", documents, 1)
    elif not (isinstance(fraction, int | float) and 0 < fraction <= 1):
        raise ValueError(f"fraction is {fraction!r}; it must be greater than 0 and at most 1")
    if not (isinstance(separator, str) and separator):
        raise ValueError(f"separator is {separator!r}; it must be a string that is not empty")
    check_size("seed", seed, -(2**63))
    _check_paths(input, output)
    source = _open(input, separator.encode(), column, input_format, block_bytes)

    before, dropped, forgotten = _survey(source, smart, progress)
    total = before.documents
    wanted = round(fraction * total) if fraction is not None else documents or 0
    if smart:
        strata, numbers = choose_by_length(source.lengths, dropped, wanted, seed)
    else:
        strata, numbers = [], choose_at_random(total, documents, fraction, seed)
    after = _write(source, output, numbers, separator.encode(), column, progress)
    return SampleReport(
        fsdecode(input), fsdecode(output), smart, seed, wanted, before, after, sum(dropped),
        forgotten, strata, _note(wanted, total, sum(dropped)))


Source = TextDocuments | ParquetDocuments | CorpusDocuments


def _open(input: AnyPath, separator: bytes, column: str, input_format: str | None,
          block_bytes: int) -> Source:
    check_size("block_bytes", block_bytes, 1)
    if os.path.exists(input) and not (os.path.isfile(input) or os.path.isdir(input)):
        return TextDocuments(input, separator, block_bytes)  # says what is wrong with a pipe
    corpus = Corpus(input, input_format=input_format, field=column)
    if len(corpus.inputs) == 1 and corpus.inputs[0].path == fsdecode(input):
        if corpus.inputs[0].format == "parquet":
            return ParquetDocuments(input, column)
        if corpus.is_plain_text:
            return TextDocuments(input, separator, block_bytes)
    return CorpusDocuments(corpus, separator)


def _check_paths(input: AnyPath, output: AnyPath) -> None:
    same = os.path.realpath(input) == os.path.realpath(output)
    if same or (os.path.exists(output) and os.path.samefile(input, output)):
        raise ValueError(f"input and output are the same file, {fsdecode(input)}; give the sample "
                         f"another name")
    if is_parquet(output):
        load_pyarrow()  # what can go wrong should go wrong before the long part


def _note(wanted: int, total: int, dropped: int) -> str:
    left = total - dropped
    if wanted <= left:
        return ""
    without = f" that are not near-duplicates of another ({total:,} in all)" if dropped else ""
    return f"asked for {wanted:,} documents, but there are {left:,}{without}: all were taken"


# --- Reading: lengths, characters, near-duplicates -----------------------------------------


def _survey(source: Source, smart: bool,
            progress: Progress) -> tuple[TextStatistics, bytearray, int]:
    """Statistics of the whole; for each document whether to drop it; how many were forgotten."""
    characters = CharacterCounts()
    dropped = bytearray()
    seen = None
    if smart:
        if not is_built():
            raise ImportError("near-duplicates are found by a compiled module, which is not built; "
                              "install a C++ compiler, then this package again, or take a random "
                              "sample")
        from cs336_bpe.corpora.near_duplicates import NearDuplicates

        seen = NearDuplicates()
    with reporting(progress, "read", source.size) as report:
        for piece, ends in source.read(report):
            characters.add(piece)
            if seen is not None:
                seen.update(piece)
                if ends:
                    dropped.append(seen.finish())
    characters.white_space -= source.tail  # it came before it was known not to be a document
    return describe(source.lengths, characters), dropped, seen.forgotten if seen else 0


# --- Writing -------------------------------------------------------------------------------


def _write(source: Source, output: AnyPath,
           numbers: Sequence[int], separator: bytes, column: str,
           progress: Progress) -> TextStatistics:
    characters = CharacterCounts()
    lengths = array("Q", (source.lengths[number] for number in numbers))
    # Of a parquet file, whole row groups are read, whatever is chosen from them.
    total = sum(lengths) if isinstance(source, TextDocuments) else source.size
    with atomic_writer(output) as file, reporting(progress, "copy", total) as report:
        if isinstance(source, ParquetDocuments) and is_parquet(output):
            write_rows(file, source.schema, _counted_rows(source, numbers, report, characters))
        elif is_parquet(output):
            whole = _whole(source.copy(numbers, report), characters)
            write_documents(file, column, whole)
        elif fsdecode(output).lower().endswith(".jsonl"):
            write_json_lines(file, column, _whole(source.copy(numbers, report), characters))
        elif not isinstance(source, TextDocuments):
            # The documents first: zip then asks them for one more at the end, and they can tell
            # that a file has become shorter.
            for document, number in zip(_whole(source.copy(numbers, report), characters), numbers):
                if separator in document:
                    raise ValueError(f"document {number} of {fsdecode(source.path)} has the "
                                     f"separator {separator.decode()!r} in its text, which would "
                                     f"make two documents of it; choose another separator")
                file.write(document + separator)
        else:
            _write_text(file, source, numbers, report, characters)
    return describe(lengths, characters)


def _write_text(file: BinaryIO, source: TextDocuments, numbers: Sequence[int], report: Report,
                characters: CharacterCounts) -> None:
    to_come = len(numbers)
    # If the last document of the file is in the sample, it may have no separator after it.
    open_end = source.open_end and to_come > 0 and numbers[-1] == len(source.lengths) - 1
    for piece, ends in source.copy(numbers, report):
        characters.add(piece)
        file.write(piece)
        to_come -= ends
        if ends and (to_come or not open_end):
            file.write(source.separator)
    if len(numbers) or not len(source.lengths):
        for piece in source.read_tail():
            file.write(piece)


def _whole(pieces: Iterator[Piece], characters: CharacterCounts) -> Iterator[bytes]:
    parts = []
    for piece, ends in pieces:
        parts.append(piece)
        if ends:
            document = b"".join(parts)
            characters.add(document)
            yield document
            parts.clear()


def _counted_rows(source: ParquetDocuments, numbers: Sequence[int], report: Report,
                  characters: CharacterCounts) -> Iterator[Any]:
    for batch in source.copy_rows(numbers, report):
        for document in source.documents_of(batch):
            characters.add(document)
        yield batch
