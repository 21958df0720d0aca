"""What goes in and out of `encode`, `decode` and `compare`: text and ids, as files or streams."""

import argparse
import os
import sys
from codecs import utf_8_decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy

from cs336_bpe.commands.console import progress_of, watching_the_reader
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.npy import npy_header
from cs336_bpe.common.progress import reporting
from cs336_bpe.text.blocks import open_text
from cs336_bpe.tokenizer.id_files import IdBlock, IdFile

BLOCK = 1 << 18
LONGEST_NUMBER = 18  # digits; ids have ten at most
DIGITS_AND_SPACE = b"0123456789 \t\n\r\v\f"


# --- Files, or - for standard input and output ---------------------------------------------


def add_out(parser: argparse.ArgumentParser, what: str) -> None:
    """-o, for commands that also take the output as their second argument."""
    parser.add_argument("-o", "--out", dest="named_out", metavar="OUT", help=what)
    parser.add_argument("out", metavar="OUT", nargs="?", help="the same, without -o")


def the_output(options: argparse.Namespace) -> str:
    """What `add_out` was given."""
    if options.out and options.named_out:
        raise UsageError(f"{options.out!r} and -o {options.named_out!r} are two outputs; give one")
    if not options.out and not options.named_out:
        raise UsageError("missing: -o OUT")
    return str(options.out or options.named_out)


def add_files(parser: argparse.ArgumentParser, source: str, target: str) -> None:
    """The arguments for the two files, with what they are."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE",
                        help=f"{source}; - or nothing: standard input")
    parser.add_argument("-o", "--out", default="-", metavar="OUT",
                        help=f"{target}; - or nothing: standard output")


class StandardOutput:
    """Standard output for bytes."""

    name = "standard output"

    def write(self, data: Any) -> None:
        with watching_the_reader():
            sys.stdout.buffer.write(data)

    def flush(self) -> None:
        with watching_the_reader():
            sys.stdout.buffer.flush()


def check_output(options: argparse.Namespace, what: str) -> None:
    """Standard output can have one thing only, and not what a terminal would garble."""
    if options.out != "-":
        return
    if options.json:
        raise UsageError(f"--json needs -o, because standard output is for the {what}")
    if what == "ids" and not options.text and sys.stdout.isatty():
        raise UsageError("standard output is a terminal, and ids are binary; use --text, or -o, or "
                         "a pipe")


@contextmanager
def opened_input(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdin.buffer
    else:
        with open_text(path) as file:
            yield file


@contextmanager
def opened_output(path: str) -> Iterator[Any]:
    if path == "-":
        target = StandardOutput()
        yield target
        target.flush()
    else:
        with atomic_writer(path) as file:
            yield file


@contextmanager
def shown_progress(options: argparse.Namespace, phase: str, source: BinaryIO, *names: str
                   ) -> Iterator[Any]:
    """Progress of reading, if it is from file to file: a filter says nothing."""
    if "-" in names:
        yield lambda done: None
        return
    with progress_of(options) as progress, reporting(
            progress, phase, os.fstat(source.fileno()).st_size) as report:
        yield report


# --- Text and ids --------------------------------------------------------------------------


class TextReader:
    """The text of a stream, block by block, as soon as there is something to read.

    Before each block `before_reading` is called: what is known so far should not wait for it.
    """

    def __init__(self, source: BinaryIO, path: str, errors: str = "strict",
                 before_reading: Callable[[], None] = lambda: None,
                 report: Callable[[int], None] = lambda done: None) -> None:
        self.source = source
        self.name = "standard input" if path == "-" else path
        self.errors = errors
        self.before_reading = before_reading
        self.report = report
        self.offset = 0  # of what has not been decoded yet

    def __iter__(self) -> Iterator[str]:
        held = b""
        while True:
            self.before_reading()
            block = self.source.read1(BLOCK)  # type: ignore[attr-defined]
            text, used = self.decode(held + block, final=not block)
            held = (held + block)[used:]  # a character that is not complete yet
            self.offset += used
            self.report(self.offset)
            if text:
                yield text
            if not block:
                return

    def decode(self, data: bytes, final: bool) -> tuple[str, int]:
        try:
            return utf_8_decode(data, self.errors, final)
        except UnicodeDecodeError as error:
            raise ValueError(f"{self.name} is not valid UTF-8 at byte {self.offset + error.start} "
                             f"({error.reason}); fix it, or use --errors replace or ignore"
                             ) from None


class IdWriter:
    """Writes ids in one of the three ways."""

    def __init__(self, target: Any, dtype: "numpy.dtype[Any]", *, as_text: bool,
                 npy: bool) -> None:
        self.target, self.dtype = target, dtype
        self.as_text, self.npy = as_text, npy
        self.number = 0
        if npy:
            target.write(npy_header(dtype, 0))

    def write(self, ids: "numpy.ndarray[Any, Any]") -> None:
        if self.as_text and len(ids):
            space = " " if self.number else ""
            self.target.write((space + " ".join(map(str, ids.tolist()))).encode())
        elif not self.as_text:
            self.target.write(ids.astype(self.dtype, copy=False).tobytes())
        self.number += len(ids)

    def flush(self) -> None:
        self.target.flush()

    def finish(self) -> None:
        if self.as_text and self.number:
            self.target.write(b"\n")
        if self.npy:  # standard output is never one
            self.target.seek(0)
            self.target.write(npy_header(self.dtype, self.number))


class IdReader(IdFile):
    """Ids from a stream, in blocks."""

    def numbers(self) -> Iterator[IdBlock]:
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
                yield IdBlock(numpy.array(list(map(int, words))), number)
                number += len(words)

    def complain(self, words: list[bytes], number: int) -> None:
        """Name the first word that is not a number."""
        for place, word in enumerate(words, number):
            if not word.isdigit() or len(word) > LONGEST_NUMBER:
                shown = word[:40].decode("utf-8", "backslashreplace")
                raise ValueError(f"{self.name}: the id at place {place} is {shown!r}, which is not "
                                 f"a number; without --text, ids are read as integers")
