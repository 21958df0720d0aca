"""The words that the pages about training go through, one small step at a time."""

from collections.abc import Mapping

from cs336_bpe.rules import check_counts

WORDS = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
"""The example of this book, and of the paper that brought BPE to language models."""

MOST_BYTES = 200
"""Of all words together. Each byte is a cell or a row on a page that a person steps through."""


def words_to_show(counts: Mapping[bytes, int] | None) -> list[tuple[bytes, int]]:
    """The words of a page and how often each occurs; an error if they are too many to look at.

    >>> words_to_show({b"low": 5, b"lower": 2})
    [(b'low', 5), (b'lower', 2)]
    """
    words = check_counts(WORDS if counts is None else counts)
    size = sum(len(word) for word, _ in words)
    if size > MOST_BYTES:
        raise ValueError(f"counts has {size:,} bytes of words, too many to step through; give at "
                         f"most {MOST_BYTES}")
    return words
