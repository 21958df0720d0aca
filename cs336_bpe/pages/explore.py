"""A page about a trained tokenizer: its vocabulary, its merges, and what they do to text.

The page gets each merge as two numbers, those of the tokens that it joins, and puts the bytes of
the 50,000 tokens together itself: a tenth of a second, and a page of under one megabyte.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.cost.bytes_per_token import bytes_per_token, doublings
from cs336_bpe.pages.page import byte_string, write_page
from cs336_bpe.pages.pattern import automaton_data
from cs336_bpe.patterns import compile_pattern, why_not
from cs336_bpe.pretokenize import count_pretokens_in
from cs336_bpe.rules import BYTES, shown
from cs336_bpe.tokenizer import Tokenizer
from cs336_bpe.views.pretokens import words_of
from cs336_bpe.views.sample_text import SAMPLE

MAX_BYTES = 4000
"""How much of the text the page merges."""


def write_explore_page(
    tokenizer: Tokenizer,
    path: AnyPath,
    text: str | None = None,
    counts: Mapping[bytes, int] | None = None,
    *,
    title: str | None = None,
) -> int:
    """Write a page about a tokenizer, one file that needs no network; returns its size in bytes.

    It has the vocabulary to search in, the tree of merges of every token, the lengths of tokens,
    a text as it is after each step of training, and bytes per token against vocabulary size.
    `text` is what is merged, its first 4,000 bytes; bytes per token are measured on `counts`, or
    else on all of `text`. Without `text` a sample is taken.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from cs336_bpe import Tokenizer, train_bpe_from_counts
    >>> tokenizer = Tokenizer(*train_bpe_from_counts({b"low": 5, b" lower": 2}, 258, []))
    >>> with TemporaryDirectory() as folder:
    ...     size = write_explore_page(tokenizer, Path(folder, "low.html"))
    ...     size == Path(folder, "low.html").stat().st_size
    True
    """
    if text is not None and not isinstance(text, str):
        raise TypeError(f"text is a {type(text).__name__}; it must be str")
    if title is None:
        title = f"A tokenizer of {tokenizer.vocab_size:,} tokens"
    return write_page(path, "explore", title, {
        **_vocabulary(tokenizer), **_text(tokenizer, SAMPLE if text is None else text),
        **_compression(tokenizer, text, counts)})


def _vocabulary(tokenizer: Tokenizer) -> dict[str, Any]:
    """Tokens are numbered: 256 bytes, then merges; special tokens and others are apart."""
    _check_merges(tokenizer)
    places = {token: place for place, token in enumerate(BYTES)}
    merges: list[int] = []
    for left, right in tokenizer.merges:
        merges += places[left], places[right]
        places[left + right] = len(places)
    known = {tokenizer.id_of(token) for token in places} | set(tokenizer.special_tokens.values())
    return {
        "merges": merges,
        "ids": list(_runs(tokenizer.id_of(token) for token in places)),
        "specials": [[byte_string(token.encode()), number]
                     for token, number in tokenizer.special_tokens.items()],
        "others": [[byte_string(token), number] for number, token in tokenizer.vocab.items()
                   if number not in known],
        "size": tokenizer.vocab_size,
        "pattern": tokenizer.splitting,
    }


def _check_merges(tokenizer: Tokenizer) -> None:
    """The page merges text itself; an error if merges alone don't say what becomes of it."""
    if not tokenizer.model.in_order:
        raise ValueError("the page follows merges in the order in which they were learned, and the "
                         "merges of this tokenizer have none: one comes before those of its parts")
    pipeline = tokenizer.model.pipeline
    if pipeline is not None and pipeline.whole_tokens:
        made = {left + right for left, right in tokenizer.merges} | set(BYTES)
        specials = {token.encode() for token in tokenizer.special_tokens}
        other = next((token for token in tokenizer.vocab.values()
                      if token not in made and token not in specials), None)
        if other is not None:
            raise ValueError(f"the page makes tokens by merges, and no merge makes {shown(other)}, "
                             f"which a whole pretoken may be")


def _runs(numbers: Iterator[int]) -> Iterator[list[int]]:
    """Numbers as [first, how many]: ids are nearly always one after the other.

    >>> list(_runs(iter([5, 6, 7, 2, 9, 10])))
    [[5, 3], [2, 1], [9, 2]]
    """
    first = count = 0
    for number in numbers:
        if count and number == first + count:
            count += 1
        else:
            if count:
                yield [first, count]
            first, count = number, 1
    if count:
        yield [first, count]


def _text(tokenizer: Tokenizer, text: str) -> dict[str, Any]:
    """The text to merge: as it is, with the automaton of the pattern, by which the page splits what
    the reader writes; and in pretokens if the pattern can't be compiled, leaves gaps, or isn't all
    that cuts text."""
    words = words_of(tokenizer, text, "all", MAX_BYTES)
    limits = {"cut": words.cut, "shown": words.shown_bytes}
    if tokenizer.model.pipeline is None and why_not(tokenizer.pattern) is None:
        automaton = compile_pattern(tokenizer.pattern)
        if not automaton.leaves_gaps:
            return {"text": text.encode()[: words.shown_bytes].decode("utf-8", "ignore"),
                    "automaton": automaton_data(automaton), **limits}
    pretokens = [[byte_string(b"".join(tokenizer.vocab[number] for number in ids)), special]
                 for ids, special in words.words]
    return {"pretokens": pretokens, "automaton": None, **limits}


def _compression(tokenizer: Tokenizer, text: str | None,
                 counts: Mapping[bytes, int] | None) -> dict[str, Any]:
    """Bytes per token for vocabulary sizes of equal ratio, four to a doubling."""
    if counts is None:
        measured = "a short sample that is part of this package" if text is None else "the text"
        sample = SAMPLE if text is None else text
        counts = (count_pretokens_in(sample, list(tokenizer.special_tokens),
                                     pattern=tokenizer.pattern)
                  if tokenizer.model.pipeline is None else tokenizer.pretoken_counts(sample))
    else:
        measured = "the pretoken counts given"
    size = sum(len(word) * count for word, count in counts.items())
    if not size:
        return {"compression": [], "measured": measured, "measured_bytes": 0}
    others = tokenizer.vocab_size - len(tokenizer.merges)
    sizes = doublings(others, tokenizer.vocab_size, steps=4)
    ratios = bytes_per_token(tokenizer.merges, counts, sizes, num_specials=others - len(BYTES))
    return {"compression": [[number, round(ratio, 4)] for number, ratio in ratios.items()],
            "measured": measured, "measured_bytes": size}
