"""`show` and `explore`: tokens to look at, in the terminal and as pages for a browser."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from cs336_bpe.commands.console import add_common, note, print_result
from cs336_bpe.commands.inputs import (
    add_input_form,
    add_missing_parts,
    add_tokenizer,
    built_in_tokenizer,
    find_corpus,
    load,
    token_as_json,
)
from cs336_bpe.commands.parser import whole_number
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.formats.safe_json import read_bytes
from cs336_bpe.pages import coloured, use_colour, write_explore_page, write_show_page
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.text.blocks import decode
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.tokenizer import Tokenizer

TERMINAL_BYTES = 20_000
PAGE_BYTES = 100_000
EXPLORE_BYTES = 1 << 24  # of a corpus that are measured


def configure_show(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show the tokens of a text: in colour on a terminal, with lines between them elsewhere "
        "(and if NO_COLOR is set), or as a page for a browser, where pointing at a token shows its "
        "id and clicking a word the merges that made it.")
    parser.add_argument("text", metavar="TEXT|FILE",
                        help="a text, the name of a file, or - for standard input")
    add_tokenizer(parser, required=False)
    parser.add_argument("--text", dest="is_text", action="store_true",
                        help="it is a text, even if there is a file of that name")
    parser.add_argument("-o", "--html", "--out", dest="html", metavar="OUT.html",
                        help="write a page instead")
    parser.add_argument("--color", choices=["auto", "always", "never"], default="auto",
                        help="colours in the terminal (default: auto)")
    parser.add_argument("--limit", type=whole_number, metavar="BYTES",
                        help=f"how much of the text to show (default: {TERMINAL_BYTES:,}, and "
                        f"{PAGE_BYTES:,} on a page)")
    parser.add_argument("--specials", choices=["all", "none"], default="all",
                        help="whether special tokens in the text are recognised (default: all)")
    add_common(parser)


def run_show(options: argparse.Namespace) -> int:
    text, name = read_input(options)
    tokenizer = find_tokenizer(options)
    if options.html:
        limit = PAGE_BYTES if options.limit is None else options.limit
        shown = write_show_page(tokenizer, text, options.html, title=f"Tokens of {name}",
                                specials=options.specials, limit=limit)
        result = {"out": options.html, "bytes": shown.total_bytes,
                  "shown_bytes": shown.shown_bytes}
        cut = f", the first {readable_size(shown.shown_bytes)} of the text" if shown.cut else ""
        print_result(options, result, f"wrote {options.html}{cut}", summary=True)
        return 0
    limit = TERMINAL_BYTES if options.limit is None else options.limit
    colour = use_colour(sys.stdout) if options.color == "auto" else options.color == "always"
    if options.json:
        print_result(options, as_json(tokenizer, text[:limit], options.specials), "")
    else:
        print_result(options, {}, coloured(tokenizer, text, specials=options.specials,
                                           colour=colour, limit=limit))
    return 0


def read_input(options: argparse.Namespace) -> tuple[bytes, str]:
    """The text, and what to call it."""
    given: str = options.text
    if given == "-" and not options.is_text:
        return sys.stdin.buffer.read(), "standard input"
    if not options.is_text and os.path.isfile(given):
        return read_bytes(given), Path(given).name
    if not options.is_text and ("/" in given or "." in given) and len(given.split()) == 1:
        note(options, f"cs336-bpe: note: there is no file {given}, so it is taken as a text; "
             f"--text says so without this note")
    return given.encode(), "a text"


def find_tokenizer(options: argparse.Namespace) -> Tokenizer:
    if options.tokenizer:
        return load(options.tokenizer, options)
    note(options, "cs336-bpe: note: without --tokenizer, this is one of 8,000 tokens that was "
         "trained just now on the built-in corpus")
    return built_in_tokenizer()


def as_json(tokenizer: Tokenizer, text: bytes, specials: str) -> dict[str, Any]:
    special_ids = set(tokenizer.special_tokens.values())
    ids = tokenizer.encode_array(text, specials=specials).tolist()
    return {"bytes": len(text), "tokens": [
        token_as_json(tokenizer.vocab[number], number) | {"special": number in special_ids}
        for number in ids]}


def configure_explore(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write a page about a tokenizer, one file that needs no network: its tokens to search in, "
        "how long they are, the merges that made each, a text as it is after each step of "
        "training, and bytes per token against the size of the vocabulary.")
    parser.add_argument("tokenizer", metavar="DIR|FILE", help="a tokenizer, of any format")
    parser.add_argument("-o", "--out", required=True, metavar="OUT.html", help="the page")
    parser.add_argument("--on", metavar="FILE", help="the text to merge; its beginning is used")
    add_input_form(parser)
    parser.add_argument("--counts", metavar="FILE.counts",
                        help="measure bytes per token on counts that 'count' has saved")
    add_missing_parts(parser)
    add_common(parser)


def beginning(options: argparse.Namespace) -> str:
    """The first texts of a corpus; all that the page measures."""
    with find_corpus([options.on], options).reader(Cutter([]), EXPLORE_BYTES) as reader:
        block = reader.read_block(bytearray())
    if block is None:
        return ""
    return "\n".join(decode(text, "strict", block.name) for text in block.texts())


def run_explore(options: argparse.Namespace) -> int:
    tokenizer = load(options.tokenizer, options)
    text = beginning(options) if options.on else None
    counts = PretokenCounts.load(options.counts) if options.counts else None
    size = write_explore_page(tokenizer, options.out, text, counts)
    print_result(options, {"out": options.out, "page_bytes": size},
                 f"wrote {options.out}, {readable_size(size)}", summary=True)
    return 0
