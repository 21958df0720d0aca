"""`encode`: corpora to ids, to one file or to shards with threads, or as a filter.

Ids are written as bare little-endian integers, as an array for `numpy.load` if the name ends in
`.npy`, or with `--text` as decimal numbers with spaces between them. There is no line of ids for
each line of text: a token may contain the end of a line, and the spaces around it.
"""

import argparse
import os
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import BinaryIO

import numpy

from cs336_bpe.commands import streams
from cs336_bpe.commands.cluster import add_cluster, connected
from cs336_bpe.commands.console import add_common, print_result, progress_of
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.inputs import add_input_form, add_reading, add_tokenizer, find_corpus, load
from cs336_bpe.commands.parser import whole_number
from cs336_bpe.common.amounts import plural, readable_size
from cs336_bpe.inputs import Corpus, Input
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES
from cs336_bpe.tokenizer import Tokenizer
from cs336_bpe.tokenizer.files import DEFAULT_SEPARATOR
from cs336_bpe.tokenizer.shard_formats import FORMATS

DEFAULT_SHARD_TOKENS = 100_000_000


def configure_encode(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Encode files, or standard input, to ids: bare little-endian integers (uint16 if all ids "
        "fit, else uint32), a .npy file, or numbers to read with --text. With --shard-tokens or "
        "--format, ids go to shards in a folder, with an index; if that is stopped, the same "
        "command continues it. Without -o, ids go to standard output as the text comes in; memory "
        "stays small in every case.")
    parser.add_argument("files", nargs="*", metavar="FILE",
                        help="text, compressed text, JSON lines or parquet files; folders and "
                        "patterns of these; - or nothing: standard input")
    parser.add_argument("-o", "--out", default="-", metavar="OUT",
                        help="OUT.npy for numpy.load, any other name for bare integers, a folder "
                        "for shards; - or nothing: standard output")
    add_tokenizer(parser)
    parser.add_argument("--text", action="store_true",
                        help="write decimal numbers with spaces between them")
    parser.add_argument("--dtype", choices=["uint16", "uint32"], help="the type of the integers")
    parser.add_argument("--specials", choices=["all", "none", "raise"],
                        help="whether special tokens are recognised, are plain text, or are an "
                        "error (default: all in text, none in the documents of JSON lines and "
                        "parquet)")
    parser.add_argument("--separator", default=DEFAULT_SEPARATOR, metavar="TOKEN",
                        help="the special token after each document of JSON lines and parquet; "
                        "none: no token (default: <|endoftext|>, if the tokenizer has it)")
    add_input_form(parser)
    parser.add_argument("--shard-tokens", type=whole_number, metavar="N",
                        help=f"write shards of N tokens to the folder OUT (default with --format: "
                        f"{DEFAULT_SHARD_TOKENS:,})")
    parser.add_argument("--format", choices=list(FORMATS), help="of the shards (default: npy)")
    add_cluster(parser)
    add_reading(parser)
    add_common(parser)


def run_encode(options: argparse.Namespace) -> int:
    streams.check_output(options, "ids")
    sharded = options.shard_tokens is not None or options.format is not None
    if options.text and (options.dtype or options.out.endswith(".npy") or sharded):
        raise UsageError("--text writes decimal numbers, so it goes neither with --dtype nor .npy, "
                         "nor with shards")
    if sharded and options.out == "-":
        raise UsageError("shards need a folder: give one with -o")
    if options.dask and not sharded:
        raise UsageError("--dask makes shards: give --shard-tokens or --format, and a folder")
    if options.separator == "none":
        options.separator = None
    tokenizer = load(options.tokenizer, options)
    corpus = find_corpus(options.files or ["-"], options)
    start = perf_counter()
    if sharded:
        return encode_shards(options, tokenizer, corpus)
    if options.out == "-" or options.text or corpus.inputs[0].path == "-":
        num_ids, num_bytes = encode_stream(options, tokenizer, corpus)
    else:
        with progress_of(options) as progress:
            num_ids = tokenizer.encode_file(
                corpus, options.out, workers=options.workers, progress=progress,
                dtype=options.dtype, errors=options.errors, specials=options.specials,
                separator=options.separator)
        num_bytes = corpus.size
    seconds = perf_counter() - start
    if options.out != "-":
        kind = "text" if options.text else str(tokenizer.smallest_dtype
                                               if options.dtype is None else options.dtype)
        files = options.files or ["-"]
        result = {"file": files[0] if len(files) == 1 else files, "out": options.out,
                  "bytes": num_bytes, "tokens": num_ids,
                  "bytes_per_token": num_bytes / num_ids if num_ids else None, "dtype": kind,
                  "seconds": seconds}
        print_result(options, result, summary=True, text=(
            f"{amounts(corpus, num_bytes, num_ids, seconds)}\nwrote {options.out} ({kind})"))
    return 0


def amounts(corpus: Corpus, num_bytes: int, num_ids: int, seconds: float) -> str:
    """How much was encoded, and how fast. Of what is compressed, bytes per token say nothing."""
    ratio = (f", {num_bytes / num_ids:.3f} bytes per token"
             if num_ids and corpus.is_plain_text else "")
    return (f"{readable_size(num_bytes)}: {num_ids:,} tokens{ratio}; {seconds:.2f} s, "
            f"{num_bytes / seconds / 1e6:,.0f} MB/s")


def encode_shards(options: argparse.Namespace, tokenizer: Tokenizer, corpus: Corpus) -> int:
    """Encode to shards in a folder."""
    start = perf_counter()
    with progress_of(options) as progress, connected(options) as cluster:
        shards = tokenizer.encode_files(
            corpus, options.out, format=options.format or "npy", dtype=options.dtype,
            shard_tokens=options.shard_tokens or DEFAULT_SHARD_TOKENS, workers=options.workers,
            errors=options.errors, specials=options.specials, separator=options.separator,
            progress=progress, **cluster)
    seconds = perf_counter() - start
    tokens = sum(shard.tokens for shard in shards)
    result = {"files": options.files or ["-"], "out": options.out, "bytes": corpus.size,
              "tokens": tokens, "shards": [shard.file for shard in shards], "seconds": seconds}
    print_result(options, result, summary=True, text=(
        f"{amounts(corpus, corpus.size, tokens, seconds)}\nwrote {plural(len(shards), 'shard')} "
        f"and index.json to {options.out}"))
    return 0


def encode_stream(options: argparse.Namespace, tokenizer: Tokenizer,
                  corpus: Corpus) -> tuple[int, int]:
    """Encode block by block; returns how many ids and bytes there were."""
    dtype = numpy.dtype(options.dtype or tokenizer.smallest_dtype).newbyteorder("<")
    with streams.opened_output(options.out) as target:
        ids = streams.IdWriter(target, dtype, as_text=options.text,
                               npy=options.out.endswith(".npy"))
        if len(corpus.inputs) == 1 and corpus.is_plain_text:
            num_bytes = encode_text(options, tokenizer, corpus, ids)
        else:
            encoder = tokenizer.block_encoder(dtype, options.specials, options.errors,
                                              options.separator)
            with corpus.reader(encoder.cutter, DEFAULT_BLOCK_BYTES, options.errors) as reader:
                encoder.run(reader, options.workers or os.cpu_count() or 1, lambda done: None,
                            ids.write)
                num_bytes = reader.text_bytes
        ids.finish()
    return ids.number, num_bytes


def opened(source: Input) -> AbstractContextManager[BinaryIO]:
    """A file that is closed in the end, unless it is standard input."""
    file = source.open_raw()
    return nullcontext(file) if source.path == "-" else file


def encode_text(options: argparse.Namespace, tokenizer: Tokenizer, corpus: Corpus,
                ids: streams.IdWriter) -> int:
    """Encode one text as it comes in, so that what is known need not wait for a whole block."""
    [source] = corpus.inputs
    specials = "all" if options.specials is None else options.specials
    with (opened(source) as file,
          streams.shown_progress(options, "encode", file, source.path, options.out) as report):
        text = streams.TextReader(file, source.path, options.errors, ids.flush, report)
        for array in tokenizer.encode_arrays(text, ids.dtype, specials=specials):
            ids.write(array)
    return text.offset
