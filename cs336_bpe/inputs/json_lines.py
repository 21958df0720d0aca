"""Documents in a field of JSON objects, one on each line."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from cs336_bpe.inputs.finding import Input
from cs336_bpe.inputs.packing import Document, as_document

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class JsonLines:
    """The documents of the lines that begin in a range of bytes. Lines that are empty are skipped.

    The number that comes with a document is the byte at which its line begins. In an error that is
    told with the number of the line, for which the file is read again. A stream can't be, so there
    the number is that of the line.
    """

    def __init__(self, source: Input, file: BinaryIO, field: str, errors: str, start: int = 0,
                 end: int | None = None) -> None:
        self.source, self.file = source, file
        self.field, self.errors = field, errors
        self.start, self.end = start, end
        self.offset = start  # of the next line
        self.lines = 0  # before it, of those that were read

    def __iter__(self) -> Iterator[Document]:
        if self.start:
            self.file.seek(self.start - 1)  # if this is the end of a line, the next one is ours
            self.offset = self.start - 1 + len(self.file.readline())
        while self.end is None or self.offset < self.end:
            line = self.file.readline()
            if not line:
                return
            start = self.offset
            self.offset += len(line)
            if not start:
                line = line.removeprefix(BYTE_ORDER_MARK)
            if line and not line.isspace():
                where = self.lines if self.source.is_stream else start
                yield self.document(line, start, where), where
            self.lines += 1

    def document(self, line: bytes, start: int, where: int) -> bytes:
        try:
            value = json.loads(line.decode("utf-8", self.errors))
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.place(where)}: not valid UTF-8 at byte "
                             f"{start + error.start:,} ({error.reason}); fix the file, or pass "
                             f"errors='replace' or 'ignore'") from None
        except ValueError as error:
            raise ValueError(f"{self.place(where)}: not JSON: {error}; fix the file, or say that "
                             f"it is text (input_format='text')") from None
        except RecursionError:
            raise ValueError(f"{self.place(where)}: JSON that is nested too deeply") from None
        text = value.get(self.field) if isinstance(value, dict) else None
        if not isinstance(text, str):
            text = self.find(value, where)
        try:
            return text.encode()
        except UnicodeEncodeError:  # "\\ud800" is JSON
            return as_document(text, self.errors, f"{self.place(where)}: the text")

    def find(self, value: Any, where: int) -> str:
        """The text at a path such as `a.b`, or an error that says what is wrong."""
        names = [self.field] if isinstance(value, dict) and self.field in value else (
            self.field.split("."))
        for place, name in enumerate(names):
            if not isinstance(value, dict):
                what = ".".join(names[:place])
                raise ValueError(f"{self.place(where)}: "
                                 + (f"the field {what!r}" if what else "the value")
                                 + f" is {kind_of(value)}, not an object with {name!r} in it")
            if name not in value:
                has = ", ".join(map(repr, list(value)[:8])) or "none"
                raise ValueError(f"{self.place(where)}: no field {'.'.join(names)!r}; the fields "
                                 f"are {has}; say which one has the text (field=, --field)")
            value = value[name]
        if not isinstance(value, str):
            raise ValueError(f"{self.place(where)}: the field {self.field!r} is "
                             f"{kind_of(value)}, not a text")
        return value

    def place(self, where: int) -> str:
        """Where a line is, for an error. Counting lines is left until there is one."""
        name = self.source.name
        if self.source.is_stream:
            return f"{name}, line {where + 1:,}"
        unpacked = " of the text" if self.source.compression else ""
        return f"{name}, line {self.count_lines(where) + 1:,} (at byte {where:,}{unpacked})"

    def count_lines(self, end: int) -> int:
        number = 0
        with self.source.open() as file:
            while end > 0 and (data := file.read(min(end, 1 << 20))):
                number += data.count(b"\n")
                end -= len(data)
        return number


def kind_of(value: object) -> str:
    """
    >>> kind_of(None), kind_of([1]), kind_of(5)
    ('null', 'a list', 'a number')
    """
    if value is None:
        return "null"
    kinds = {bool: "true or false", list: "a list", dict: "an object", str: "a text"}
    return kinds.get(type(value), "a number")
