"""Vocabularies checked in columns: all ids at once, all tokens at once, all merges at once.

The rules of a vocabulary are in `rules/vocabulary.py`, which goes through it token by token, so as
to name the one that is wrong. Nearly always nothing is wrong. So here the rules are asked of whole
columns, at a tenth of the cost: of what type all ids are, how many distinct ones there are, and so
on. Whatever is not plainly right goes the slow way, which accepts it or says what is wrong.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from cs336_bpe.formats.merge_columns import MergeColumns
from cs336_bpe.formats.native import columns_of, columns_of_ranked, from_printables
from cs336_bpe.rules import (
    ALPHABET,
    MAX_ID,
    Pair,
    TokenIds,
    Vocab,
    check_special_tokens,
    separate_specials,
)


class Consistent(NamedTuple):
    """A vocab and merges that were checked; the tokens in the order of their ids."""

    tokens: Vocab
    ids: TokenIds
    merges: MergeColumns


def consistent(vocab: Mapping[int, bytes], merges: Sequence[Pair],
               special_tokens: Iterable[str], *, in_order: bool = True) -> Consistent:
    """A vocab, complete with special tokens, and its merges; or an error that names the entry.

    >>> from cs336_bpe.rules import BYTES
    >>> found = consistent(dict(enumerate(BYTES)) | {300: b"th"}, [(b"t", b"h")], ["<|pad|>"])
    >>> found.tokens[301], found.ids.specials, found.merges.pairs
    (b'<|pad|>', {'<|pad|>': 301}, [(b't', b'h')])
    """
    specials = check_special_tokens(special_tokens)
    found = by_columns(vocab, merges, specials, in_order=in_order)
    if found is not None:
        return found
    ids = separate_specials(vocab, merges, specials, in_order=in_order)
    tokens = {int(number): token for number, token in sorted(vocab.items())}
    tokens |= {number: token.encode() for token, number in ids.specials.items()}
    columns = columns_of(ids.ordinary, list(merges), in_order=in_order)
    assert columns is not None, "the two ways to check merges disagree"
    return Consistent(tokens, ids, columns)


def by_columns(vocab: object, merges: object, specials: list[str], *,
               in_order: bool = True) -> Consistent | None:
    """The same; None if it is wrong or not simple.

    Merges may be columns already, if only special tokens were added to the vocab since they were
    checked.
    """
    return _with_merges(vocab, specials, lambda ids: (
        merges if isinstance(merges, MergeColumns) else columns_of(ids, merges, in_order=in_order)))


def _with_merges(vocab: object, specials: list[str],
                 columns_for: Callable[[dict[bytes, int]], MergeColumns | None]
                 ) -> Consistent | None:
    """A vocab, and the columns of merges that are made from the ids of its ordinary tokens."""
    if isinstance(vocab, MappingProxyType):
        vocab = dict(vocab)
    if (type(vocab) is not dict or set(map(type, vocab)) != {int}
            or set(map(type, vocab.values())) != {bytes}):
        return None
    numbers = sorted(vocab)
    if numbers[0] < 0 or numbers[-1] + len(specials) > MAX_ID:
        return None
    tokens = dict(vocab)
    if numbers != list(vocab):
        tokens = {number: vocab[number] for number in numbers}
    ordinary = dict(zip(tokens.values(), tokens))
    if len(ordinary) != len(tokens) or b"" in ordinary:
        return None
    special_ids: dict[str, int] = {}
    next_id = numbers[-1] + 1
    for special in specials:
        token = special.encode()
        if len(token) == 1:
            return None  # the token of a byte, or another one of the same bytes?
        number = ordinary.pop(token, None)
        if number is None:
            number, next_id = next_id, next_id + 1
            tokens[number] = token
        special_ids[special] = number
    # A special token that a merge makes is not among these any more: that is not simple.
    columns = columns_for(ordinary)
    return None if columns is None else Consistent(tokens, TokenIds(ordinary, special_ids), columns)


def from_entries(entries: dict[str, object], merges: Sequence[object], specials: list[str],
                 added: Mapping[str, int] | None = None, *,
                 ranked: bool = False) -> Consistent | None:
    """A vocab `token -> id` and merges, both in the printable alphabet; None if they need a closer
    look. What a key means is said in `gpt2.py`; `added` are special tokens with their ids.

    If merges are only `ranked`, they may be in any order, and several may make the same token.
    """
    if set(map(type, entries.values())) != {int} or len(set(entries.values())) != len(entries):
        return None
    keys = list(entries)
    tokens = from_printables(keys)
    try:
        if None in tokens:
            tokens = [key.encode() if token is None else token
                      for key, token in zip(keys, tokens)]
    except UnicodeEncodeError:
        return None
    vocab = dict(zip(entries.values(), tokens))
    for key in specials:
        # Unless a merge makes what it is in the alphabet: but then that has no id now, and this
        # is not simple.
        if key in entries and key not in ALPHABET:
            vocab[entries[key]] = key.encode()
    for special, number in ({} if added is None else added).items():
        if vocab.setdefault(number, special.encode()) != special.encode():
            return None
    return _with_merges(vocab, specials, lambda ids: (
        columns_of_ranked(ids, list(merges)) if ranked
        else columns_of(ids, merges, printable=True)))
