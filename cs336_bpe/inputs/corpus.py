"""A corpus: several inputs of any form, read as one row of blocks."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.inputs.arrow import ArrowReader, ParquetFile
from cs336_bpe.inputs.decompress import decompressed
from cs336_bpe.inputs.finding import Input, find_inputs, in_words, is_plain_text
from cs336_bpe.inputs.json_lines import JsonLines
from cs336_bpe.inputs.packing import Document, PackedReader, as_document
from cs336_bpe.inputs.parts import Part, borders
from cs336_bpe.text.blocks import Block, BlockReader, Reader
from cs336_bpe.text.cuts import Cutter

SMALL_FILE = 1 << 17
"""Bytes. Files up to here share a block with their neighbours: a thousand files of a kilobyte are
to take as long as one of a megabyte."""


class Corpus:
    """Inputs, and how they are read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "stories.jsonl")
    ...     _ = path.write_text('{"text": "Once"}\\n{"text": "upon"}\\n')
    ...     corpus = Corpus(path)
    ...     with corpus.reader(Cutter([])) as reader:
    ...         print(corpus.in_words, list(reader.read_block(bytearray()).texts()))
    1 file of JSON lines, field text [b'Once', b'upon']
    """

    def __init__(self, paths: AnyPath | Iterable[AnyPath], *, input_format: str | None = None,
                 field: str = "text") -> None:
        if not (isinstance(field, str) and field):
            raise TypeError(f"field is {field!r}; it must be the name of a field or column")
        self.inputs = find_inputs(paths, input_format)
        self.field = field

    @classmethod
    def of(cls, inputs: Iterable[Input], field: str = "text") -> "Corpus":
        """A corpus of inputs that have been found before."""
        corpus = cls.__new__(cls)
        corpus.inputs, corpus.field = list(inputs), field
        return corpus

    def check_no_streams(self) -> None:
        """Raise if an input can't be read by another process."""
        for source in self.inputs:
            if source.is_stream:
                raise ValueError(f"{source.name} is a stream, which other processes can't read; "
                                 f"save it to a file first")

    @property
    def size(self) -> int:
        """The bytes of all files, as far as known."""
        return sum(source.size or 0 for source in self.inputs)

    @property
    def in_words(self) -> str:
        """What is read: "2 parquet files, column text"."""
        return in_words(self.inputs, self.field)

    @property
    def is_plain_text(self) -> bool:
        """Whether all inputs are text that is not compressed."""
        return is_plain_text(self.inputs)

    @property
    def plain_files(self) -> list[Input]:
        """The inputs that are plain text in a file, which may be read more than once."""
        return [source for source in self.inputs
                if not source.is_stream and is_plain_text([source])]

    @property
    def has_streams(self) -> bool:
        """Whether some of the inputs are pipes, or standard input, and can be read only once."""
        return any(source.is_stream for source in self.inputs)

    @property
    def has_documents(self) -> bool:
        """Whether some of the inputs have documents, and not text with special tokens in it."""
        return any(source.format != "text" for source in self.inputs)

    def reader(self, cutter: Cutter, block_bytes: int = 1 << 21, errors: str = "strict", *,
               specials_in_documents: bool = False,
               parts: Iterable[Part] | None = None) -> "CorpusReader":
        """A reader of everything, or of some parts."""
        chosen = [Part(source) for source in self.inputs] if parts is None else list(parts)
        return CorpusReader(chosen, cutter, block_bytes, errors, self.field, specials_in_documents)


