"""What the tests of formats share: a vocabulary trained on the built-in corpus, and GPT-2's."""

import pytest

from cs336_bpe import GPT2_PATTERN, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.formats import read_gpt2
from cs336_bpe.rules import Model

SPECIALS = ["<|endoftext|>", "<|pad|>", "two words", "🙂 ende", "«x»\n"]


@pytest.fixture(scope="session")
def trained():
    """A vocabulary of 2,000 tokens, five of them special."""
    text = corpus.web(300_000) + corpus.stories(100_000) + " naïve 日本語" * 200
    counts = count_pretokens_in(text, SPECIALS)
    vocab, merges = train_bpe_from_counts(counts, 2_000, SPECIALS)
    return Model(vocab, merges, SPECIALS, GPT2_PATTERN)


@pytest.fixture(scope="session")
def gpt2(real_data):
    folder = real_data / "cs336"
    return read_gpt2(folder / "gpt2_vocab.json", folder / "gpt2_merges.txt", ["<|endoftext|>"])


@pytest.fixture(scope="session")
def small():
    """A vocabulary that can be looked at: six merges, one special token."""
    counts = {b" low": 5, b" lower": 2, b" newest": 6, b" widest": 3}
    vocab, merges = train_bpe_from_counts(counts, 263, ["<|end|>"])
    return Model(vocab, merges, ["<|end|>"], GPT2_PATTERN)
