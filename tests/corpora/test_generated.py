"""The generated corpora: deterministic, of the right size, and statistically like real text."""

import hashlib
from functools import cache

import pytest

from cs336_bpe import count_pretokens_in
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.rules import END_OF_TEXT

KINDS = ["stories", "web"]
END = END_OF_TEXT
DIGESTS = {
    "stories": "1d60255dde3efbaa9e1c354edf432530928576145506433a67a57fad4ff95eae",
    "web": "f4637e633159a870012c378e3ce1d412bec68fd1599e779448b9225868e5a0c7",
}


@cache
def text_of(kind):
    return getattr(corpus, kind)(5_000_000)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_text_everywhere(kind):
    text = getattr(corpus, kind)(1_000_000)
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[kind]
    assert "".join(corpus.stream(kind, 1_000_000)) == text


@pytest.mark.parametrize("kind", KINDS)
def test_a_smaller_text_is_the_beginning_of_a_larger_one(kind):
    text = text_of(kind)
    for size in (0, 1, 2, 100, 12_345, 999_999, 1_200_000):
        part = getattr(corpus, kind)(size)
        assert text.startswith(part)
        assert size - 3 <= len(part.encode()) <= size


@pytest.mark.parametrize("kind", KINDS)
def test_another_seed_is_another_text(kind):
    assert getattr(corpus, kind)(10_000, seed=1) != getattr(corpus, kind)(10_000)


# Kinds of pretokens, and bytes a pretoken, of the first 5 MB of real text.
@pytest.mark.parametrize(("kind", "kinds", "mean"), [("stories", 26_765, 4.54),
                                                     ("web", 64_854, 4.81)])
def test_like_real_text(kind, kinds, mean):
    text = text_of(kind)
    counts = count_pretokens_in(text, [END])
    assert len(counts) == pytest.approx(kinds, rel=0.05)
    num_bytes = sum(len(pretoken) * count for pretoken, count in counts.items())
    assert num_bytes / counts.total == pytest.approx(mean, rel=0.02)
    assert text.count(END) > 200


@pytest.mark.parametrize(("size", "error"), [(-1, ValueError), (1.5, TypeError), ("1", TypeError)])
def test_bad_sizes(size, error):
    with pytest.raises(error, match="n_bytes"):
        corpus.stories(size)


def test_unknown_kind():
    with pytest.raises(ValueError, match="poems"):
        list(corpus.stream("poems", 100))
