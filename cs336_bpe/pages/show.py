"""A page that shows the tokens of a text, and how each word was merged.

The page gets no list of steps. As no two merges make the same token (`vocabulary.py`), a token
says how it was made, and the steps of a word are the merges in the trees of its tokens, the lowest
rank first and of equal ranks the leftmost. So a long word costs no more than its tokens.
"""

from collections.abc import Callable
from typing import Any

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.pages.page import byte_string, write_page
from cs336_bpe.text.specials import Which
from cs336_bpe.text.utf8 import Text
from cs336_bpe.tokenizer import Tokenizer
from cs336_bpe.views.pretokens import Words, words_of

MAX_BYTES = 100_000
"""How much of a text is shown. Some thirty thousand tokens: a browser does it in a second."""


def write_show_page(
    tokenizer: Tokenizer,
    text: Text,
    path: AnyPath,
    *,
    title: str = "Tokens of a text",
    specials: Which = "all",
    limit: int = MAX_BYTES,
) -> Words:
    """Write a page with the tokens of a text in colour; it is one file that needs no network.

    Pointing at a token shows its id and its bytes, and clicking a word the merges that made it.
    A text of more than `limit` bytes is cut at the end of a pretoken, and the page says so; so
    does the result, in `cut`, `shown_bytes` and `total_bytes`.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from cs336_bpe import Tokenizer, train_bpe_from_counts
    >>> tokenizer = Tokenizer(*train_bpe_from_counts({b"low": 5, b" lower": 2}, 258, []))
    >>> with TemporaryDirectory() as folder:
    ...     page = Path(folder, "low.html")
    ...     shown = write_show_page(tokenizer, "low lower", page)
    ...     page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>"), shown.cut
    (True, False)
    """
    words = words_of(tokenizer, text, specials, limit)
    write_page(path, "show", title, _data(tokenizer, words))
    return words


def _data(tokenizer: Tokenizer, words: Words) -> dict[str, Any]:
    """What the page knows: the tokens that occur, those they were made of, and the words."""
    merges = {left + right: (rank, left, right)
              for rank, (left, right) in enumerate(tokenizer.merges)}
    specials = {number: token.encode() for token, number in tokenizer.special_tokens.items()}
    table = _Table(merges, tokenizer.id_of)
    kinds: dict[tuple[tuple[int, ...], bool], int] = {}
    for ids, special in words.words:
        if (ids, special) not in kinds:
            for number in ids:
                if special:
                    table.add_special(number, specials[number])
                else:
                    table.add(tokenizer.vocab[number])
            kinds[ids, special] = len(kinds)
    return {
        "tokens": table.rows,
        "words": [[table.place(tokenizer.vocab[number], special) for number in ids]
                  for ids, special in kinds],
        "text": [kinds[word] for word in words.words],
        "shown": words.shown_bytes, "total": words.total_bytes, "cut": words.cut,
        "vocab": tokenizer.vocab_size,
    }


class _Table:
    """Tokens as rows of [bytes, id, left, right, rank]; left and right are numbers of rows.

    A byte has no left, right and rank (-1 each), and neither has a special token (rank -2).
    """

    def __init__(self, merges: dict[bytes, tuple[int, bytes, bytes]],
                 id_of: Callable[[bytes], int]) -> None:
        self.rows: list[list[str | int]] = []
        self._merges = merges
        self._id_of = id_of
        self._places: dict[tuple[bytes, bool], int] = {}

    def place(self, token: bytes, special: bool) -> int:
        return self._places[token, special]

    def add_special(self, number: int, token: bytes) -> None:
        self._append(token, True, [byte_string(token), number, -1, -1, -2])

    def add(self, token: bytes) -> None:
        """Add a token after those that it was made of. (Not recursive: it may be a long chain.)"""
        waiting = [token]
        while waiting:
            current = waiting[-1]
            rank, left, right = self._merges.get(current, (-1, b"", b""))
            missing = [part for part in (left, right) if part and (part, False) not in self._places]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            parts = [self._places[part, False] if part else -1 for part in (left, right)]
            self._append(current, False,
                         [byte_string(current), self._id_of(current), *parts, rank])

    def _append(self, token: bytes, special: bool, row: list[str | int]) -> None:
        if (token, special) not in self._places:
            self._places[token, special] = len(self.rows)
            self.rows.append(row)
