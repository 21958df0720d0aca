"""Counts in a file: three arrays in numpy's `.npz` format, which is a zip of `.npy` files.

The arrays are the columns: the bytes of all pretokens, one after the other and in their order; the
length of each; the count of each. So `numpy.load` reads a file, and what was loaded trains without
a dict in between. Two properties cost something:

- *Canonical.* The same counts give the same bytes, on every machine, so two files can be compared
  with `cmp`. The pretokens are sorted, integers are of the smallest type that holds them all, and
  nothing is compressed, because zlib's output differs from release to release. The headers are
  written here, because those of Python's `zipfile` differ too (3.10 from 3.11). The price: the
  file is more than twice as large as a compressed one. What is not written like this, to the last
  byte, is refused: so whatever happens to a file is noticed.
- *Safe to load.* A file from elsewhere can do no more than raise a ValueError. It can't run code,
  as a pickle can. It can't make the reader allocate what a header claims: what is compressed is
  refused, so a file has room for its own size and no more.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy

from cs336_bpe.common.npy import npy_header, read_npy_header
from cs336_bpe.rules import check_total, shown

NAMES = ("text.npy", "lengths.npy", "counts.npy")
MAGIC = b"PK\3\4"  # of a zip file
MANY = 0xFFFFFFFF  # stands for a size that is written elsewhere, in 64 bits
OLD_MAGIC = b"cs336_bpe pretoken counts 1\n"

Array = numpy.ndarray[Any, Any]


def write_counts(entries: list[tuple[bytes, int]]) -> bytes:
    """The whole file, from entries in the order of their pretokens."""
    text = numpy.frombuffer(b"".join(word for word, _ in entries), numpy.uint8)
    lengths = smallest([len(word) for word, _ in entries])
    counts = smallest([count for _, count in entries])
    return b"".join(archive_of(text, lengths, counts))


def archive_of(*arrays: Array) -> Iterator[bytes | memoryview]:
    """The bytes of a zip file of these arrays, part by part; all sizes in it have 64 bits."""
    offset, entries = 0, b""
    for name, array in zip(NAMES, arrays):
        header, data = npy_header(array.dtype, len(array)), array.data.cast("B")
        size = len(header) + len(data)
        # Version 4.5 of the format, no flags, not compressed, the first day of 1980.
        common = struct.pack("<5HIIIHH", 45, 0, 0, 0, 33, zlib.crc32(data, zlib.crc32(header)),
                             MANY, MANY, len(name), 20)
        sizes = struct.pack("<HHQQ", 1, 16, size, size)
        yield MAGIC + common + name.encode() + sizes + header
        yield data
        # In the directory: made by Unix, and a file that its owner may read and write.
        sizes = struct.pack("<HHQQQ", 1, 24, size, size, offset)
        entries += (b"PK\1\2" + struct.pack("<BB", 45, 3) + common[:-2]
                    + struct.pack("<HHHHII", len(sizes), 0, 0, 0, 0o600 << 16, MANY)
                    + name.encode() + sizes)
        offset += len(MAGIC + common + name.encode()) + 20 + size
    number, end = len(arrays), offset + len(entries)
    yield entries
    yield b"PK\6\6" + struct.pack("<QBBHIIQQQQ", 44, 45, 3, 45, 0, 0, number, number, len(entries),
                                  offset)
    yield b"PK\6\7" + struct.pack("<IQI", 0, end, 1)
    yield b"PK\5\6" + struct.pack("<4H2IH", 0, 0, number, number, MANY, MANY, 0)


def smallest(numbers: list[int]) -> Array:
    """The numbers in the smallest type that holds them, the lowest byte first."""
    dtype = numpy.min_scalar_type(max(numbers, default=0)).newbyteorder("<")
    return numpy.array(numbers, dtype)


def check_magic(start: bytes, name: str) -> None:
    """Whether a file that starts like this can be one of ours."""
    if start.startswith(OLD_MAGIC):
        raise ValueError(f"{name} was written by an earlier release, in a format that this one "
                         f"does not read; count again, or load it there and save a dict of it")
    if not start.startswith(MAGIC):
        problem = f"it starts with {shown(start[:24])}" if start else "it is empty"
        raise ValueError(f"{name} is not a file of pretoken counts: {problem}; give one that "
                         f"PretokenCounts.save has written")


def read_counts(data: bytes, name: str) -> tuple[bytes, Array, Array]:
    """Pretokens, lengths and counts. Accepts what `write_counts` gives."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if tuple(archive.namelist()) != NAMES:
                raise ValueError(f"it holds {', '.join(archive.namelist())[:80]}, not "
                                 f"{', '.join(NAMES)}")
            text, lengths, counts = (read_array(archive, member) for member in NAMES)
        if text.dtype != numpy.uint8:
            raise ValueError(f"the text is of type {text.dtype}, not uint8")
        pretokens = text.tobytes()
        check_columns(pretokens, lengths, counts)
        check_bytes(data, archive_of(text, lengths, counts))
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, OverflowError,
            RuntimeError, struct.error, ValueError) as error:
        raise ValueError(f"{name} is not a file of pretoken counts, or was damaged: "
                         f"{error!s:.300}; copy it again, or count again") from error
    return pretokens, lengths.astype(numpy.uint64), counts.astype(numpy.uint64)


def read_array(archive: zipfile.ZipFile, name: str) -> Array:
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is compressed, and could be a zip bomb")
    member = io.BytesIO(archive.read(name))
    dtype, length = read_npy_header(member)
    rest = member.read()
    if dtype.kind != "u" or length * dtype.itemsize != len(rest):
        raise ValueError(f"{name} has {len(rest)} bytes, but says that it has {length} of {dtype}")
    return numpy.frombuffer(rest, dtype)


def check_bytes(data: bytes, expected: Iterator[bytes | memoryview]) -> None:
    """Whether a file consists of these parts."""
    at = 0
    for part in expected:
        if memoryview(data)[at : at + len(part)] != part:
            raise ValueError(f"it is not written as PretokenCounts.save does, after byte {at}")
        at += len(part)
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes follow its end")


def check_columns(text: bytes, lengths: Array, counts: Array) -> None:
    """Whether there is a count for each pretoken, all are above 0, and the pretokens in order."""
    sizes = lengths.tolist()
    if len(sizes) != len(counts) or sum(sizes) != len(text):
        raise ValueError(f"{len(sizes)} lengths, which add up to {sum(sizes)}, do not fit "
                         f"{len(text)} bytes of text and {len(counts)} counts")
    if not counts.all():
        raise ValueError("a count is zero")
    start, previous = 0, None
    for size in sizes:
        word = text[start:start + size]
        if previous is not None and word <= previous:
            raise ValueError(f"the pretoken {shown(word)} is there twice" if word == previous else
                             f"the pretoken {shown(word)} is out of order after {shown(previous)}")
        start, previous = start + size, word
    check_total(sum(counts.tolist()))
    check_total(sum(size * count for size, count in zip(sizes, counts.tolist())))
