"""Training that goes on from given merges gives what one longer run gives."""

import pytest

from cs336_bpe import Tokenizer, train_bpe_from_counts
from cs336_bpe.corpora import generated
from cs336_bpe.pretokenize import count_pretokens_in

SPECIALS = ["<|endoftext|>"]


@pytest.fixture(scope="module")
def counts():
    return count_pretokens_in(generated.web(400_000), SPECIALS)


@pytest.mark.parametrize("tie_break", ["lexicographic", "huggingface"])
def test_one_run_or_several(counts, tie_break):
    sizes = [257, 700, 1_000, 1_500, 2_000]
    whole = Tokenizer(*train_bpe_from_counts(counts, sizes[-1], SPECIALS, tie_break=tie_break),
                      SPECIALS)
    grown = Tokenizer(*train_bpe_from_counts(counts, sizes[0], SPECIALS, tie_break=tie_break),
                      SPECIALS)
    for size in sizes[1:]:
        grown = grown.extended(counts, size, tie_break=tie_break)
        assert grown.vocab_size == size
        assert grown.merges == whole.merges[: size - 257]
        assert grown == whole.truncated(size)
    assert grown == whole


def test_other_text_keeps_the_merges(counts):
    """What the second text teaches comes after what the first one did."""
    small = Tokenizer(*train_bpe_from_counts(counts, 600, SPECIALS), SPECIALS)
    other = count_pretokens_in(generated.web(200_000, seed=7), SPECIALS)
    large = small.extended(other, 800)
    assert large.merges[: len(small.merges)] == small.merges
    assert large != Tokenizer(*train_bpe_from_counts(counts, 800, SPECIALS), SPECIALS)
    text = generated.web(20_000, seed=9)
    assert large.count(text) < small.count(text)
