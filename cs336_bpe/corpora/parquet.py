"""Documents in a column of a parquet file, with `pyarrow` (the extra `parquet`)."""

from array import array
from collections.abc import Iterator, Sequence
from os import fsdecode
from typing import Any, BinaryIO

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.corpora.documents import Piece, Report
from cs336_bpe.inputs.arrow import check_texts, load_pyarrow

BATCH_ROWS = 1024
BATCH_BYTES = 1 << 24


def is_parquet(path: AnyPath) -> bool:
    """Whether a file is one by its name.

    >>> is_parquet("train-00000.parquet"), is_parquet("train.txt")
    (True, False)
    """
    return fsdecode(path).lower().endswith(".parquet")


class ParquetDocuments:
    """The documents of a parquet file, one a row, by number."""

    def __init__(self, path: AnyPath, column: str) -> None:
        self.pyarrow = load_pyarrow()
        self.path = path
        self.column = column
        self.lengths = array("Q")
        self.tail = 0  # a text file may have one
        with self._open() as file:
            self.schema = file.schema_arrow
            self._check_column()
            self.size = sum(self._group_bytes(file, group) for group in range(file.num_row_groups))

    def _open(self) -> Any:
        pyarrow = self.pyarrow
        try:
            return pyarrow.parquet.ParquetFile(fsdecode(self.path))
        except pyarrow.ArrowInvalid as error:
            raise ValueError(f"{fsdecode(self.path)} is not a parquet file, or a damaged one: "
                             f"{error}") from error

    def _check_column(self) -> None:
        names = self.schema.names
        if self.column not in names:
            raise ValueError(f"{fsdecode(self.path)} has no column {self.column!r}; it has "
                             f"{', '.join(map(repr, names))}")
        check_texts(self.schema.field(self.column).type,
                    f"the column {self.column!r} of {fsdecode(self.path)}")

    def _group_bytes(self, file: Any, group: int) -> int:
        """Of a row group's column, packed; only to show how far we are."""
        rows = file.metadata.row_group(group)
        return sum(rows.column(place).total_compressed_size for place in range(rows.num_columns)
                   if rows.column(place).path_in_schema == self.column)

    def _documents(self, values: Any) -> Iterator[bytes]:
        if self.pyarrow.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        # As bytes, so that nothing is decoded. A value that is missing is an empty document.
        for value in values.cast(self.pyarrow.large_binary()).to_pylist():
            yield value or b""

    def _batches(self, columns: list[str] | None, report: Report) -> Iterator[Any]:
        done = 0
        with self._open() as file:
            for group in range(file.num_row_groups):
                yield from file.iter_batches(BATCH_ROWS, row_groups=[group], columns=columns)
                done += self._group_bytes(file, group)
                report(done)

    def read(self, report: Report) -> Iterator[Piece]:
        """All documents, in order; takes note of their lengths."""
        for batch in self._batches([self.column], report):
            for document in self._documents(batch.column(0)):
                self.lengths.append(len(document))
                yield document, True

    def copy(self, numbers: Sequence[int], report: Report) -> Iterator[Piece]:
        """Some documents, given by number, in the order of the file."""
        for batch in self.copy_rows(numbers, report, [self.column]):
            for document in self._documents(batch.column(0)):
                yield document, True

    def copy_rows(self, numbers: Sequence[int], report: Report,
                  columns: list[str] | None = None) -> Iterator[Any]:
        """Some rows, with all their columns, as record batches."""
        first = at = 0
        for batch in self._batches(columns, report):
            wanted = []
            while at < len(numbers) and numbers[at] < first + batch.num_rows:
                wanted.append(numbers[at] - first)
                at += 1
            first += batch.num_rows
            if wanted:
                yield batch.take(self.pyarrow.array(wanted, self.pyarrow.int64()))
        if at < len(numbers):
            raise OSError(f"{fsdecode(self.path)} became shorter while it was sampled; try again "
                          f"when nothing writes to it")

    def documents_of(self, batch: Any) -> Iterator[bytes]:
        """The documents of a batch that has all columns."""
        return self._documents(batch.column(self.schema.names.index(self.column)))


def write_rows(file: BinaryIO, schema: Any, batches: Iterator[Any]) -> None:
    """Write whole rows as they are."""
    with load_pyarrow().parquet.ParquetWriter(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def write_documents(file: BinaryIO, column: str, documents: Iterator[bytes]) -> None:
    """Write documents as the only column, which has the type string, and so must be UTF-8."""
    pyarrow = load_pyarrow()
    schema = pyarrow.schema([(column, pyarrow.large_string())])
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        batch: list[str] = []
        size = 0
        for number, document in enumerate(documents):
            try:
                batch.append(document.decode())
            except UnicodeDecodeError as error:
                raise ValueError(f"document {number} of the sample is not UTF-8 at its byte "
                                 f"{error.start}, and a parquet file has text; write the sample to "
                                 f"a text file, which may have any bytes") from None
            size += len(document)
            if len(batch) >= BATCH_ROWS or size >= BATCH_BYTES:
                writer.write_table(pyarrow.table([batch], schema=schema))
                batch, size = [], 0
        if batch:
            writer.write_table(pyarrow.table([batch], schema=schema))
