"""The words of a text with their ids, up to a limit."""

from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from cs336_bpe.rules import check_size

if TYPE_CHECKING:
    from cs336_bpe.tokenizer import Text, Tokenizer, Which


class Words(NamedTuple):
    """The beginning of a text, pretoken by pretoken."""

    words: list[tuple[tuple[int, ...], bool]]  # the ids of each, and whether it is special
    shown_bytes: int
    total_bytes: int
    cut: bool  # whether there is more


def words_of(tokenizer: "Tokenizer", text: "Text", specials: "Which", limit: int) -> Words:
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
    if not isinstance(text, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"text is a {type(text).__name__}; it must be str or bytes")
    limit = check_size("limit", limit, 1)
    try:
        total = len(text.encode() if isinstance(text, str) else bytes(text))
    except UnicodeEncodeError as error:
        raise ValueError(f"text has a lone surrogate, {error.object[error.start]!r}, at character "
                         f"{error.start}: it has no UTF-8 form") from None
    words: list[tuple[tuple[int, ...], bool]] = []
    size = 0
    for ids, special in _words(tokenizer, text, specials):
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


def _words(tokenizer: "Tokenizer", text: "Text",
           specials: "Which") -> Iterator[tuple[tuple[int, ...], bool]]:
    known: dict[bytes, tuple[int, ...]] = {}
    for piece in tokenizer._pieces(text, tokenizer._check_specials(text, specials)):
        if isinstance(piece, int):
            yield (piece,), True
        else:
            if piece not in known:
                known[piece] = tuple(
                    tokenizer._engine.as_list(tokenizer._engine.encode_pieces([piece], 4)))
            yield known[piece], False
