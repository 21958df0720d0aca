"""Ids from a file or a stream, and decoding a file to a file, in blocks, with threads."""

import io
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.text.blocks import file_size, open_text
from cs336_bpe.text.crew import over_items
from cs336_bpe.tokenizer.decoder import Decoder
from cs336_bpe.tokenizer.files import check_different

if TYPE_CHECKING:
    import numpy
    from numpy.typing import DTypeLike

BLOCK = 1 << 18
NPY_MAGIC = b"\x93NUMPY"


class IdBlock(NamedTuple):
    """Some ids of a file, and how many there were before them."""

    ids: "numpy.ndarray[Any, Any]"
    before: int


class IdFile:
    """Integers from a stream, in blocks."""

    def __init__(self, source: BinaryIO, name: str) -> None:
        self.source, self.name = source, name
        self.offset = 0

    def read(self) -> bytes:
        """What there is to read, at most a block; empty at the end."""
        block: bytes = self.source.read1(BLOCK)  # type: ignore[attr-defined]
        self.offset += len(block)
        return block

    def integers(self, dtype: "DTypeLike") -> Iterator[IdBlock]:
        """Bare integers of a type, little-endian unless it says otherwise; or an array in `.npy`
        format, which has its own type."""
        import numpy

        held = b""
        while len(held) < len(NPY_MAGIC) and (block := self.read()):
            held += block
        expected = None
        kind = numpy.dtype(dtype)
        if kind.byteorder != ">":
            kind = kind.newbyteorder("<")
        if held.startswith(NPY_MAGIC):
            held, kind, expected = self.npy_header(held)
        number = 0
        more = True
        while more or len(held) >= kind.itemsize:
            whole = len(held) - len(held) % kind.itemsize
            if whole:
                yield IdBlock(numpy.frombuffer(held[:whole], kind), number)
                number += whole // kind.itemsize
            block = self.read()
            held, more = held[whole:] + block, bool(block)
        if held or (expected is not None and number != expected):
            wanted = f"{expected:,} of them" if expected is not None else "a whole number of them"
            raise ValueError(f"{self.name} has {number:,} integers of {kind.itemsize} bytes and "
                             f"{len(held)} bytes more, not {wanted}; it is cut short, or of "
                             f"another dtype")

    def npy_header(self, held: bytes) -> tuple[bytes, "numpy.dtype[Any]", int]:
        """What follows the header, and what that says: the type and the number of ids."""
        from cs336_bpe.common.npy import read_npy_header

        while len(held) < 12 and (block := self.read()):
            held += block
        first_version = held[6:7] == b"\x01"
        start = 10 if first_version else 12
        length = start + int.from_bytes(held[8:start], "little")
        if length > 10_000:
            raise ValueError(f"{self.name} has a .npy header of {length:,} bytes; no array of ids "
                             f"has")
        while len(held) < length and (block := self.read()):
            held += block
        try:
            dtype, number = read_npy_header(io.BytesIO(held[:length]))
        except ValueError as error:
            raise ValueError(f"{self.name} is not an array of ids: {error}") from None
        return held[length:], dtype, number


def check_id_type(dtype: "DTypeLike") -> "numpy.dtype[Any]":
    """The type of ids in a file, if it is one of integers."""
    import numpy

    kind = numpy.dtype(dtype)
    if kind.kind not in "iu":
        raise TypeError(f"dtype is {kind}; it must be a type of integers")
    return kind


def decode_block(decoder: Decoder, block: IdBlock, name: str) -> bytes:
    """The bytes of some ids of a file."""
    try:
        return decoder.decode_part(block.ids, block.before, (f"{name}: the id at place ", " is "))
    except ValueError as error:
        raise ValueError(f"{error}; check that it is the tokenizer, and the dtype, that the ids "
                         f"were written with") from None


def decode_file(decoder: Decoder, ids_path: AnyPath, output_path: AnyPath, dtype: "DTypeLike",
                workers: int, progress: Progress) -> int:
    """One run of `Tokenizer.decode_file`."""
    kind = check_id_type(dtype)
    name = os.fsdecode(ids_path)
    num_ids = 0
    with open_text(ids_path) as source:
        check_different(source, ids_path, output_path)
        size = file_size(source)
        reader = IdFile(source, name)
        if size is not None:
            workers = min(workers, -(-size // BLOCK))  # no more threads than blocks
        # The last call of `progress` may raise too, and then there is to be no output.
        with (atomic_writer(output_path) as target,
              reporting(progress, "decode", size or 0) as report):

            def counted() -> Iterator[IdBlock]:
                nonlocal num_ids
                for block in reader.integers(kind):
                    num_ids += len(block.ids)
                    yield block

            def write(data: bytes) -> None:
                target.write(data)

            over_items(counted(), lambda block: decode_block(decoder, block, name), workers,
                       lambda: report(reader.offset), use=write)
    return num_ids
