"""Merging by rank, with its trace."""

import random

import pytest

from cs336_bpe import train_bpe_from_counts
from cs336_bpe.encode.stage01_replay_merges import Encoder
from cs336_bpe.encode.trace import explain_pretoken, merge_by_rank, pairs_of


def traced(tokens, pairs):
    trace = []
    left = merge_by_rank(tokens, pairs, lambda *merge: trace.append(merge))
    return left, trace


def test_overlaps_are_merged_from_the_left():
    pairs = {(1, 1): (0, 2), (2, 1): (1, 3), (2, 2): (2, 4)}
    assert traced([1] * 3, pairs) == ([3], [(0, 0), (1, 0)])
    assert traced([1] * 4, pairs) == ([4], [(0, 0), (0, 2), (2, 0)])
    assert traced([1] * 5, {(1, 1): (0, 2), (2, 2): (1, 3)})[0] == [3, 1]
    assert traced([1], pairs) == ([1], [])
    assert traced([], pairs) == ([], [])


@pytest.mark.parametrize("seed", range(5))
def test_the_same_tokens_as_the_definition(seed):
    rng = random.Random(seed)
    words = {bytes(rng.choices(b"abc", k=rng.randint(1, 12))): rng.randint(1, 9)
             for _ in range(60)}
    vocab, merges = train_bpe_from_counts(words, 300, [])
    ids = {token: number for number, token in vocab.items()}
    pairs, encoder = pairs_of(merges), Encoder(vocab, merges)
    for word in words:
        explained = explain_pretoken(word, pairs, ids)
        assert explained.ids == encoder.encode_pretoken(word)
        assert explained.ranks == sorted(explained.ranks)
        assert all(b"".join(step) == word for step in explained.steps)
        assert len(explained.steps) == len(explained.ranks) + 1
        for rank, before, after in zip(explained.ranks, explained.steps, explained.steps[1:]):
            assert len(before) == len(after) + 1
            assert b"".join(merges[rank]) in after


def test_a_pretoken_that_is_too_long_to_explain():
    pairs = pairs_of([(b"a", b"a")])
    assert len(explain_pretoken(b"a" * 2_000, pairs, {b"aa": 0}).steps) == 1_001
    with pytest.raises(ValueError, match="2,001 bytes, too many to list every step"):
        explain_pretoken(b"a" * 2_001, pairs, {b"aa": 0})
