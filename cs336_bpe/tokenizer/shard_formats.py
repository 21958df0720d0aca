"""Files of ids as programs read them: numpy's, bare integers, nanoGPT's, llm.c's, Megatron's.

A format says how a file begins, and of which type its ids are. All integers have the lowest byte
first, on every machine.
"""

import struct
from typing import Any, BinaryIO, Protocol

import numpy

from cs336_bpe.common.npy import npy_header

Array = numpy.ndarray[Any, Any]

LLMC_HEADER = 256  # integers of 4 bytes
LLMC_MAGIC = {"<u2": (20240520, 1), "<u4": (20240801, 7)}  # and the version
MEGATRON_MAGIC = b"MMIDIDX\x00\x00"
MEGATRON_TYPES = {"<i4": 4, "<u2": 8}


class ShardFormat(Protocol):
    """How ids are written to a file."""

    suffix: str

    def header(self, dtype: "numpy.dtype[Any]", number: int) -> bytes:
        """What comes before `number` ids; its length does not depend on the number."""

    def dtype(self, wanted: "numpy.dtype[Any]", smallest: "numpy.dtype[Any]"
              ) -> "numpy.dtype[Any]":
        """The type of ids in a file, or an error if the format can't have the one wanted."""


class Npy:
    """An array for `numpy.load`."""

    suffix = ".npy"

    def header(self, dtype: "numpy.dtype[Any]", number: int) -> bytes:
        return npy_header(dtype, number)

    def dtype(self, wanted: "numpy.dtype[Any]", smallest: "numpy.dtype[Any]"
              ) -> "numpy.dtype[Any]":
        return wanted


class Bare(Npy):
    """Integers and nothing else, for `numpy.memmap`."""

    suffix = ".bin"

    def header(self, dtype: "numpy.dtype[Any]", number: int) -> bytes:
        return b""


class NanoGPT(Bare):
    """Bare integers of 2 bytes: `train.bin` of nanoGPT."""

    def dtype(self, wanted: "numpy.dtype[Any]", smallest: "numpy.dtype[Any]"
              ) -> "numpy.dtype[Any]":
        if smallest.itemsize > 2:
            raise ValueError("nanoGPT reads ids of 2 bytes, and this vocabulary has ids above "
                             "65,535; use another format, such as 'bin'")
        return numpy.dtype("<u2")


class LlmC:
    """A header of 256 integers, then ids of 2 bytes (or of 4, as llm.c has for Llama 3)."""

    suffix = ".bin"

    def header(self, dtype: "numpy.dtype[Any]", number: int) -> bytes:
        if number >= 1 << 31:
            raise ValueError(f"a shard has {number:,} tokens, and llm.c counts them in 31 bits; "
                             f"make shards smaller")
        magic, version = LLMC_MAGIC[dtype.str]
        return struct.pack("<3i", magic, version, number).ljust(4 * LLMC_HEADER, b"\0")

    def dtype(self, wanted: "numpy.dtype[Any]", smallest: "numpy.dtype[Any]"
              ) -> "numpy.dtype[Any]":
        return numpy.dtype("<u2" if smallest.itemsize == 2 else "<u4")


class Megatron(Bare):
    """Bare integers, and beside them an `.idx` file that says where each document is."""

    def dtype(self, wanted: "numpy.dtype[Any]", smallest: "numpy.dtype[Any]"
              ) -> "numpy.dtype[Any]":
        return numpy.dtype("<u2" if smallest.itemsize == 2 else "<i4")


FORMATS: dict[str, ShardFormat] = {
    "npy": Npy(), "bin": Bare(), "nanogpt": NanoGPT(), "llmc": LlmC(), "megatron": Megatron(),
}


def write_megatron_index(file: BinaryIO, dtype: "numpy.dtype[Any]", ends: Array,
                         number: int) -> None:
    """Write the index of a shard whose documents end at `ends`; it has `number` ids.

    What follows the last end is a document too, which goes on in the next shard.
    """
    if number and (not len(ends) or ends[-1] != number):
        ends = numpy.append(ends, number)
    lengths = numpy.diff(ends, prepend=0)
    starts = (ends - lengths) * dtype.itemsize
    file.write(MEGATRON_MAGIC)
    file.write(struct.pack("<QBQQ", 1, MEGATRON_TYPES[dtype.str], len(ends), len(ends) + 1))
    file.write(lengths.astype("<i4").tobytes())
    file.write(starts.astype("<i8").tobytes())
    file.write(numpy.arange(len(ends) + 1).astype("<i8").tobytes())
