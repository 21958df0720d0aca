"""Documents packed into blocks, so that short ones cost no more than a part of a long file."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy

from cs336_bpe.common.built import is_built
from cs336_bpe.text.blocks import Block, Packing, decode
from cs336_bpe.text.utf8 import as_utf8

if TYPE_CHECKING:
    from cs336_bpe.text.blocks import Array

Document = tuple[bytes, int]
"""A document as UTF-8, and a number that says where it was."""


def as_document(text: object, errors: str, where: str) -> bytes:
    """The UTF-8 bytes of a document. What is not UTF-8 is left to be found in a thread.

    >>> as_document("é", "strict", "line 1"), as_document(b"a\\xff", "ignore", "line 1")
    (b'\\xc3\\xa9', b'a')
    """
    if isinstance(text, str):
        if errors == "strict":
            return as_utf8(text, where)
        try:
            return text.encode()
        except UnicodeEncodeError:  # a lone surrogate, which JSON can have
            return text.encode("utf-8", "surrogatepass").decode("utf-8", errors).encode()
    if isinstance(text, (bytes, bytearray, memoryview)):
        data = bytes(text)
        return data if errors == "strict" else decode(data, errors, where).encode()
    raise TypeError(f"{where} is a {type(text).__name__}; it must be str or bytes")


class PackedReader:
    """Gives out documents in blocks.

    `place` says in words where a document was, and `position` how much of the input is read.

    >>> reader = PackedReader([(b"one", 0), (b"two", 1), (b"three", 2)], 6, "texts",
    ...                       place=lambda number: f"text {number}")
    >>> block = reader.read_block(bytearray())
    >>> list(block.texts()), block.packing.place(1)
    ([b'one', b'two'], 'text 1')
    """

    def __init__(self, documents: Iterable[Document], block_bytes: int, name: str, *,
                 place: Callable[[int], str], position: Callable[[], int] | None = None,
                 specials: bool = False, documents_end: bool = True) -> None:
        self.block_bytes = block_bytes
        self.end = None
        self._documents: Iterator[Document] = iter(documents)
        self._name = name
        self._place = place
        self._position = position
        self._specials, self._documents_end = specials, documents_end
        self._done = 0

    def read_block(self, buffer: bytearray) -> Block | None:
        texts: list[bytes] = []
        places: list[int] = []
        left = self.block_bytes
        for text, where in self._documents:
            texts.append(text)
            places.append(where)
            left -= len(text)
            if left <= 0 or len(texts) == self.block_bytes:  # there may be millions of empty ones
                break
        if not texts:
            return None
        size = self.block_bytes - left
        ends = pack(texts, buffer)
        position = self._done + size if self._position is None else self._position()
        read, self._done = position - self._done, position
        packing = Packing(ends, self._specials, self._documents_end,
                          lambda number: self._place(places[number]))
        return Block(buffer, size, 0, self._name, packing, read)


def pack(texts: list[Any], buffer: bytearray) -> "Array":
    """Put texts one after the other, as UTF-8, and return where each ends; see `pack.pyx`."""
    if is_built():  # with one copy of each text
        from cs336_bpe.inputs.pack import pack as pack_compiled

        return pack_compiled(texts, buffer)
    data = [text.encode() if isinstance(text, str) else bytes(text) for text in texts]
    ends = numpy.cumsum(list(map(len, data)), dtype=numpy.uint64)
    put(buffer, b"".join(data), int(ends[-1]))
    return ends


def put(buffer: bytearray, data: Any, size: int) -> None:
    """Put bytes into a buffer, which grows if it must. What is after them has no meaning."""
    if len(buffer) < size:
        buffer.extend(bytes(size - len(buffer)))
    with memoryview(buffer) as view:
        view[:size] = data
