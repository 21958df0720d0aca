"""The order among equally frequent pairs (rule 3)."""

from typing import Literal, get_args

from cs336_bpe.rules.alphabet import huggingface_byte_numbers
from cs336_bpe.rules.tokens import BYTES, Pair

TieBreak = Literal["lexicographic", "huggingface"]


class LexicographicOrder:
    """Prefers the pair whose byte strings are greatest.

    >>> order = LexicographicOrder()
    >>> max([(b"a", b"z"), (b"ab", b"c"), (b"ab", b"")], key=order.rank)
    (b'ab', b'c')
    """

    def __init__(self) -> None:
        self._inverted: dict[bytes, str] = {}
        for token in BYTES:
            self._invert(token)

    def rank(self, pair: Pair) -> Pair:
        """The preferred pair has the greatest rank."""
        return pair

    def urgency(self, pair: Pair) -> tuple[str, str]:
        """The preferred pair has the smallest urgency; `heapq` has only smallest-first heaps.

        >>> order = LexicographicOrder()
        >>> order.learned((b"a", b"b"))
        >>> min([(b"a", b"z"), (b"ab", b"c")], key=order.urgency)
        (b'ab', b'c')
        """
        return self._inverted[pair[0]], self._inverted[pair[1]]

    def learned(self, pair: Pair) -> None:
        """Take note that a merge has made a token of this pair."""
        self._invert(pair[0] + pair[1])

    def _invert(self, token: bytes) -> None:
        # 255 - byte turns the order round, but it can't make "abc" come before its own prefix
        # "ab". A last character that is greater than any inverted byte does.
        self._inverted[token] = "".join(chr(255 - byte) for byte in token) + "\u0100"


class HuggingFaceOrder:
    """Prefers the pair with the smallest ids, in the order of the `tokenizers` library.

    That library numbers the 256 bytes by the code points of the printable characters that stand
    for them in GPT-2's alphabet, and every merged token after those, as it is made.
    """

    def __init__(self) -> None:
        self._number = dict(zip(BYTES, huggingface_byte_numbers(), strict=True))

    def rank(self, pair: Pair) -> tuple[int, int]:
        """The preferred pair has the greatest rank."""
        return -self._number[pair[0]], -self._number[pair[1]]

    def urgency(self, pair: Pair) -> tuple[int, int]:
        """The preferred pair has the smallest urgency."""
        return self._number[pair[0]], self._number[pair[1]]

    def learned(self, pair: Pair) -> None:
        """Take note that a merge has made a token of this pair."""
        self._number[pair[0] + pair[1]] = len(self._number)


TieOrder = LexicographicOrder | HuggingFaceOrder


def tie_order(tie_break: TieBreak) -> TieOrder:
    """A new order of the given name; one run of training needs one of its own."""
    check_tie_break(tie_break)
    return LexicographicOrder() if tie_break == "lexicographic" else HuggingFaceOrder()


def check_tie_break(tie_break: object) -> None:
    if tie_break not in get_args(TieBreak):
        names = " or ".join(map(repr, get_args(TieBreak)))
        raise ValueError(f"tie_break is {tie_break!r}; it must be {names}")
