"""Documents in columns of Arrow: of parquet files and of datasets, with `pyarrow`.

A column of texts in Arrow is what a block is: all texts one after the other, and where each ends.
So nothing is done for a document; blocks are copied.
"""

import os
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, NamedTuple

import numpy

from cs336_bpe.common.lazy import lazy
from cs336_bpe.inputs.packing import as_document, put
from cs336_bpe.text.blocks import Block, Packing

LEAST_ROWS, MOST_ROWS = 16, 1 << 16  # that are read at a time


def load_pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("parquet files need pyarrow: pip install pyarrow") from error
    return pyarrow


class Rows(NamedTuple):
    """Some texts of a column."""

    values: Any  # an Arrow array
    first: int  # the number of the first one
    position: int  # how much of the input is read with them


class ArrowReader:
    """Gives out the texts of a column in blocks."""

    def __init__(self, rows: Iterator[Rows], block_bytes: int, name: str, column: str,
                 errors: str, specials: bool, close: Callable[[], None] = lambda: None) -> None:
        self.block_bytes = block_bytes
        self.end = None
        self._name, self._column, self._errors, self._specials = name, column, errors, specials
        self._slices = self._cut(rows)
        self._done = 0
        self.close = close

    def place(self, row: int) -> str:
        return f"{self._name}, row {row:,} (counted from 0), column {self._column!r}"

    def _cut(self, rows: Iterator[Rows]) -> Iterator[tuple[Any, Any, int, int]]:
        """Slices of about a block: their bytes, where each text ends, the first row, progress."""
        for values, first, position in rows:
            data, offsets = self._buffers(values, first)
            at = 0
            while at + 1 < len(offsets):
                wanted = offsets[at] + self.block_bytes
                stop = max(at + 1, int(numpy.searchsorted(offsets, wanted, "right")) - 1)
                ends = (offsets[at + 1 : stop + 1] - offsets[at]).astype(numpy.uint64)
                last = stop + 1 == len(offsets)
                yield (data[int(offsets[at]) : int(offsets[stop])], ends, first + at,
                       position if last else 0)
                at = stop

    def _buffers(self, values: Any, first: int) -> tuple[memoryview, Any]:
        pyarrow = load_pyarrow()
        if pyarrow.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if values.null_count:
            row = first + values.is_null().to_pylist().index(True)
            raise ValueError(f"{self.place(row)}: the value is null; leave such rows out, or fill "
                             f"them with empty texts")
        if self._errors != "strict":
            clean = [as_document(text, self._errors, "") for text in
                     values.cast(pyarrow.large_binary()).to_pylist()]
            values = pyarrow.array(clean, pyarrow.large_binary())
        values = values.cast(pyarrow.large_binary())
        _, offsets, data = values.buffers()
        numbers = numpy.frombuffer(offsets, numpy.int64)
        numbers = numbers[values.offset : values.offset + len(values) + 1]
        return memoryview(b"" if data is None else data).cast("B"), numbers

    def read_block(self, buffer: bytearray) -> Block | None:
        slice_ = next(self._slices, None)
        if slice_ is None:
            return None
        data, ends, first, position = slice_
        put(buffer, data, len(data))
        position = max(position, self._done)
        read, self._done = position - self._done, position
        packing = Packing(ends, self._specials, True, lambda number: self.place(first + number))
        return Block(buffer, len(data), 0, self._name, packing, read)


def check_texts(kind: Any, what: str) -> None:
    """Whether values of this type of Arrow are texts."""
    types = load_pyarrow().types
    if types.is_dictionary(kind):
        kind = kind.value_type
    known = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary,
             getattr(types, "is_string_view", types.is_string))
    if not any(is_kind(kind) for is_kind in known):
        raise TypeError(f"{what} has values of the type {kind}; it must have text")


class ParquetFile:
    """A parquet file, one column of which has documents; `a.b` is the field `b` of a column `a`."""

    def __init__(self, path: str, column: str) -> None:
        pyarrow = load_pyarrow()
        self.path, self.column = path, column
        try:
            # Read as a stream: a row group may be larger than memory.
            self.file = pyarrow.parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
            raise ValueError(f"{path} is not a parquet file, or a damaged one: {error}; copy it "
                             f"again") from error
        try:
            self._check_column()
        except BaseException:
            self.file.close()
            raise
        self.groups = [self.file.metadata.row_group(number)
                       for number in range(self.file.num_row_groups)]

    def _check_column(self) -> None:
        schema = self.file.schema_arrow
        names = [self.column] if self.column in schema.names else self.column.split(".")
        if names[0] not in schema.names:
            raise ValueError(f"{self.path} has no column {self.column!r}; it has "
                             f"{', '.join(map(repr, schema.names))}; say which one has the text "
                             f"(field=, --column)")
        kind = schema.field(names[0]).type
        types = load_pyarrow().types
        for name in names[1:]:
            if not types.is_struct(kind) or kind.get_field_index(name) < 0:
                raise ValueError(f"{self.path} has no column {self.column!r}: {names[0]!r} has no "
                                 f"field {name!r}; its type is {kind}")
            kind = kind.field(name).type
        check_texts(kind, f"the column {self.column!r} of {self.path}")
        self.names = names

    @lazy
    def places(self) -> list[int]:
        """Where row groups begin, and the last one ends: as if only the column were in the file.

        It is for the progress that people see, so it ends where the file ends.
        """
        prefix = ".".join(self.names)
        sizes = (sum(rows.column(place).total_compressed_size for place in range(rows.num_columns)
                     if rows.column(place).path_in_schema == prefix) for rows in self.groups)
        ends = list(accumulate(sizes, initial=0))
        size = os.path.getsize(self.path)
        return [size * end // max(ends[-1], 1) for end in ends[:-1]] + [size]

    def rows(self, start: int, end: int | None, block_bytes: int) -> Iterator[Rows]:
        """The texts of some row groups."""
        pyarrow = load_pyarrow()
        first = sum(group.num_rows for group in self.groups[:start])
        for group in range(start, len(self.groups) if end is None else end):
            rows = self.groups[group].num_rows
            size = max(self.groups[group].total_byte_size, 1)
            begin = self.places[group] - self.places[start]
            group_bytes = self.places[group + 1] - self.places[group]
            done = 0
            number = min(max(rows * block_bytes // size, LEAST_ROWS), MOST_ROWS)
            try:
                for batch in self.file.iter_batches(number, row_groups=[group],
                                                    columns=[".".join(self.names)],
                                                    use_threads=False):
                    values = batch.column(0)
                    for name in self.names[1:]:
                        values = pyarrow.compute.struct_field(values, name)
                    done += len(values)
                    yield Rows(values, first, begin + group_bytes * done // rows)
                    first += len(values)
            except (pyarrow.ArrowInvalid, OSError) as error:
                raise ValueError(f"{self.path} is damaged in row group {group}, after row {first:,}"
                                 f": {error}; copy it again") from error
