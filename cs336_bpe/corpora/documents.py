"""Text files of documents: read one after the other, and copied by number, in bounded memory.

A text file has documents with a separator, such as `<|endoftext|>`, after each. What is between two
separators is a document, byte for byte, even if it is empty; nothing is decoded. What follows the
last separator is one too, unless it is only white space: then it is the file's *tail*, for most
files end with a separator and a new line.
"""

import os
import stat
from array import array
from collections.abc import Callable, Iterator, Sequence
from os import fsdecode
from typing import BinaryIO

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.rules import check_size

DEFAULT_BLOCK_BYTES = 1 << 20

Report = Callable[[int], None]
Piece = tuple[bytes, bool]  # a piece of a document, and whether the document ends with it


def pieces(file: BinaryIO, separator: bytes, block_bytes: int) -> Iterator[Piece]:
    """A file as pieces of its documents, each with whether a separator follows.

    >>> import io
    >>> list(pieces(io.BytesIO(b"one|two|"), b"|", 5))
    [(b'one', True), (b't', False), (b'wo', True)]
    """
    held_back = len(separator) - 1  # so many bytes at the end of a block may begin a separator
    rest = b""
    while block := file.read(block_bytes):
        *whole, rest = (rest + block).split(separator)
        for document in whole:
            yield document, True
        if len(rest) > held_back:
            cut = len(rest) - held_back
            yield rest[:cut], False
            rest = rest[cut:]
    if rest:
        yield rest, False


class TextDocuments:
    """The documents of a text file, by number."""

    def __init__(self, path: AnyPath, separator: bytes,
                 block_bytes: int = DEFAULT_BLOCK_BYTES) -> None:
        self.path = path
        self.separator = separator
        self.block_bytes = check_size("block_bytes", block_bytes, 1)
        self.lengths = array("Q")  # of the documents, known when all were read
        self.tail = 0  # bytes of white space after the last separator
        self.open_end = False  # whether there is no separator after the last document
        self._state = self._look()
        self.size = self._state.st_size

    def _look(self) -> os.stat_result:
        state = os.stat(self.path)
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError(f"{fsdecode(self.path)} is a folder; give the name of a file")
        if not stat.S_ISREG(state.st_mode):
            raise ValueError(f"{fsdecode(self.path)} is not a regular file. A sample reads it "
                             f"twice, so save it to a file first")
        return state

    def read(self, report: Report) -> Iterator[Piece]:
        """All pieces of all documents, in order; takes note of the lengths."""
        length = done = 0
        only_space = True
        with open(self.path, "rb") as file:
            for piece, ends in pieces(file, self.separator, self.block_bytes):
                length += len(piece)
                done += len(piece) + len(self.separator) * ends
                only_space = only_space and (not piece or piece.isspace())
                if ends:
                    self.lengths.append(length)
                    length, only_space = 0, True
                yield piece, ends
                report(done)
            if length and only_space:
                self.tail = length
            elif length:
                self.lengths.append(length)
                self.open_end = True
                yield b"", True

    def copy(self, numbers: Sequence[int], report: Report) -> Iterator[Piece]:
        """The pieces of some documents, given by number, in the order of the file."""
        if (state := self._look()) and (state.st_size, state.st_mtime_ns) != (
                self._state.st_size, self._state.st_mtime_ns):
            raise OSError(f"{fsdecode(self.path)} was changed while it was sampled; try again when "
                          f"nothing writes to it")
        done = place = number = 0
        with open(self.path, "rb") as file:
            for wanted in numbers:
                while number < wanted:
                    place += self.lengths[number] + len(self.separator)
                    number += 1
                file.seek(place)
                for piece in self._read_exactly(file, self.lengths[wanted]):
                    yield piece, False
                    done += len(piece)
                    report(done)
                yield b"", True

    def read_tail(self) -> Iterator[bytes]:
        """The white space after the last separator, in pieces. None if that is a document."""
        with open(self.path, "rb") as file:
            file.seek(self.size - self.tail)
            yield from self._read_exactly(file, self.tail)

    def _read_exactly(self, file: BinaryIO, size: int) -> Iterator[bytes]:
        while size:
            piece = file.read(min(size, self.block_bytes))
            if not piece:
                raise OSError(f"{fsdecode(self.path)} became shorter while it was read; try again "
                              f"when nothing writes to it")
            yield piece
            size -= len(piece)
