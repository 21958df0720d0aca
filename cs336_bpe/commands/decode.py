"""`decode`: ids to text, from file to file or as a filter, block by block.

What comes out are the bytes that the ids stand for, whether they are text or not; so decoding what
`encode` wrote gives the same file back.
"""

import argparse
import io
from collections.abc import Iterator
from time import perf_counter
from typing import Any, BinaryIO

import numpy

from cs336_bpe.commands.console import add_common, megabytes, print_result
from cs336_bpe.commands.encode import check_output, opened_input, opened_output, shown_progress
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.inputs import add_tokenizer, load
from cs336_bpe.tokenizer import Tokenizer

BLOCK = 1 << 18
LONGEST_NUMBER = 18  # digits; ids have ten at most
DIGITS_AND_SPACE = b"0123456789 \t\n\r\v\f"
NPY_MAGIC = b"\x93NUMPY"


def configure_decode(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Decode ids, from a file or standard input: an array in .npy format (known by its first "
        "bytes), bare little-endian integers, or with --text decimal numbers. Without -o, the text "
        "goes to standard output as ids come in.")
    parser.add_argument("file", nargs="?", default="-", metavar="IN",
                        help="a file of ids; - or nothing: standard input")
    parser.add_argument("-o", "--out", default="-", metavar="OUT",
                        help="where to write the text; - or nothing: standard output")
    add_tokenizer(parser)
    parser.add_argument("--text", action="store_true",
                        help="the ids are decimal numbers with white space between them")
    parser.add_argument("--dtype", choices=["uint16", "uint32"],
                        help="the type of bare integers (default: what 'encode' writes with this "
                        "tokenizer)")
    add_common(parser)


def run_decode(options: argparse.Namespace) -> int:
    check_output(options, "text")
    if options.text and options.dtype:
        raise UsageError("--text reads decimal numbers, so it does not go with --dtype")
    tokenizer = load(options.tokenizer, options)
    start = perf_counter()
    num_ids = num_bytes = 0
    with (opened_input(options.file) as source, opened_output(options.out) as target,
          shown_progress(options, "decode", source) as report):
        reader = IdReader(source, "standard input" if options.file == "-" else options.file)
        if options.text:
            blocks = reader.numbers()
        else:
            blocks = reader.integers(numpy.dtype(options.dtype or tokenizer.smallest_dtype))
        for ids in blocks:
            data = decode_block(tokenizer, ids, num_ids, reader.name)
            target.write(data)
            target.flush()
            num_ids += len(ids)
            num_bytes += len(data)
            report(reader.offset)
    if options.out != "-":
        seconds = perf_counter() - start
        result = {"file": options.file, "out": options.out, "tokens": num_ids, "bytes": num_bytes,
                  "seconds": seconds}
        print_result(options, result, summary=True, text=(
            f"{num_ids:,} tokens: {megabytes(num_bytes)}; {seconds:.2f} s\nwrote {options.out}"))
    return 0


def decode_block(tokenizer: Tokenizer, ids: "numpy.ndarray[Any, Any]", before: int,
                 name: str) -> bytes:
    try:
        return tokenizer.decode_bytes(ids)
    except ValueError:
        for place, number in enumerate(ids.tolist(), before):
            if number not in tokenizer.vocab:
                raise ValueError(
                    f"{name}: the id at place {place} is {number}, which this tokenizer does not "
                    f"have (its greatest is {max(tokenizer.vocab)}); check that it is the "
                    f"tokenizer, and the --dtype, that the ids were written with") from None
        raise


class IdReader:
    """Ids from a stream, in blocks."""

    def __init__(self, source: BinaryIO, name: str) -> None:
        self.source, self.name = source, name
        self.offset = 0

    def read(self) -> bytes:
        """What there is to read, at most a block; empty at the end."""
        block: bytes = self.source.read1(BLOCK)  # type: ignore[attr-defined]
        self.offset += len(block)
        return block

    def integers(self, dtype: "numpy.dtype[Any]") -> Iterator["numpy.ndarray[Any, Any]"]:
        """Bare integers, or an array in `.npy` format."""
        held = b""
        while len(held) < len(NPY_MAGIC) and (block := self.read()):
            held += block
        expected = None
        dtype = dtype.newbyteorder("<")
        if held.startswith(NPY_MAGIC):
            held, dtype, expected = self.npy_header(held)
        number = 0
        more = True
        while more or len(held) >= dtype.itemsize:
            whole = len(held) - len(held) % dtype.itemsize
            if whole:
                yield numpy.frombuffer(held[:whole], dtype)
                number += whole // dtype.itemsize
            block = self.read()
            held, more = held[whole:] + block, bool(block)
        if held or (expected is not None and number != expected):
            wanted = f"{expected:,} of them" if expected is not None else "a whole number of them"
            raise ValueError(f"{self.name} has {number:,} integers of {dtype.itemsize} bytes and "
                             f"{len(held)} bytes more, not {wanted}; it is cut short, or of "
                             f"another --dtype")

    def npy_header(self, held: bytes) -> tuple[bytes, "numpy.dtype[Any]", int]:
        """What follows the header, and what that says: the type and the number of ids."""
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
        file = io.BytesIO(held[:length])
        try:
            version = numpy.lib.format.read_magic(file)
            read = (numpy.lib.format.read_array_header_1_0 if version == (1, 0)
                    else numpy.lib.format.read_array_header_2_0)
            shape, _, dtype = read(file)
        except ValueError as error:
            raise ValueError(f"{self.name} has a .npy header that can't be read: {error}") from None
        if len(shape) != 1 or dtype.kind not in "iu":
            raise ValueError(f"{self.name} is an array of {dtype} with {len(shape)} dimensions; "
                             f"ids are integers in one dimension")
        return held[length:], dtype, int(shape[0])

    def numbers(self) -> Iterator["numpy.ndarray[Any, Any]"]:
        """Decimal numbers with white space between them."""
        held = b""
        number = 0
        more = True
        while more:
            block = self.read()
            more = bool(block)
            words = (held + block).split()
            # The last one may go on in the next block.
            held = words.pop() if more and words and not block[-1:].isspace() else b""
            checked = [*words, held] if len(held) > LONGEST_NUMBER else words
            longest = max(map(len, checked), default=0)
            if longest > LONGEST_NUMBER or block.translate(None, DIGITS_AND_SPACE):
                self.complain([*words, held], number)
            if words:
                yield numpy.array(list(map(int, words)))
                number += len(words)

    def complain(self, words: list[bytes], number: int) -> None:
        """Name the first word that is no number."""
        for place, word in enumerate(words, number):
            if not word.isdigit() or len(word) > LONGEST_NUMBER:
                shown = word[:40].decode("utf-8", "backslashreplace")
                raise ValueError(f"{self.name}: the id at place {place} is {shown!r}, which is no "
                                 f"number; without --text, ids are read as integers")
