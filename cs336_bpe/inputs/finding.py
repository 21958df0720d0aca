"""Which files a user means: paths, folders, patterns with `*`, and `-`."""

import glob
import os
import stat
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from cs336_bpe.common.amounts import plural, readable_size
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.inputs.decompress import decompressed, decompressed_head
from cs336_bpe.inputs.recognise import FORMATS, HEAD_BYTES, compression_of, format_of
from cs336_bpe.rules import shown
from cs336_bpe.text.blocks import open_text

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Input:
    """A file to read, and what it is."""

    path: str
    size: int | None  # None: a pipe, or standard input
    compression: str | None
    format: str
    changed: int = 0  # when the file was changed last, in nanoseconds
    opened: BinaryIO | None = field(default=None, compare=False)  # a stream can't be opened again

    @property
    def name(self) -> str:
        return "standard input" if self.path == STANDARD_INPUT else self.path

    @property
    def is_stream(self) -> bool:
        return self.size is None

    def open_raw(self) -> BinaryIO:
        """The file as it is."""
        return open_text(self.path) if self.opened is None else self.opened

    def open(self) -> BinaryIO:
        """The file, decompressed."""
        file = self.open_raw()
        return file if self.compression is None else decompressed(file, self.compression, self.name)

    def check_unchanged(self) -> None:
        """Raise if the file is another one than when it was found."""
        if self.is_stream:
            return
        state = os.stat(self.path)
        if (state.st_size, state.st_mtime_ns) != (self.size, self.changed):
            raise OSError(f"{self.name} was changed while it was in use; try again when nothing "
                          f"writes to it")


def find_inputs(paths: AnyPath | Iterable[AnyPath],
                input_format: str | None = None) -> list[Input]:
    """The files that are meant, in order: those of a folder or a pattern sorted by name.

    A folder stands for all files in it and below, but not for hidden ones. A path with `*`, `?` or
    `[` that no file has is a pattern. `-` is standard input. `input_format` overrules what
    is recognised.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "b.txt").write_text("Once")
    ...     _ = Path(folder, "a.jsonl").write_text('{"text": "Once"}')
    ...     [(os.path.basename(found.path), found.format) for found in find_inputs(folder)]
    [('a.jsonl', 'jsonl'), ('b.txt', 'text')]
    """
    if input_format is not None and input_format not in FORMATS:
        raise ValueError(f"input_format is {input_format!r}; it must be one of "
                         f"{', '.join(FORMATS)}")
    return [look(path, input_format) for path in expand(paths)]


def expand(paths: AnyPath | Iterable[AnyPath]) -> list[str]:
    """The paths of files, one by one."""
    given = check_paths(paths)
    found: list[str] = []
    for one in given:
        path = os.fspath(one)
        if path == STANDARD_INPUT and isinstance(one, str):
            found.append(path)
        elif os.path.isdir(path):
            files = files_below(path)
            if not files:
                raise ValueError(f"{path} is a folder without files")
            found += files
        elif glob.has_magic(path) and not os.path.lexists(path):
            matching = sorted(glob.glob(path, recursive=True))
            if not matching:
                raise FileNotFoundError(f"no file matches the pattern {path}")
            found += [file for match in matching
                      for file in (files_below(match) if os.path.isdir(match) else [match])]
        else:
            found.append(path)
    if found.count(STANDARD_INPUT) > 1:
        raise ValueError("standard input, -, is there twice; it can be read only once")
    return found


def check_paths(paths: AnyPath | Iterable[AnyPath]) -> list[AnyPath]:
    """Paths, or an error that says what else to call."""
    if isinstance(paths, (str, os.PathLike)):
        return [paths]
    if isinstance(paths, (bytes, bytearray)) or not isinstance(paths, Iterable):
        raise TypeError(f"input_path is {paths!r}; it must be the path of a file (str or "
                        f"os.PathLike), or a list of paths")
    found = []
    for place, path in enumerate(paths):
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"input_path[{place}] is {path!r:.200}; it must be a str or an "
                            f"os.PathLike. If these are texts or a dataset, give them to "
                            f"train_bpe_from_texts, count_pretokens_in or encode_texts")
        found.append(path)
    return found


def files_below(folder: str) -> list[str]:
    """All files in a folder and the folders in it, sorted, without hidden ones."""
    found: list[str] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        found += [os.path.join(parent, name) for name in files if name[0] != "."]
    return sorted(found)


def look(path: str, format: str | None) -> Input:
    """Open a file, and see what it is."""
    opened: BinaryIO | None = None
    size: int | None = None
    changed = 0
    if path == STANDARD_INPUT:
        opened = sys.stdin.buffer
        head = peek(opened)
    else:
        state = check_file(path)
        file = open_text(path, HEAD_BYTES)  # not closed: a pipe must stay open
        head = peek(file)
        # A file of /proc says that it has no bytes, and yet it may have some.
        if stat.S_ISREG(state.st_mode) and (state.st_size or not head):
            size, changed = state.st_size, state.st_mtime_ns
            file.close()
        else:
            opened = file
    name = "standard input" if path == STANDARD_INPUT else path
    compression = compression_of(head)
    if format is None:
        seen = head if compression is None else decompressed_head(head, compression)
        format = format_of(seen, name if size or opened else "")
    if format == "parquet" and compression is not None:
        raise ValueError(f"{name} is a parquet file that is compressed as a whole ({compression}); "
                         f"decompress it first")
    if format == "parquet" and opened is not None:
        raise ValueError(f"{name} is a parquet file, and these are read from their ends; save it "
                         f"to a file first")
    return Input(path, size, compression, format, changed, opened)


def peek(file: Any) -> bytes:
    """What a file begins with, which is still to be read after that."""
    head: bytes = file.peek(HEAD_BYTES)
    return head


def check_file(path: str) -> os.stat_result:
    """The state of a file; if there is none, perhaps because the path is a text."""
    try:
        return os.stat(path)
    except (OSError, ValueError) as error:
        if isinstance(error, PermissionError) or not ("\n" in path or len(path.split()) > 8
                                                      or len(path) > 250):
            raise
        raise ValueError(f"{shown(path.encode('utf-8', 'replace'))} is not the path of a file. If "
                         f"it is a text, give texts to train_bpe_from_texts, count_pretokens_in or "
                         f"encode_texts") from None


def in_words(inputs: list[Input], field: str) -> str:
    """What is read, in a few words.

    >>> in_words([Input("a.parquet", 5, None, "parquet"), Input("b", 5, None, "parquet")], "text")
    '2 parquet files, column text'
    >>> in_words([Input("a.gz", 1500, "gzip", "jsonl")], "text")
    '1 gzip file of JSON lines (1.5 kB), field text'
    """
    kinds = Counter((one.format, one.compression) for one in inputs)
    said = []
    for (format, compression), number in kinds.items():
        packed = f"{compression} " if compression else ""
        files = {"parquet": "parquet file", "jsonl": f"{packed}file",
                 "text": f"{packed}text file", "documents": f"{packed}file"}[format]
        text = plural(number, files)
        text += {"jsonl": " of JSON lines", "documents": ", each one document"}.get(format, "")
        size = sum(one.size or 0 for one in inputs
                   if (one.format, one.compression) == (format, compression))
        if compression and size:  # nobody knows that of standard input
            text += f" ({readable_size(size)})"
        text += {"parquet": f", column {field}", "jsonl": f", field {field}"}.get(format, "")
        said.append(text)
    return "; ".join(said)


def is_plain_text(inputs: list[Input]) -> bool:
    """Whether there is nothing about these inputs that has to be said aloud."""
    return all(one.format == "text" and one.compression is None for one in inputs)
