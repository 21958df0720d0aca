"""Bytes per token at every size, read off one pass, against encoding for each size by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.cost.bytes_per_token import bytes_per_token, doublings, merge_uses, num_tokens
from cs336_bpe.stages import find

learn_merges = find("train", "stage01").load().learn_merges
WORDS = st.dictionaries(st.text("ab", min_size=1, max_size=9).map(str.encode),
                        st.integers(1, 5), min_size=1, max_size=8)


def replayed(word, merges):
    """The definition of encoding: every merge in order, from left to right."""
    tokens = [bytes([byte]) for byte in word]
    for pair in merges:
        done = []
        while tokens:
            if tuple(tokens[:2]) == pair:
                done.append(pair[0] + pair[1])
                del tokens[:2]
            else:
                done.append(tokens.pop(0))
        tokens = done
    return tokens


def lengths(merges, counts):
    """Tokens of the text with the first 0, 1, 2, ... merges."""
    return [sum(n * len(replayed(word, merges[:size])) for word, n in counts.items())
            for size in range(len(merges) + 1)]


@given(WORDS, WORDS)
def test_every_size_is_that_of_an_encoder_of_its_own(learned_from, text):
    merges = learn_merges(learned_from, 30)
    expected = lengths(merges, text)
    total = sum(len(word) * n for word, n in text.items())
    sizes = range(256, 257 + len(merges))
    assert bytes_per_token(merges, text, sizes) == {
        256 + place: total / tokens for place, tokens in enumerate(expected)}
    uses = merge_uses(merges, text)
    assert uses == [before - after for before, after in zip(expected, expected[1:])]


def test_a_generated_text():
    counts = dict(count_pretokens_in(corpus.web(30_000), ["<|endoftext|>"]))
    other = dict(count_pretokens_in(corpus.web(3_000, seed=5), ["<|endoftext|>"]))
    merges = train_bpe_from_counts(counts, 600, [])[1]
    curve = bytes_per_token(merges, other)
    assert list(curve) == [256, 512, 600]
    for size, ratio in curve.items():
        tokens = sum(n * len(replayed(word, merges[: size - 256])) for word, n in other.items())
        assert ratio == sum(len(word) * n for word, n in other.items()) / tokens


def test_overlaps_are_merged_from_the_left():
    merges = [(b"a", b"a"), (b"aa", b"a"), (b"aa", b"aa")]
    assert merge_uses(merges, {b"aaa": 1}) == [1, 1, 0]
    assert merge_uses(merges, {b"aaaa": 1}) == [2, 0, 1]
    assert merge_uses(merges, {b"a": 1, b"": 1}) == [0, 0, 0]


def test_a_pretoken_of_a_hundred_thousand_bytes():
    """Would take hours if it were quadratic."""
    merges = [(b"ab" * 2**n, b"ab" * 2**n) for n in range(10)]
    merges.insert(0, (b"a", b"b"))
    assert merge_uses(merges, {b"ab" * 50_000: 1})[:3] == [50_000, 25_000, 12_500]


def test_special_tokens_take_up_ids():
    merges = [(b"l", b"o"), (b"lo", b"w")]
    plain = bytes_per_token(merges, {b"low": 1}, [256, 257, 258])
    shifted = bytes_per_token(merges, {b"low": 1}, [258, 259, 260], num_specials=2)
    assert list(shifted.values()) == list(plain.values()) == [1.0, 1.5, 3.0]


def test_counts_of_zero_and_of_numpy():
    counts = {b"low": np.int64(3), b"high": 0}
    assert bytes_per_token([(b"l", b"o")], counts, [257]) == {257: 1.5}


def test_doublings():
    assert doublings(256, 256) == [256]
    assert doublings(256, 4096) == [256, 512, 1024, 2048, 4096]
    assert doublings(1, 4, steps=3) == [1, 2, 3, 4]
    assert doublings(257, 511) == [257, 511]


@pytest.mark.parametrize(("arguments", "error", "message"), [
    (([(b"l", b"o")], {b"lo": 1}, [258]), ValueError, "the size 258 is not between 256 and 257"),
    (([(b"l", b"o")], {b"lo": 1}, [255]), ValueError, "the size 255 is not between"),
    (([(b"l", b"o")], {b"lo": 1}, [257.0]), TypeError, "a size is 257.0"),
    (([(b"l", b"o")], {}, [257]), ValueError, "counts has no text in it"),
    (([(b"l", b"o")], {b"": 3, b"lo": 0}, [257]), ValueError, "counts has no text in it"),
    (([(b"l", b"o")], {"lo": 1}, [257]), TypeError, "keys must be bytes"),
    (([(b"lo", b"w"), (b"l", b"o")], {b"lo": 1}, [257]), ValueError, "no merge before it makes"),
    (([(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")], {b"abc": 1}, [257]), ValueError,
     "a token can have only one id"),
])
def test_bad_input(arguments, error, message):
    with pytest.raises(error, match=message):
        bytes_per_token(*arguments)


@pytest.mark.parametrize("arguments", [(0, 5), (5, 4), (1, 4, 0)])
def test_bad_doublings(arguments):
    with pytest.raises(ValueError, match="must be at least"):
        doublings(*arguments)


@pytest.mark.parametrize("special_tokens", [[], ["<|endoftext|>"]])
def test_the_number_of_tokens(special_tokens):
    text = corpus.web(200_000) + "  \n\n 'll x'll"
    counts = count_pretokens_in(text, special_tokens)
    vocab, merges = train_bpe_from_counts(counts, 1000, special_tokens)
    number = num_tokens(merges, counts)
    ids = Tokenizer(vocab, merges, special_tokens).encode(text)
    assert number == len(ids) - sum(ids.count(256) for _ in special_tokens)
    assert num_tokens(merges, {}) == num_tokens(merges, {b"a": 0}) == 0
