"""Reading a file in blocks, cut where no pretoken and no special token spans the cut.

A block may also hold many short texts, one after the other: see `Packing`. To a thread that counts
or encodes, a block of two thousand documents is as good as one of a large file.
"""

import io
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn, Protocol

from cs336_bpe.text.cuts import Cutter

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

DEFAULT_BLOCK_BYTES = 1 << 21
MOST_UNCUT = 1 << 26
"""The longest part of a file that is held because there is no place to cut it. It is likely to be
one pretoken, and to encode one takes up to 40 bytes of memory per byte."""


class Packing(NamedTuple):
    """The texts in a block that holds several: no pretoken spans two of them."""

    ends: "Array"  # where each text ends in the block, as unsigned 64-bit integers
    specials: bool  # whether special tokens in them are special tokens, and not text
    documents: bool  # whether each is a whole document, and a separator belongs after it
    place: Callable[[int], str]  # what to call a text in an error, by its number in the block


class Block(NamedTuple):
    """A part of a file, `buffer[:size]`, which is at `offset` in it; or several texts."""

    buffer: bytearray
    size: int
    offset: int
    name: str  # of the file
    packing: Packing | None = None
    input_bytes: int = 0  # how far the input is read with this block; less than size if compressed

    def texts(self) -> Iterator[bytes]:
        """The texts in it, as bytes."""
        if self.packing is None:
            yield bytes(self.buffer[: self.size])
            return
        start = 0
        for end in self.packing.ends.tolist():
            yield bytes(self.buffer[start:end])
            start = end

    def complain(self) -> NoReturn:
        """Raise the error that says where the first byte is that is not UTF-8."""
        for number, text in enumerate(self.texts()):
            if self.packing is None:
                decode(text, "strict", self.name, self.offset)
            else:
                decode(text, "strict", self.packing.place(number))
        raise AssertionError("the scanner and the decoder disagree on UTF-8")


class Reader(Protocol):
    """What gives out blocks: a `BlockReader`, or a whole corpus (see `cs336_bpe.inputs`)."""

    block_bytes: int

    @property
    def end(self) -> int | None:
        """How many bytes there are to read; None if nobody knows."""

    def read_block(self, buffer: bytearray) -> Block | None:
        """Put the next block into the buffer, which grows if it must; None at the end."""


def open_text(path: str | os.PathLike[str],
              buffer_bytes: int = io.DEFAULT_BUFFER_SIZE) -> BinaryIO:
    """Open a file to read its bytes."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{os.fspath(path)} is a directory; give a text file")
    return io.BufferedReader(_NamedFile(path), buffer_bytes)


class _NamedFile(io.FileIO):
    """A file whose name is in the error if it can't be read. The system's own error has none, and
    whoever writes another file meanwhile would put the name of that one in."""

    def readinto(self, buffer: Any) -> int | None:
        try:
            return super().readinto(buffer)
        except OSError as error:
            error.filename = os.fsdecode(self.name)
            raise

    def readall(self) -> bytes:
        try:
            return super().readall()
        except OSError as error:
            error.filename = os.fsdecode(self.name)
            raise


def decode(data: bytes, errors: str, path: str | os.PathLike[str], offset: int = 0) -> str:
    """The text of a part of a file that begins at `offset`; an error names the byte (rule 9)."""
    try:
        return data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)} is not valid UTF-8 at byte {offset + error.start} "
                         f"({error.reason}); fix the file, or pass errors='replace' or "
                         f"'ignore'") from None


class BlockReader:
    """Reads a part of a file in blocks that can be counted one by one.

    A caller gives a buffer, and gets its block in it, so that threads can have one each.
    """

    def __init__(self, file: BinaryIO, name: str, cutter: Cutter, block_bytes: int,
                 start: int = 0, end: int | None = None) -> None:
        self.file = file
        self.name = name
        self.cutter = cutter
        self.block_bytes = block_bytes if end is None else max(1, min(block_bytes, end - start))
        self.offset = start  # of the next block in the file
        self.end = end  # None: as far as it goes
        self._left = b""  # read, but behind the last cut
        if start:
            file.seek(start)

    def read_into(self, buffer: bytearray) -> int:
        """Fill the buffer with the next block, and return its size; 0 at the end.

        The buffer grows if it must; what is in it behind the block has no meaning.
        """
        size = len(self._left)
        wanted = max(self.block_bytes, size + 1)
        if len(buffer) < wanted:
            buffer.extend(bytes(wanted - len(buffer)))
        buffer[:size] = self._left
        first = 1
        while True:
            size, at_end = self._fill(buffer, size, wanted)
            cut = size if at_end else self.cutter.last_cut(buffer, size, first=first)
            if cut or at_end:
                break
            if size >= MOST_UNCUT and self.cutter.finds_pairs:
                raise ValueError(f"{self.name} has no place to cut in the {size:,} bytes from byte "
                                 f"{self.offset} on (no white space, for most patterns), more than "
                                 f"the {MOST_UNCUT:,} that are held in memory; is it text? Put "
                                 f"line breaks into it, or encode parts of it")
            wanted = 2 * size  # no cut in sight: look at twice as much
            first = max(1, size - self.cutter.margin)
            buffer.extend(bytes(max(0, wanted - len(buffer))))
        self._left = bytes(buffer[cut:size])
        self.offset += cut
        return cut

    def read_block(self, buffer: bytearray) -> Block | None:
        """The next block, in the buffer; None at the end."""
        size = self.read_into(buffer)
        if not size:
            return None
        return Block(buffer, size, self.offset - size, self.name, input_bytes=size)

    def _fill(self, buffer: bytearray, size: int, wanted: int) -> tuple[int, bool]:
        if self.end is not None:
            wanted = min(wanted, self.end - self.offset)
        with memoryview(buffer) as view:
            while size < wanted:
                got = self.file.readinto(view[size:wanted])  # type: ignore[attr-defined]
                if not got:
                    if self.end is not None:
                        raise OSError(f"{self.name} became shorter while it was read: it ends at "
                                      f"byte {self.offset + size} of {self.end}; try again when "
                                      f"nothing writes to it")
                    return size, True
                size += got
        return size, self.end is not None and self.offset + size == self.end


def file_size(file: BinaryIO) -> int | None:
    """The size of a regular file; None for a pipe and the like, which have none."""
    try:
        return os.fstat(file.fileno()).st_size or None
    except OSError:
        return None
