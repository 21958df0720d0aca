"""Documents of what is neither one text file nor one parquet file: read twice, from the beginning.

Compressed files, JSON lines, folders. Nothing in these can be found by its number, so the chosen
documents are picked out in a second run.
"""

import json
from array import array
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from cs336_bpe.corpora.documents import DEFAULT_BLOCK_BYTES, Piece, Report, pieces
from cs336_bpe.inputs import Corpus, Input
from cs336_bpe.text.cuts import Cutter


class CorpusDocuments:
    """The documents of a corpus, by number."""

    def __init__(self, corpus: Corpus, separator: bytes) -> None:
        for source in corpus.inputs:
            if source.is_stream:
                raise ValueError(f"{source.name} is not a regular file. What is sampled is read "
                                 f"twice, so save it to a file first")
        self.corpus, self.separator = corpus, separator
        self.path = corpus.inputs[0].path if len(corpus.inputs) == 1 else "the corpus"
        self.size = corpus.size
        self.lengths = array("Q")
        self.tail = 0  # a text file may have one

    def read(self, report: Report) -> Iterator[Piece]:
        """All documents, in order; takes note of their lengths."""
        for document in self._documents(report):
            self.lengths.append(len(document))
            yield document, True

    def copy(self, numbers: Sequence[int], report: Report) -> Iterator[Piece]:
        """Some documents, given by number, in order."""
        wanted = set(numbers)
        for number, document in enumerate(self._documents(report)):
            if number in wanted:
                yield document, True

    def _documents(self, report: Report) -> Iterator[bytes]:
        done = 0
        for source in self.corpus.inputs:
            source.check_unchanged()
            yield from self._of_text(source) if source.format == "text" else self._of_rows(source)
            done += source.size or 0
            report(done)

    def _of_text(self, source: Input) -> Iterator[bytes]:
        parts: list[bytes] = []
        with source.open() as file:
            for piece, ends in pieces(file, self.separator, DEFAULT_BLOCK_BYTES):
                parts.append(piece)
                if ends:
                    yield b"".join(parts)
                    parts.clear()
        last = b"".join(parts)
        if last and not last.isspace():
            yield last

    def _of_rows(self, source: Input) -> Iterator[bytes]:
        corpus = Corpus.of([source], self.corpus.field)
        buffer = bytearray()
        with corpus.reader(Cutter([])) as reader:
            while (block := reader.read_block(buffer)) is not None:
                yield from block.texts()


def write_json_lines(file: BinaryIO, field: str, documents: Iterator[bytes]) -> None:
    """Write documents as JSON lines, which must be UTF-8."""
    for number, document in enumerate(documents):
        try:
            text = document.decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"document {number} of the sample is not UTF-8 at its byte "
                             f"{error.start}, and JSON has text; write the sample to a text file, "
                             f"which may have any bytes") from None
        file.write(json.dumps({field: text}, ensure_ascii=False).encode() + b"\n")
