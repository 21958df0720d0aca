"""Compressed files as streams of bytes. What is damaged or cut short is an error that says so."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

CHUNK = 1 << 17


def decompressed(file: BinaryIO, compression: str, name: str) -> BinaryIO:
    """The bytes that were compressed, as a file that can be read from its beginning.

    >>> with decompressed(io.BytesIO(gzip.compress(b"Once")), "gzip", "story.gz") as text:
    ...     text.read()
    b'Once'
    >>> cut = io.BytesIO(gzip.compress(b"Once")[:-6])
    >>> decompressed(cut, "gzip", "story.gz").read()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: story.gz is cut short or damaged (gzip): ...; copy it again
    """
    makers: dict[str, Callable[[Any], Any]] = {
        "gzip": _gzip, "bzip2": bz2.BZ2File, "xz": lzma.LZMAFile, "zstd": _Zstd}
    make = makers[compression]
    return io.BufferedReader(_Checked(make(file), file, compression, name), CHUNK)


def decompressed_head(head: bytes, compression: str) -> bytes:
    """What can be seen of a text from the first bytes of its file.

    >>> decompressed_head(gzip.compress(b"Once upon a time")[:-8], "gzip")
    b'Once upon a time'
    """
    makers: dict[str, Callable[[], Any]] = {
        "gzip": lambda: zlib.decompressobj(31), "bzip2": bz2.BZ2Decompressor,
        "xz": lzma.LZMADecompressor,
        "zstd": lambda: load_zstandard().ZstdDecompressor(max_window_size=1 << 31).decompressobj()}
    try:
        text: bytes = makers[compression]().decompress(head)
    except Exception as error:
        if not _is_damage(error):
            raise
        return b""  # whoever reads the file says what is wrong
    return text


def _gzip(file: BinaryIO) -> Any:
    try:
        from isal import igzip  # faster, if it is there
    except ImportError:
        return gzip.GzipFile(fileobj=file)
    make: Any = igzip.IGzipFile
    return make(fileobj=file)


def load_zstandard() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise ImportError("zstd files need zstandard: pip install zstandard") from error
    return zstandard


class _Zstd(io.RawIOBase):
    """A zstd file of one or more frames. (The library's own reader takes a cut for the end.)"""

    def __init__(self, file: BinaryIO) -> None:
        self.zstandard = load_zstandard()
        self.pieces = self._decompress(file)
        self.rest = memoryview(b"")

    def _decompress(self, file: BinaryIO) -> Iterator[bytes]:
        held = b""
        while True:
            # As much window as a file may ask for: what was made with --long must be readable.
            frame = self.zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
            begun = False
            while not frame.eof:
                held = held or file.read(CHUNK)
                if not held:
                    if begun:
                        raise EOFError("the last frame has no end")
                    return
                begun = True
                piece = frame.decompress(held)
                held = b""
                if piece:
                    yield piece
            held = frame.unused_data

    def readinto(self, buffer: Any) -> int:
        while not self.rest:
            piece = next(self.pieces, None)
            if piece is None:
                return 0
            self.rest = memoryview(piece)
        size = min(len(buffer), len(self.rest))
        buffer[:size] = self.rest[:size]
        self.rest = self.rest[size:]
        return size


class _Checked(io.RawIOBase):
    """A decompressor whose errors name the file and the place."""

    def __init__(self, source: Any, file: BinaryIO, compression: str, name: str) -> None:
        self.source, self.file = source, file
        self.compression, self.name = compression, name
        self.done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            size: int = self.source.readinto(buffer)
        except Exception as error:
            if not _is_damage(error):
                raise
            where = f"after {self.done:,} bytes of text"
            if self.file.seekable():
                where += f", at byte {self.file.tell():,} of the file"
            raise ValueError(f"{self.name} is cut short or damaged ({self.compression}): {where}: "
                             f"{error}; copy it again") from None
        self.done += size
        return size

    def close(self) -> None:
        if not self.closed:
            self.source.close()
            self.file.close()
        super().close()


def _is_damage(error: Exception) -> bool:
    """Whether an error is about the data; one of the system has a number."""
    if isinstance(error, OSError):
        return error.errno is None
    names = {type(error).__name__} | {base.__name__ for base in type(error).__mro__}
    return (isinstance(error, (EOFError, zlib.error, lzma.LZMAError))
            or bool(names & {"IsalError", "ZstdError"}))
