"""`play`: pages for a browser on which one steps through an idea of the book."""

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple

from cs336_bpe.commands.console import add_common, print_result
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.formats.safe_json import as_object, read_json_file
from cs336_bpe.pages import (
    write_cutter_page,
    write_heap_page,
    write_ladder_page,
    write_positions_page,
    write_training_page,
    write_utf8_page,
)


class Page(NamedTuple):
    """A page by its name on the command line: what it shows, and what writes it."""

    about: str
    write: Callable[[str, Sequence[str]], int]  # a path, and what was given


def of_text(write: Callable[[str, str | None], int]) -> Callable[[str, Sequence[str]], int]:
    def write_it(path: str, given: Sequence[str]) -> int:
        if len(given) > 1:
            raise UsageError(f"{given[1]!r} is too much; put quotes around a text of several words")
        return write(path, given[0] if given else None)

    return write_it


def of_words(write: Callable[[str, dict[bytes, int] | None], int]
             ) -> Callable[[str, Sequence[str]], int]:
    return lambda path, given: write(path, read_words(given) if given else None)


def of_results(path: str, files: Sequence[str]) -> int:
    return write_ladder_page(path, [as_object(read_json_file(name), name) for name in files])


def read_words(given: Sequence[str]) -> dict[bytes, int]:
    """Words with a count each, or none for one.

    >>> read_words(["low:5", "lower", "a:b:2"])
    {b'low': 5, b'lower': 1, b'a:b': 2}
    """
    words: dict[bytes, int] = {}
    for item in given:
        word, colon, count = item.rpartition(":")
        if not colon:
            word, count = item, "1"
        elif not count.isdecimal():
            raise UsageError(f"{item!r} is not a word and its count, as in low:5")
        words[word.encode()] = words.get(word.encode(), 0) + int(count)
    return words


PAGES = {
    "utf8": Page("a text as code points, bytes and bits [TEXT]", of_text(write_utf8_page)),
    "training": Page("training, merge by merge [WORD:COUNT ...]", of_words(write_training_page)),
    "cutter": Page("GPT-2's pattern as bit masks [TEXT]", of_text(write_cutter_page)),
    "heap": Page("the lazy heap of stage 05 [WORD:COUNT ...]", of_words(write_heap_page)),
    "positions": Page("the positions of stage 10 [WORD:COUNT ...]",
                      of_words(write_positions_page)),
    "ladder": Page("what 'ladder --json' has measured [FILE ...]", of_results),
}


def configure_play(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "\n".join([
        "Write a page to play with, one file that needs no network:", "",
        *(f"  {name:10} {page.about}" for name, page in PAGES.items()), "",
        "Without a text or words, an example of the book is shown."])
    parser.add_argument("page", metavar="PAGE", choices=list(PAGES),
                        help=f"one of {', '.join(PAGES)}")
    parser.add_argument("given", metavar="GIVEN", nargs="*",
                        help="a text, words with counts, or files of results")
    parser.add_argument("-o", "--out", required=True, metavar="OUT.html", help="the page")
    add_common(parser)


def run_play(options: argparse.Namespace) -> int:
    size = PAGES[options.page].write(options.out, options.given)
    print_result(options, {"out": options.out, "page_bytes": size},
                 f"wrote {options.out}, {readable_size(size)}", summary=True)
    return 0
