"""`encode`: text to ids, from file to file with threads, or as a filter in bounded memory.

Ids are written as bare little-endian integers, as an array for `numpy.load` if the name ends in
`.npy`, or with `--text` as decimal numbers with spaces between them. There is no line of ids for
each line of text: a token may contain the end of a line, and the spaces around it.
"""

import argparse
import os
from time import perf_counter

import numpy

from cs336_bpe.commands import streams
from cs336_bpe.commands.console import add_common, print_result, progress_of
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.inputs import add_reading, add_tokenizer, load
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.tokenizer import Tokenizer


def configure_encode(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Encode a text file, or standard input, to ids: bare little-endian integers (uint16 if "
        "all ids fit, else uint32), a .npy file, or numbers to read with --text. Without -o, ids "
        "go to standard output as the text comes in; memory stays small in either case.")
    streams.add_files(parser, "a text file, in UTF-8",
                      "OUT.npy for numpy.load, any other name for bare integers")
    add_tokenizer(parser)
    parser.add_argument("--text", action="store_true",
                        help="write decimal numbers with spaces between them")
    parser.add_argument("--dtype", choices=["uint16", "uint32"], help="the type of the integers")
    parser.add_argument("--specials", choices=["all", "none", "raise"], default="all",
                        help="whether special tokens in the text are recognised, are plain text, "
                        "or are an error (default: all)")
    add_reading(parser)
    add_common(parser)


def run_encode(options: argparse.Namespace) -> int:
    streams.check_output(options, "ids")
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
            f"{readable_size(num_bytes)}: {num_ids:,} tokens{ratio}; {seconds:.2f} s, {speed:,.0f} "
            f"MB/s\nwrote {options.out} ({kind})"))
    return 0


def encode_stream(options: argparse.Namespace, tokenizer: Tokenizer) -> tuple[int, int]:
    """Encode block by block; returns how many ids and bytes there were."""
    dtype = numpy.dtype(options.dtype or tokenizer.smallest_dtype).newbyteorder("<")
    with streams.opened_input(options.file) as source, streams.opened_output(options.out) as target:
        ids = streams.IdWriter(target, dtype, as_text=options.text,
                               npy=options.out.endswith(".npy"))
        with streams.shown_progress(options, "encode", source) as report:
            text = streams.TextReader(source, options.file, options.errors, ids.flush, report)
            for array in tokenizer.encode_arrays(text, dtype, specials=options.specials):
                ids.write(array)
        ids.finish()
    return ids.number, text.offset
