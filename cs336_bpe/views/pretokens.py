"""The words of a text with their ids, up to a limit."""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple, Protocol

from cs336_bpe.rules import Pair, check_size
from cs336_bpe.text.specials import Which
from cs336_bpe.text.utf8 import Text, as_utf8, check_text


class Viewed(Protocol):
    """What a view needs to know of a tokenizer; `Tokenizer` has all of it."""

    @property
    def vocab(self) -> Mapping[int, bytes]: ...
    @property
    def merges(self) -> tuple[Pair, ...]: ...
    @property
    def special_tokens(self) -> Mapping[str, int]: ...
    @property
    def pattern(self) -> str: ...
    @property
    def vocab_size(self) -> int: ...
    @property
    def splitting(self) -> str: ...
    def pretokens(self, text: Text, *, specials: Which = ...
                  ) -> Iterator[tuple[tuple[int, ...], bool]]: ...


class Words(NamedTuple):
    """The beginning of a text, pretoken by pretoken."""

    words: list[tuple[tuple[int, ...], bool]]  # the ids of each, and whether it is special
    shown_bytes: int
    total_bytes: int
    cut: bool  # whether there is more


def words_of(tokenizer: Viewed, text: Text, specials: Which, limit: int) -> Words:
    """The pretokens and special tokens of a text, with their ids; about `limit` bytes of it.

    The text ends after the last pretoken that is within the limit. If the very first is longer
    than that, as much of it is taken as there is room for.

    >>> from cs336_bpe import Tokenizer
    >>> tokenizer = Tokenizer({n: bytes([n]) for n in range(256)}, [], ["<e>"])
    >>> words_of(tokenizer, "ab c<e>", "all", 100).words
    [((97, 98), False), ((32, 99), False), ((256,), True)]
    >>> words_of(tokenizer, "ab c", "all", 3)
    Words(words=[((97, 98), False)], shown_bytes=2, total_bytes=4, cut=True)
    """
    check_text(text)
    limit = check_size("limit", limit, 1)
    total = len(as_utf8(text) if isinstance(text, str) else bytes(text))
    words: list[tuple[tuple[int, ...], bool]] = []
    size = 0
    for ids, special in tokenizer.pretokens(text, specials=specials):
        lengths = [len(tokenizer.vocab[number]) for number in ids]
        if size + sum(lengths) <= limit:
            words.append((ids, special))
            size += sum(lengths)
            continue
        if not words:
            room = max(1, sum(end <= limit for end in accumulate(lengths)))
            words.append((ids[:room], special))
            size = sum(lengths[:room])
        return Words(words, size, total, True)
    return Words(words, size, total, False)
