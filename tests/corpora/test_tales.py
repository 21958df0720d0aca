"""The first text that a newcomer sees: real words, the same everywhere, of any size."""

import hashlib
import re

import pytest

from cs336_bpe import count_pretokens_in
from cs336_bpe.corpora import tales_words as words
from cs336_bpe.corpora.tales import bags, plural, sentences, stream, tales
from cs336_bpe.rules import END_OF_TEXT

DIGEST = "e5361d566a7757a15d70d67f965d6032cdb6eb1447ad32d40cf3968057589ba1"


@pytest.fixture(scope="module")
def text():
    return tales(2_000_000)


def test_the_same_text_everywhere(text):
    assert hashlib.sha256(text[:1_000_000].encode()).hexdigest() == DIGEST
    assert "".join(stream(2_000_000)) == text
    assert tales(100_000, seed=1) != text[:100_000]


@pytest.mark.parametrize("size", [0, 1, 2, 100, 12_345, 1_200_000])
def test_a_smaller_text_is_the_beginning_of_a_larger_one(text, size):
    assert tales(size) == text[:size]


@pytest.mark.parametrize(("size", "error"), [(-1, ValueError), (1.5, TypeError), ("1", TypeError)])
def test_bad_sizes(size, error):
    with pytest.raises(error, match="n_bytes"):
        tales(size)


def test_it_reads_like_text(text):
    """Contractions, numbers, names, quotations, several paragraphs, questions."""
    for part in ("didn't", "I'm", "We'll", "isn't", '"', "?", "!", "; ", ":", "(", "%", "$", "\n\n",
                 " o'clock", " Tom", " an old", "Dear "):
        assert part in text, part
    assert re.search(r"\d,\d{3}", text)
    assert not re.search(r"[{}\x01-\x08]|%s|\b[Aa] [aeio](?!ne|u)| ,| \.|  ", text)
    assert text.count(END_OF_TEXT) > 1_000


def test_every_word_is_one_of_ours_or_a_form_of_it(text):
    known = {word.lower() for bag in bags().values() for item in bag for word in item.split()}
    for listed in sentences().values():
        for sentence, _ in listed:
            known |= set(re.findall(r"[A-Za-z]+", sentence.replace("%s", " ").lower()))
    known |= {"she", "her", "he", "his", "him", "an", "endoftext", "mother", "father", "sister",
              "brother", "aunt", "dog"}
    known |= {f"{day}s".lower() for day in words.WEEKDAYS}
    found = set(re.findall(r"[a-z]+", text.rpartition(" ")[0].lower()))
    assert found - known <= {"s", "t", "m", "d", "ll", "re", "ve"}


def test_distinct_pretokens_grow(text):
    """As in real text, a longer one has more, and the most frequent have most of it."""
    sizes = [len(count_pretokens_in(text[:size], [END_OF_TEXT]))
             for size in (250_000, 500_000, 1_000_000, 2_000_000)]
    assert sizes[0] > 4_000
    assert all(later > 1.2 * earlier for earlier, later in zip(sizes, sizes[1:]))
    counts = count_pretokens_in(text, [END_OF_TEXT])
    assert 0.4 < sum(count for _, count in counts.top(100)) / counts.total < 0.7


def test_words_are_listed_once_and_have_forms():
    assert plural("wolf") == "wolves"
    assert set(words.PLURALS.values()) & {"mice", "children"}
    assert len(set(words.GIRLS) & set(words.BOYS)) == 0
    nouns = {noun for listed in words.NOUNS.values() for noun in listed.split()}
    assert nouns | {"storm"} >= words.UNCOUNTED
    assert len(nouns) > 900
