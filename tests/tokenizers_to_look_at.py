"""Tokenizers to look at: fixtures for the tests of views and of pages."""

import pytest

from cs336_bpe import Tokenizer, count_pretokens_in, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.rules import BYTES
from cs336_bpe.rules import END_OF_TEXT as END


@pytest.fixture(scope="session")
def trained():
    """A tokenizer as people have it: English, one special token."""
    counts = count_pretokens_in(corpus.stories(300_000) + "naïve café " * 50, [END])
    return Tokenizer(*train_bpe_from_counts(counts, 2000, [END]), [END])


NASTY = ["</script><script>alert(1)</script>", "<!--<script>", "]]>",
         "<img src=x onerror=alert(1)>",
         "\"'&amp;&lt;", "a\0b", "\u202eevil\u2066", "\u2028\u2029", "${title}", "$title $$ %s {0}",
         "\x1b[31m\r\b", "\ufeff", "e\u0301\u0301", "\U0001f469\u200d\U0001f680", "العربية עברית"]


def chain(merges, word):
    """Merges that make a word, a byte at a time from the left."""
    for end in range(2, len(word) + 1):
        if (word[: end - 1], word[end - 1 : end]) not in merges:
            merges.append((word[: end - 1], word[end - 1 : end]))


@pytest.fixture(scope="session")
def nasty():
    """A tokenizer whose tokens would do harm if they got into a page as they are. Its ids are in
    no order and have gaps, and one token is made by no merge."""
    merges = []
    for word in [*(text.encode() for text in NASTY), b"\xff\xfe\xc3", bytes(range(128, 140))]:
        chain(merges, word)
    tokens = [left + right for left, right in reversed(merges)]
    vocab = dict(enumerate(reversed(BYTES))) | {1000 + 3 * n: t for n, t in enumerate(tokens)}
    vocab[900] = b"</script>unmade"
    return Tokenizer(vocab, merges, ["</title></style></script><b>", "<\u202e>"],
                     pattern=r"[^\n]+|\n+")


@pytest.fixture(scope="session")
def large():
    """A tokenizer of 50,000 tokens that takes no time to make."""
    letters = [bytes([byte]) for byte in b"abcdefghijklmnopqrstuvwxyz"]
    merges = [(a, b) for a in letters for b in letters]
    for left, right in merges:
        merges += [(left + right, letter) for letter in letters]
        if len(merges) > 49_744:
            break
    merges = merges[:49_743]
    tokens = [*BYTES, *(left + right for left, right in merges)]
    return Tokenizer(dict(enumerate(tokens)), merges, [END])
