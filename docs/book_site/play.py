"""Pages to play with, as single files: each is written once, and linked where it belongs."""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from book_site import order
from cs336_bpe import Tokenizer, train_bpe_from_texts
from cs336_bpe.pages import (
    write_cutter_page,
    write_explore_page,
    write_heap_page,
    write_ladder_page,
    write_pattern_page,
    write_positions_page,
    write_show_page,
    write_training_page,
    write_utf8_page,
)

RESULTS = order.DOCS.parent / "benchmarks" / "results"
LADDERS = ("train", "pretokenize", "encode", "decode")
VOCAB_SIZE = 4096
TEXT = """A language model does not read text; it reads numbers. Naïve programs cut at spaces.
The low, the lower, the newest and the widest: 1, 12, 123, 1234. 你好, мир! 🙂
"""
BEFORE = re.compile(r"^## (?:What comes next|The figures?)$", re.MULTILINE)
EVERYWHERE = ("index", "pages/pages")  # the pages that link them all
TOKENIZERS = (*EVERYWHERE, "start/why_tokens")


class Page(NamedTuple):
    """What a link says, what writes the page, and which pages of the book link it."""

    name: str
    about: str
    write: Callable[[Path], object]
    linked_from: tuple[str, ...]


def measured() -> list[dict[str, object]]:
    """All ladders that were measured for this book."""
    return [json.loads(path.read_text("utf-8")) for ladder in LADDERS
            for path in sorted(RESULTS.glob(f"{ladder}_ladder_*.json"))]


@lru_cache(maxsize=1)
def book_tokenizer() -> Tokenizer:
    """A tokenizer trained on the pages of this book."""
    texts = [path.read_text("utf-8") for path in sorted(order.DOCS.rglob("*.md"))]
    special_tokens = ["<|endoftext|>"]
    return Tokenizer(*train_bpe_from_texts(texts, VOCAB_SIZE, special_tokens), special_tokens)


def _explorer(path: Path) -> None:
    write_explore_page(book_tokenizer(), path, TEXT, title="A tokenizer trained on this book")


PAGES = {
    "explorer": Page("The explorer", "the vocabulary of a tokenizer that was trained on this book, "
                     "its merges, and a text of your own as training goes on", _explorer,
                     TOKENIZERS),
    "text": Page("A text in tokens", "click a token to see the tree of its merges",
                 lambda path: write_show_page(book_tokenizer(), TEXT, path), TOKENIZERS),
    "utf8": Page("UTF-8, bit by bit", "a text or bytes of your own, down to the bits",
                 write_utf8_page, (*EVERYWHERE, "start/unicode")),
    "training": Page("Training, step by step", "the four words of the book: count, choose, merge",
                     write_training_page, (*EVERYWHERE, "start/training",
                                           "train/stage01_recount_everything")),
    "pattern": Page("A pattern at work", "a text of your own on its way through the automaton",
                    lambda path: write_pattern_page("gpt2", path, "It's 12345 o'clock"),
                    (*TOKENIZERS, "start/pretokens", "patterns/index")),
    "cutter": Page("A pattern as bit masks", "a text of your own, cut by operations on whole rows "
                   "of bits", write_cutter_page,
                   (*EVERYWHERE, "pretokenize/stage09_bit_masks", "pretokenize/scanner")),
    "heap": Page("A heap with stale entries", "every push and every pop of stage 05",
                 write_heap_page, (*EVERYWHERE, "machine/structures", "train/stage05_lazy_heap")),
    "positions": Page("An index of positions", "cells that never move, and where each pair is",
                      write_positions_page, (*EVERYWHERE, "train/stage10_flat_words")),
    "ladder": Page("The ladders, as they were measured", "every rung on a logarithmic axis; drop "
                   "in what you have measured on your machine",
                   lambda path: write_ladder_page(path, measured()),
                   (*EVERYWHERE, *(f"{ladder}/index" for ladder in LADDERS))),
}


def links(page: str) -> str:
    """What a page says about those that belong to it, if anything."""
    items = [f"- [{one.name}](site:play/{address(name, page)}): {one.about}"
             for name, one in PAGES.items() if page in one.linked_from]
    if not items:
        return ""
    about = "These are single files, and load nothing from anywhere.\n\n" if len(items) > 1 else ""
    return "\n".join(["\n```{admonition} Play with it", f"{about}{items[0]}", *items[1:], "```\n"])


def insert(page: str, text: str) -> str:
    """A page's text with its links: after the idea, where figures begin or the page leads on.

    >>> insert("start/training", "# Training\\n").splitlines()[2]
    '```{admonition} Play with it'
    """
    found = BEFORE.search(text)
    at = found.start() if found else len(text)
    return f"{text[:at]}{links(page)}\n{text[at:]}" if links(page) else text


def address(name: str, page: str) -> str:
    """Where a page to play with is, and which of the ladders it shows first.

    >>> address("heap", "machine/structures"), address("ladder", "encode/index")
    ('heap.html', 'ladder.html#encode')
    """
    ladder = page.partition("/")[0]
    return f"{name}.html" + (f"#{ladder}" if name == "ladder" and ladder in LADDERS else "")


def write(folder: Path) -> None:
    """Write the pages into a folder of the site."""
    target = folder / "play"
    target.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        page.write(target / f"{name}.html")
