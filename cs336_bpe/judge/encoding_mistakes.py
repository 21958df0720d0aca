"""The mistakes that tokenizers make, each made on purpose; see `mistakes.py`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

import regex

from cs336_bpe.corpora.generated import stories
from cs336_bpe.judge.mistakes import MISTAKES, PATTERNS
from cs336_bpe.judge.probes import ENCODING_SPECIALS, EncodingProbe
from cs336_bpe.pretokenize import count_pretokens_in
from cs336_bpe.rules import Pair, Vocab
from cs336_bpe.text.specials import pattern_of
from cs336_bpe.train import train_bpe_from_counts


@dataclass(frozen=True)
class Habits:
    """How a tokenizer does each thing. The defaults are right."""

    pattern: str = "gpt2"
    specials: str = "split"
    merging: str = "rank"
    stream: str = "whole"


RIGHT = Habits()

_OWN_MISTAKES = {
    ("merging", "longest token"): (
        "rule 10", "you take the longest token that fits, from the left; apply the merges by rank"),
    ("merging", "leftmost pair"): (
        "rule 10", "you merge the leftmost pair that has a merge; take the one of the lowest rank"),
    ("merging", "highest rank"): (
        "rule 10", "you merge the pair that was learned last; take the one that was learned first"),
    ("merging", "right to left"): (
        "rule 10", "of several places for the same merge you take the rightmost first; go from "
                   "left to right"),
    ("merging", "one merge"): (
        "rule 10", "you go through the pairs once; repeat until no pair has a merge"),
    ("merging", "none"): ("rule 10", "you give single bytes; no merge is applied"),
    ("specials", "ignored"): (
        "rule 2", "special tokens in the text are taken for plain text; each has an id of its own"),
    ("specials", "dropped"): ("rule 2", "special tokens in the text are lost; each has an id"),
    ("stream", "part by part"): (
        "rule 10", "you encode each part of a stream alone; a word, a run of spaces or a special "
                   "token may go on in the next part"),
    ("stream", "stripped"): (
        "rule 10", "you strip white space from the parts of a stream; it is text too"),
}
_SHARED = {key: words for key, words in MISTAKES.items()
           if key[0] == "pattern" or key[1] in ("in the order given", "stripped", "unescaped")}
ENCODING_MISTAKES = {**_OWN_MISTAKES, **_SHARED}


@lru_cache(maxsize=1)
def vocabulary() -> tuple[Vocab, list[Pair]]:
    """A small vocabulary, which has what the probes are about."""
    text = stories(60_000) + " it's we're I'll aaa aaaa eeee  the   was\n\n café" * 30
    counts = count_pretokens_in(text, ENCODING_SPECIALS)
    for pretoken in (b"'S", b"'LL", b"'T", b"\n ", b" \n"):  # what only wrong patterns find
        counts[pretoken] = 100
    return train_bpe_from_counts(counts, 1000, ENCODING_SPECIALS)


def encode(probe: EncodingProbe, habits: Habits) -> list[int]:
    """The ids of a tokenizer with these habits."""
    if probe.stream and habits.stream != "whole":
        parts = [part.strip() if habits.stream == "stripped" else part for part in probe.parts]
        return list(chain.from_iterable(_encode_text(part, habits) for part in parts))
    return _encode_text(probe.text, habits)


def _encode_text(text: str, habits: Habits) -> list[int]:
    ids = {token: number for number, token in vocabulary()[0].items()}
    result: list[int] = []
    for piece in _pieces(text, habits):
        result += [piece] if isinstance(piece, int) else [
            ids[token] for token in _merge(piece.encode(), habits.merging)]
    return result


def _pieces(text: str, habits: Habits) -> Iterator[str | int]:
    find = regex.compile(PATTERNS[habits.pattern]).findall
    ids = {token: number for number, token in vocabulary()[0].items()}
    if habits.specials == "ignored":
        yield from find(text)
        return
    ordered = "|".join(map(regex.escape, ENCODING_SPECIALS))
    pattern = {"in the order given": ordered, "unescaped": "|".join(ENCODING_SPECIALS)}.get(
        habits.specials, pattern_of(ENCODING_SPECIALS))
    start = 0
    for match in [*regex.finditer(pattern, text), None]:
        end = match.start() if match else len(text)
        document = text[start:end]
        if habits.specials == "stripped":
            document = document.strip()
        lines = (document.splitlines(keepends=True) if habits.pattern == "line by line"
                 else [document])
        for line in lines:
            yield from filter(None, find(line))
        if match:
            start = match.end()
            token = match.group().encode()
            if token in ids and habits.specials != "dropped":
                yield ids[token]


@lru_cache(maxsize=1)
def _ranks() -> dict[Pair, int]:
    return {pair: rank for rank, pair in enumerate(vocabulary()[1])}


def _merge(word: bytes, habit: str) -> list[bytes]:
    tokens = [word[place : place + 1] for place in range(len(word))]
    if habit == "none":
        return tokens
    if habit == "longest token":
        return list(_longest(word))
    ranks = _ranks()
    while True:
        places = [(ranks[pair], place) for place, pair in enumerate(zip(tokens, tokens[1:]))
                  if pair in ranks]
        if not places:
            return tokens
        _, place = {"leftmost pair": places[0], "highest rank": max(places),
                       "right to left": min(places, key=lambda one: (one[0], -one[1])),
                       }.get(habit, min(places))
        tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
        if habit == "one merge":
            return tokens


def _longest(word: bytes) -> Iterator[bytes]:
    known = set(vocabulary()[0].values())
    while word:
        token = next(word[:size] for size in range(len(word), 0, -1) if word[:size] in known)
        yield token
        word = word[len(token) :]


def diagnose(results: list[tuple[EncodingProbe, list[int]]]) -> list[str]:
    """The mistake, or the two, that explain every result; [] if no known ones do."""
    wrong = sorted(results, key=lambda result: result[1] == encode(result[0], RIGHT))
    if wrong[0][1] == encode(wrong[0][0], RIGHT):
        return []  # all ids are right; something else is not
    single = list(ENCODING_MISTAKES)
    double = [(one, other) for one in single for other in single if one < other
              and one[0] != other[0]]
    for keys in [*((key,) for key in single), *double]:
        habits = replace(RIGHT, **dict(keys))
        if all(ids == encode(probe, habits) for probe, ids in wrong):
            return [f"{words} ({rule})" for rule, words in (ENCODING_MISTAKES[key] for key in keys)]
    return []