class CorpusReader:
    """Gives out the blocks of parts, one part after the other.

    `text_bytes` is how much text was read, decompressed and taken out of its file.
    """

    def __init__(self, parts: Iterable[Part], cutter: Cutter, block_bytes: int, errors: str,
                 field: str, specials_in_documents: bool = False) -> None:
        self.text_bytes = 0
        self._cutter, self._errors, self._field = cutter, errors, field
        self._specials = specials_in_documents
        self._parts = list(parts)
        self._wanted_bytes = block_bytes
        size = self.end
        self.block_bytes = block_bytes if size is None else max(1, min(block_bytes, size))
        self._readers = self._open_all()
        self._current: Any = None

    @property
    def end(self) -> int | None:
        """The size of the corpus if that is the size of its text; None otherwise."""
        total = 0
        for part in self._parts:
            if part.source.format != "text" or part.source.compression or part.source.is_stream:
                return None
            total += part.nominal_bytes
        return total

    def read_block(self, buffer: bytearray) -> Block | None:
        while True:
            if self._current is None:
                self._current = next(self._readers, None)
                if self._current is None:
                    return None
            block: Block | None = self._current.read_block(buffer)
            if block is not None:
                self.text_bytes += block.size
                return block
            self._close_current()

    def _close_current(self) -> None:
        if self._current is not None:
            close = getattr(self._current, "close", None)
            self._current = None
            if close is not None:
                close()

    def __enter__(self) -> "CorpusReader":
        return self

    def __exit__(self, *_: object) -> None:
        self._close_current()
        for part in self._parts:
            opened = part.source.opened
            if opened is not None and part.source.path != "-":
                opened.close()

    # --- parts -----------------------------------------------------------------------------

    def _open_all(self) -> Iterator[Reader]:
        small: list[Input] = []
        for part in self._parts:
            source = part.source
            if source.size == 0 and source.format != "documents":
                continue
            fits = len(self._parts) > 1 and is_small(part, self._wanted_bytes)
            if small and not (fits and source.format == small[0].format):
                yield self._pack(small)
                small = []
            if fits:
                small.append(source)
            else:
                yield self._open(part)
        if small:
            yield self._pack(small)

    def _pack(self, files: list[Input]) -> Reader:
        return _SmallFiles(files, self.block_bytes, self._errors, self._specials)

    def _open(self, part: Part) -> Reader:
        source = part.source
        source.check_unchanged()
        if source.format == "parquet":
            parquet = ParquetFile(source.path, self._field)
            rows = parquet.rows(part.start, part.end, self.block_bytes)
            return ArrowReader(rows, self.block_bytes, source.name, self._field, self._errors,
                               self._specials, close=parquet.file.close)
        if source.format == "jsonl":
            return _JsonReader(part, self.block_bytes, self._field, self._errors, self._specials)
        if source.format == "documents":
            return self._pack([source])
        return _TextReader(part, self._cutter, self.block_bytes)


def is_small(part: Part, block_bytes: int) -> bool:
    """Whether a file is read as a whole, together with its neighbours."""
    source = part.source
    return part.is_whole and (source.format == "documents" or (
        source.format == "text" and source.compression is None
        and source.size is not None and source.size <= min(SMALL_FILE, block_bytes // 8)))


def open_both(source: Input) -> tuple[BinaryIO, BinaryIO]:
    """A file as it is, and its content."""
    raw = source.open_raw()
    if source.compression is None:
        return raw, raw
    return raw, decompressed(raw, source.compression, source.name)


class _TextReader:
    """A text, or a part of one, which may be compressed."""

    def __init__(self, part: Part, cutter: Cutter, block_bytes: int) -> None:
        source = part.source
        self.block_bytes = block_bytes
        self.end = None
        self.raw, self.file = open_both(source)
        self.position: Callable[[], int] | None = None  # in the file, if that is not in the text
        self.is_empty = False
        self.done = 0
        if source.compression is None and not source.is_stream:
            begin, end = 0, source.size or 0
            if not part.is_whole:
                begin, end = borders(self.file, part, cutter)
                self.file.seek(begin)
            self.is_empty = begin == end
            self.reader = BlockReader(self.file, source.name, cutter, block_bytes, begin, end)
        else:
            name = source.name + (" (decompressed)" if source.compression else "")
            self.reader = BlockReader(self.file, name, cutter, block_bytes)
            if source.compression is not None and not source.is_stream:
                self.position = self.raw.tell

    def read_block(self, buffer: bytearray) -> Block | None:
        block = None if self.is_empty else self.reader.read_block(buffer)
        if block is None or self.position is None:
            return block
        before, self.done = self.done, self.position()
        return Block(buffer, block.size, block.offset, block.name,
                     input_bytes=self.done - before)

    def close(self) -> None:
        self.file.close()


class _JsonReader(PackedReader):
    def __init__(self, part: Part, block_bytes: int, field: str, errors: str,
                 specials: bool) -> None:
        source = part.source
        self.raw, self.file = open_both(source)
        lines = JsonLines(source, self.file, field, errors, part.start, part.end)

        def position() -> int:
            packed = source.compression is not None and not source.is_stream
            return self.raw.tell() if packed else lines.offset - part.start

        super().__init__(lines, block_bytes, source.name, place=lines.place, position=position,
                         specials=specials)

    def close(self) -> None:
        self.file.close()


class _SmallFiles(PackedReader):
    """Files that are read as a whole: short texts, or documents."""

    def __init__(self, files: list[Input], block_bytes: int, errors: str,
                 specials_in_documents: bool) -> None:
        self.files = files
        self.errors = errors
        is_text = files[0].format == "text"
        super().__init__(self.contents(), block_bytes, "the files",
                         place=lambda number: files[number].name,
                         specials=is_text or specials_in_documents, documents_end=not is_text)

    def contents(self) -> Iterator[Document]:
        for number, source in enumerate(self.files):
            with source.open() as file:
                yield as_document(file.read(), self.errors, source.name), number
