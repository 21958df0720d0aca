"""Merges in any order, with several ways to make a token: what happens, and what is left."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cs336_bpe import Tokenizer
from cs336_bpe.encode.trace import merge_by_rank, pairs_of
from cs336_bpe.formats.pruning import last_merges, pairs_in_order
from cs336_bpe.rules import BYTES, GPT2_PATTERN
from cs336_bpe.rules.pipeline import ByteLevel, Pipeline

PARTS = st.text("ab", min_size=1, max_size=3).map(str.encode)
RANKINGS = st.lists(st.tuples(PARTS, PARTS), max_size=14)
WORDS = st.text("abc", max_size=12).map(str.encode)


def merged(word, merges):
    return merge_by_rank([word[at : at + 1] for at in range(len(word))], pairs_of(merges))


@given(RANKINGS, WORDS)
def test_nothing_changes(ranking, word):
    kept = last_merges(ranking)
    assert len({left + right for left, right in kept}) == len(kept)
    ranks = {pair: rank for rank, pair in enumerate(ranking)}
    assert sorted(kept, key=ranks.get) == kept
    assert merged(word, kept) == merged(word, list(dict.fromkeys(ranking[::-1]))[::-1])


def test_a_merge_before_its_parts():
    """Lowest first after every single merge: aba b, and not ab ab."""
    ranking = [(b"ab", b"a"), (b"a", b"b")]
    assert last_merges(ranking) == ranking
    assert not pairs_in_order(ranking)
    assert merged(b"abab", ranking) == [b"aba", b"b"]


@pytest.mark.parametrize("seed", range(8))
def test_the_engine_takes_merges_in_any_order(seed):
    """Short pretokens, and long ones, for which it has other ways."""
    rng = random.Random(seed)
    tokens, ranking = [b"a", b"b", b"c"], []
    for _ in range(40):
        left, right = rng.choices(tokens, k=2)
        ranking.append((left, right))
        tokens.append(left + right)
    rng.shuffle(ranking)
    merges = last_merges(ranking)
    vocab = dict(enumerate([*BYTES, *(left + right for left, right in merges)]))
    ids = {token: number for number, token in vocab.items()}
    pipeline = Pipeline(splits=(ByteLevel(),), in_order=pairs_in_order(merges))
    tokenizer = Tokenizer(vocab, merges, pattern=GPT2_PATTERN, pipeline=pipeline)
    for length in (1, 5, 20, 127, 128, 129, 700, 5_000):
        word = bytes(rng.choices(b"abc", k=length))
        assert tokenizer.encode(word.decode()) == [ids[token] for token in merged(word, ranking)]
