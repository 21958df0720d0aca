"""`encode`: text to ids, from file to file with threads, or as a filter in bounded memory.

Ids are written as bare little-endian integers, as an array for `numpy.load` if the name ends in
`.npy`, or with `--text` as decimal numbers with blanks between them. There is no line of ids for
each line of text: a token may contain the end of a line, and the blanks around it.
"""

import argparse
import os
import sys
from codecs import utf_8_decode
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, BinaryIO

import numpy

from cs336_bpe.commands.console import (
    StandardOutput,
    add_common,
    megabytes,
    print_result,
    progress_of,
    standard_input,
)
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.inputs import add_reading, add_tokenizer, load
from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.progress import reporting
from cs336_bpe.text.blocks import open_text
from cs336_bpe.tokenizer import Tokenizer
from cs336_bpe.tokenizer.files import npy_header

BLOCK = 1 << 16


def configure_encode(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Encode a text file, or standard input, to ids: bare little-endian integers (uint16 if "
        "all ids fit, else uint32), a .npy file, or numbers to read with --text. Without -o, ids "
        "go to standard output as the text comes in; memory stays small in either case.")
    parser.add_argument("file", nargs="?", default="-", metavar="FILE",
                        help="a text file, in UTF-8; - or nothing: standard input")
    parser.add_argument("-o", "--out", default="-", metavar="OUT",
                        help="OUT.npy for numpy.load, any other name for bare integers; - or "
                        "nothing: standard output")
    add_tokenizer(parser)
    parser.add_argument("--text", action="store_true",
                        help="write decimal numbers with blanks between them")
    parser.add_argument("--dtype", choices=["uint16", "uint32"], help="the type of the integers")
    parser.add_argument("--specials", choices=["all", "none", "raise"], default="all",
                        help="whether special tokens in the text are recognised, are plain text, "
                        "or are an error (default: all)")
    add_reading(parser)
    add_common(parser)


def run_encode(options: argparse.Namespace) -> int:
    check_output(options, "ids")
    if options.text and (options.dtype or options.out.endswith(".npy")):
        raise UsageError("--text writes decimal numbers, so it goes neither with --dtype nor .npy")
    tokenizer = load(options.tokenizer, options)
    start = perf_counter()
    if "-" in (options.file, options.out) or options.text:
        num_ids, num_bytes = encode_stream(options, tokenizer)
    else:
        with progress_of(options) as progress:
            num_ids = tokenizer.encode_file(
                options.file, options.out, workers=options.workers, progress=progress,
                dtype=options.dtype, errors=options.errors, specials=options.specials)
        num_bytes = os.path.getsize(options.file)
    seconds = perf_counter() - start
    if options.out != "-":
        kind = "text" if options.text else str(tokenizer.smallest_dtype
                                               if options.dtype is None else options.dtype)
        result = {"file": options.file, "out": options.out, "bytes": num_bytes, "tokens": num_ids,
                  "bytes_per_token": num_bytes / num_ids if num_ids else None, "dtype": kind,
                  "seconds": seconds}
        ratio = f", {num_bytes / num_ids:.3f} bytes per token" if num_ids else ""
        speed = num_bytes / seconds / 1e6
        print_result(options, result, summary=True, text=(
            f"{megabytes(num_bytes)}: {num_ids:,} tokens{ratio}; {seconds:.2f} s, {speed:,.0f} "
            f"MB/s\nwrote {options.out} ({kind})"))
    return 0


def check_output(options: argparse.Namespace, what: str) -> None:
    """Standard output can have one thing only, and not what a terminal would garble."""
    if options.out != "-":
        return
    if options.json:
        raise UsageError(f"--json needs -o, because standard output is for the {what}")
    if what == "ids" and not options.text and sys.stdout.isatty():
        raise UsageError("standard output is a terminal, and ids are binary; use --text, or -o, or "
                         "a pipe")


# --- The filter ----------------------------------------------------------------------------


def encode_stream(options: argparse.Namespace, tokenizer: Tokenizer) -> tuple[int, int]:
    """Encode block by block; returns how many ids and bytes there were."""
    dtype = numpy.dtype(options.dtype or tokenizer.smallest_dtype).newbyteorder("<")
    with opened_input(options.file) as source, opened_output(options.out) as target:
        ids = IdWriter(target, dtype, as_text=options.text, npy=options.out.endswith(".npy"))
        with shown_progress(options, "encode", source) as report:
            text = TextReader(source, options.file, options.errors, ids.flush, report)
            for array in tokenizer.encode_arrays(text, dtype, specials=options.specials):
                ids.write(array)
        ids.finish()
    return ids.number, text.offset


@contextmanager
def opened_input(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield standard_input()
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
def shown_progress(options: argparse.Namespace, phase: str, source: BinaryIO) -> Iterator[Any]:
    """Progress of reading, if it is from file to file: a filter says nothing."""
    if "-" in (options.file, options.out):
        yield lambda done: None
        return
    with progress_of(options) as progress, reporting(
            progress, phase, os.fstat(source.fileno()).st_size) as report:
        yield report


class TextReader:
    """The text of a stream, block by block, as soon as there is something to read.

    Before each block `before_reading` is called: what is known so far should not wait for it.
    """

    def __init__(self, source: BinaryIO, path: str, errors: str, before_reading: Any,
                 report: Any) -> None:
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
                             f"({error.reason}); mend it, or use --errors replace or ignore"
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
            blank = " " if self.number else ""
            self.target.write((blank + " ".join(map(str, ids.tolist()))).encode())
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


