"""Inputs cut into parts that can be read by themselves, by other processes and machines.

A part of a text is a range of bytes that somebody has chosen without looking at the file. Where it
really begins is the first place at or after its nominal beginning at which a text may be cut; and
it ends where the next part begins. So two neighbours agree without talking to each other. A part
of a file of JSON lines has the lines that begin in its range; one of a parquet file has row groups.
What is compressed can be read from the beginning only, and is one part.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from cs336_bpe.inputs.arrow import ParquetFile
from cs336_bpe.inputs.finding import Input
from cs336_bpe.text.cuts import Cutter

FIRST_WINDOW = 1 << 9  # bytes that are looked at to find a place to cut, at first


@dataclass(frozen=True)
class Part:
    """A part of an input: from `start` to `end`, in bytes, or in row groups of a parquet file.

    `end` is None where the input ends. `size` is about how many bytes there are between the two, if
    these are row groups.
    """

    source: Input
    start: int = 0
    end: int | None = None
    size: int | None = None

    @property
    def is_whole(self) -> bool:
        return self.start == 0 and self.end is None

    @property
    def nominal_bytes(self) -> int:
        """About how much of the input it is; 0 if nobody knows."""
        if self.size is not None:
            return self.size
        return (self.source.size or 0 if self.end is None else self.end) - self.start


def split(inputs: Iterable[Input], part_bytes: int, *, field: str = "text",
          can_cut: bool = True) -> Iterator[Part]:
    """The parts of all inputs, of about `part_bytes` each, in order.

    `can_cut` says whether a text can be cut without reading it from the beginning: with a pattern
    about which nothing is known, it can't.

    >>> source = Input("a.txt", 250, None, "text")
    >>> [(part.start, part.end) for part in split([source], 100)]
    [(0, 100), (100, 200), (200, None)]
    """
    for source in inputs:
        whole = source.is_stream or source.compression is not None or source.format == "documents"
        if source.size == 0 and source.format != "documents":
            continue
        if source.format == "parquet":
            yield from split_parquet(source, part_bytes, field)
        elif whole or (source.format == "text" and not can_cut):
            yield Part(source)
        else:
            size = source.size or 0
            starts = range(0, max(size, 1), part_bytes)
            for start in starts:
                end = start + part_bytes
                yield Part(source, start, end if end < size else None)


def gather(parts: Iterable[Part], part_bytes: int) -> Iterator[list[Part]]:
    """Parts, with whole files that are small put together, up to `part_bytes`.

    >>> small = [Part(Input(name, 40, None, "text")) for name in ("a", "b", "c")]
    >>> [len(chunk) for chunk in gather(small, 100)]
    [2, 1]
    """
    chunk: list[Part] = []
    size = 0
    for part in parts:
        same = not chunk or (part.source.format, part.source.compression) == (
            chunk[0].source.format, chunk[0].source.compression)
        if chunk and not (part.is_whole and chunk[0].is_whole and same
                          and size + part.nominal_bytes <= part_bytes
                          and part.source.format != "parquet"):
            yield chunk
            chunk, size = [], 0
        chunk.append(part)
        size += part.nominal_bytes
    if chunk:
        yield chunk


def split_parquet(source: Input, part_bytes: int, field: str) -> Iterator[Part]:
    file = ParquetFile(source.path, field)
    try:
        start = size = 0
        for group in range(len(file.groups)):
            size += file.groups[group].total_byte_size
            if size >= part_bytes and group + 1 < len(file.groups):
                yield Part(source, start, group + 1, file.places[group + 1] - file.places[start])
                start, size = group + 1, 0
        yield Part(source, start, None, file.places[-1] - file.places[start])
    finally:
        file.file.close()


def first_cut(file: BinaryIO, wanted: int, size: int, cutter: Cutter) -> int:
    """The first place at or after `wanted` where a text may be cut; its end if there is none.

    >>> import io
    >>> text = b"one two three"
    >>> [first_cut(io.BytesIO(text), place, len(text), Cutter([])) for place in (0, 3, 4, 8)]
    [0, 3, 7, 13]
    """
    if wanted <= 0:
        return 0
    # Everything that can tell a cut from something else is in view on the left, wherever a
    # neighbour begins to look: so all agree.
    start = max(0, wanted - 8 * cutter.longest - 256)
    length = wanted - start + FIRST_WINDOW + 8 * cutter.longest
    while True:
        file.seek(start)
        window = file.read(length)
        at_end = start + len(window) >= size
        cut = first_cut_in(window, wanted - start, cutter)
        if cut:
            return start + cut
        if at_end or len(window) < length:
            return size
        length *= 2


def first_cut_in(data: bytes, first: int, cutter: Cutter) -> int:
    """The first cut in `data[first:]`; 0 if none is seen."""
    found, size = 0, len(data)
    while size > first and (cut := cutter.last_cut(data, size, first=max(first, 1))):
        found = cut
        # One before it is seen if as much of the text is in view as there may be a special token.
        size = cut - 1 + max(cutter.longest, 1)
    return found


def borders(file: BinaryIO, part: Part, cutter: Cutter) -> tuple[int, int]:
    """Where a part of a text really begins and ends."""
    size = part.source.size or 0
    begin = first_cut(file, part.start, size, cutter)
    end = size if part.end is None else first_cut(file, part.end, size, cutter)
    return begin, max(begin, end)
