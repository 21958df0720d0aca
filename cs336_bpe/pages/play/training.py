"""A page on which one steps through training: pairs are counted, one is chosen, it is merged.

All of it comes from stage 01, the definition: its merges, and the words and the counts of pairs
before each of them. The script only shows what it is given.
"""

from collections.abc import Mapping
from typing import Any

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.pages.page import byte_string, write_page
from cs336_bpe.pages.play.words import words_to_show
from cs336_bpe.train.stage01_recount_everything import Word, count_pairs, learn_merges, merge_word


def write_training_page(path: AnyPath, counts: Mapping[bytes, int] | None = None, *,
                        title: str = "Training, step by step") -> int:
    """Write a page that steps through training on a few words; return its size in bytes.

    `counts` says how often each word occurs, by default `low` 5, `lower` 2, `newest` 6 and
    `widest` 3, the example of the book.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     size = write_training_page(Path(folder, "training.html"), {b"banana": 2, b"band": 1})
    ...     size == Path(folder, "training.html").stat().st_size
    True
    """
    words = words_to_show(counts)
    merges = learn_merges(dict(words), sum(len(word) for word, _ in words))
    rows = [(tuple(bytes([byte]) for byte in word), n) for word, n in words]
    states = [_state(rows)]
    for merge in merges:
        rows = [(merge_word(word, merge), n) for word, n in rows]
        states.append(_state(rows))
    return write_page(path, "play/training", title, {
        "words": [[byte_string(word), n] for word, n in words],
        "merges": [list(map(byte_string, merge)) for merge in merges],
        "states": states,
    })


def _state(rows: list[tuple[Word, int]]) -> dict[str, Any]:
    """The words as they are cut now, and their pairs, the most frequent first. Of equally frequent
    ones the greater is first, so that the first pair is the one to merge."""
    pairs = count_pairs(rows)
    order = sorted(pairs, key=lambda pair: (pairs[pair], pair), reverse=True)
    return {
        "words": [list(map(byte_string, word)) for word, _ in rows],
        "pairs": [[*map(byte_string, pair), pairs[pair],
                   [index for index, (word, _) in enumerate(rows)
                    if pair in zip(word, word[1:])]] for pair in order],
    }
