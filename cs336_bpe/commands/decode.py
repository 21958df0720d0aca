"""`decode`: ids to text, from file to file or as a filter, block by block.

What comes out are the bytes that the ids stand for, whether they are text or not; so decoding what
`encode` wrote gives the same file back.
"""

import argparse
import os
from time import perf_counter

from cs336_bpe.commands import streams
from cs336_bpe.commands.console import add_common, print_result, progress_of
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.inputs import add_tokenizer, load
from cs336_bpe.commands.parser import whole_number
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.tokenizer import Tokenizer
from cs336_bpe.tokenizer.id_files import decode_block


def configure_decode(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Decode ids, from a file or standard input: an array in .npy format (known by its first "
        "bytes), bare little-endian integers, or with --text decimal numbers. Without -o, the text "
        "goes to standard output as ids come in.")
    streams.add_files(parser, "a file of ids", "where to write the text")
    add_tokenizer(parser)
    parser.add_argument("--text", action="store_true",
                        help="the ids are decimal numbers with white space between them")
    parser.add_argument("--dtype", choices=["uint16", "uint32"],
                        help="the type of bare integers (default: what 'encode' writes with this "
                        "tokenizer)")
    parser.add_argument("--workers", type=whole_number, metavar="N",
                        help="threads, from file to file (default: one for each processor)")
    add_common(parser)


def run_decode(options: argparse.Namespace) -> int:
    streams.check_output(options, "text")
    if options.text and options.dtype:
        raise UsageError("--text reads decimal numbers, so it does not go with --dtype")
    tokenizer = load(options.tokenizer, options)
    start = perf_counter()
    if "-" in (options.file, options.out) or options.text:
        num_ids, num_bytes = decode_stream(options, tokenizer)
    else:
        with progress_of(options) as progress:
            num_ids = tokenizer.decode_file(options.file, options.out, dtype=options.dtype,
                                            workers=options.workers, progress=progress)
        num_bytes = os.path.getsize(options.out)
    if options.out != "-":
        seconds = perf_counter() - start
        result = {"file": options.file, "out": options.out, "tokens": num_ids, "bytes": num_bytes,
                  "seconds": seconds}
        print_result(options, result, summary=True, text=(
            f"{num_ids:,} tokens: {readable_size(num_bytes)}; {seconds:.2f} s\n"
            f"wrote {options.out}"))
    return 0


def decode_stream(options: argparse.Namespace, tokenizer: Tokenizer) -> tuple[int, int]:
    """Decode as ids come in, and return how many there were, and how many bytes."""
    num_ids = num_bytes = 0
    with (streams.opened_input(options.file) as source,
          streams.opened_output(options.out) as target,
          streams.shown_progress(options, "decode", source, options.file, options.out) as report):
        reader = streams.IdReader(source, "standard input" if options.file == "-" else options.file)
        if options.text:
            blocks = reader.numbers()
        else:
            blocks = reader.integers(options.dtype or tokenizer.smallest_dtype)
        for block in blocks:
            data = decode_block(tokenizer.decoder, block, reader.name)
            target.write(data)
            target.flush()
            num_ids += len(block.ids)
            num_bytes += len(data)
            report(reader.offset)
    return num_ids, num_bytes
