"""Texts that a program has: any iterable of `str` or `bytes`, and columns of datasets."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from cs336_bpe.inputs.arrow import ArrowReader, Rows, check_texts
from cs336_bpe.inputs.packing import as_document, pack
from cs336_bpe.text.blocks import Block, Packing, Reader

DATASET_ROWS = 1024  # that are taken from a dataset at a time
MOST_AT_ONCE = 1 << 16  # texts that are taken from an iterable: they may all be empty


def texts_reader(texts: Iterable[str | bytes], block_bytes: int, errors: str, *,
                 field: str = "text", specials: bool = False) -> Reader:
    """A reader of texts, each of which is a document.

    A `datasets.Dataset`, or a column of one, and what `pyarrow` has are read without an object
    per text.
    """
    arrays = arrow_arrays(texts, field)
    if arrays is not None:
        return ArrowReader(arrays, block_bytes, "texts", field, errors, specials)
    return TextsReader(texts, block_bytes, errors, specials)


class TextsReader:
    """Gives out texts in blocks, taking several at a time: a loop in Python would be slow."""

    def __init__(self, texts: Iterable[str | bytes], block_bytes: int, errors: str,
                 specials: bool) -> None:
        if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
            raise TypeError(f"texts is a {type(texts).__name__}; it must be an iterable of str or "
                            f"bytes, such as a list; one text is [text]")
        self.block_bytes = block_bytes
        self.end = None
        self._texts = iter(texts)
        self._errors, self._specials = errors, specials
        self._first = 0  # the number of the next text
        self._at_once = 1  # how many are taken: the first ones show how long they are

    def read_block(self, buffer: bytearray) -> Block | None:
        texts: list[Any] = []
        size = 0  # in characters, which is near enough
        first = self._first
        while size < self.block_bytes and len(texts) < MOST_AT_ONCE:
            chunk: list[Any] = list(islice(self._texts, self._at_once))
            if not chunk:
                break
            if self._errors != "strict" or not set(map(type, chunk)) <= {str, bytes}:
                chunk = as_documents(chunk, self._errors, first + len(texts))
            texts += chunk
            size += sum(map(len, chunk))
            fitting = (self.block_bytes - size) // (size // len(texts) + 1) + 1
            self._at_once = max(1, min(2 * len(texts), fitting, MOST_AT_ONCE))
        if not texts:
            return None
        self._at_once = max(1, min(self.block_bytes // (size // len(texts) + 1), MOST_AT_ONCE))
        self._first += len(texts)
        try:
            ends = pack(texts, buffer)
        except UnicodeEncodeError:
            as_documents(texts, self._errors, first)  # says which one has no UTF-8 form
            raise
        size = int(ends[-1])
        packing = Packing(ends, self._specials, True, lambda number: f"texts[{first + number}]")
        return Block(buffer, size, 0, "texts", packing, size)


def as_documents(texts: list[Any], errors: str, first: int) -> list[bytes]:
    """Texts as UTF-8, or an error that says which one is wrong."""
    documents = []
    for number, text in enumerate(texts, first):
        if isinstance(text, dict):
            raise TypeError(f"texts[{number}] is a dict with {', '.join(map(repr, text))}; give "
                            f"its texts: (row['text'] for row in rows)")
        documents.append(as_document(text, errors, f"texts[{number}]"))
    return documents


def arrow_arrays(texts: Any, field: str) -> Iterator[Rows] | None:
    """The arrays of what has arrays of Arrow in it; None of anything else."""
    kind = type(texts)
    module = kind.__module__.partition(".")[0]
    if module == "datasets" and kind.__name__ == "Column":
        texts, field = texts.source, texts.column_name
        if isinstance(texts, type(None)):
            return None
        kind = type(texts)
    if module == "datasets" and kind.__name__ == "Dataset":
        return dataset_arrays(texts, field)
    if module == "datasets" and kind.__name__ == "IterableDataset":
        return None if field is None else iterable_dataset_arrays(texts, field)
    if module == "pyarrow" and kind.__name__ == "ChunkedArray":
        return numbered(texts.chunks)
    if module == "pyarrow" and hasattr(texts, "buffers") and hasattr(texts, "null_count"):
        return numbered([texts])
    return None


def dataset_arrays(dataset: Any, field: str) -> Iterator[Rows]:
    if field not in dataset.column_names:
        raise ValueError(f"the dataset has no column {field!r}; it has "
                         f"{', '.join(map(repr, dataset.column_names))}")
    tables = dataset.select_columns([field]).with_format("arrow").iter(DATASET_ROWS)
    return numbered(chunk for table in tables for chunk in table.column(field).chunks)


def iterable_dataset_arrays(dataset: Any, field: str) -> Iterator[Rows]:
    tables = dataset.with_format("arrow").iter(DATASET_ROWS)
    return numbered(chunk for table in tables for chunk in table.column(field).chunks)


def numbered(arrays: Iterable[Any]) -> Iterator[Rows]:
    first = 0
    for array in arrays:
        check_texts(array.type, "the column")
        yield Rows(array, first, 0)
        first += len(array)
