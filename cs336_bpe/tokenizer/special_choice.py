"""Which special tokens a call looks for, of all that a tokenizer has."""

from collections.abc import Iterable
from dataclasses import dataclass

from cs336_bpe.text.specials import SpecialSplitter, Which
from cs336_bpe.text.utf8 import Text, as_bytes
from cs336_bpe.tokenizer.engine import Specials

MOST_KEPT = 100
"""Choices that are kept for the next call. A server that tries all subsets must not fill memory."""


@dataclass(frozen=True)
class Choice:
    """Some special tokens, ready to be found, and those that must not occur."""

    splitter: SpecialSplitter  # finds them in Python
    native: Specials  # finds them in compiled code
    refused: Specials | None = None  # if any of these is in a text, that is an error

    @property
    def tokens(self) -> Iterable[str]:
        return self.splitter.ids

    def check(self, text: Text, offset: int | None = 0, name: str = "text") -> None:
        """Raise if the text, which begins at `offset` of what the user knows, has a refused one."""
        if self.refused is None:
            return
        data = as_bytes(text)
        place = self.refused.first_in(data)
        if place is not None:
            start, length = place
            found = data[start : start + length]
            token = found if isinstance(found, str) else bytes(found).decode()
            where = "" if offset is None else f" at byte {offset + start}"
            raise ValueError(f"{name} contains the special token {token!r}{where}; "
                             f"specials='none' takes it for plain text, 'all' for the token")


class SpecialChoices:
    """The special tokens of a tokenizer, and the choices that calls make of them."""

    def __init__(self, ids: dict[str, int]) -> None:
        self.ids = ids
        self._kept: dict[frozenset[str], Choice] = {}
        self.all = self._some(frozenset(ids))
        self.none = self._some(frozenset())
        self._refusing = Choice(self.none.splitter, self.none.native, self.all.native)

    def choose(self, which: Which) -> Choice:
        """What a caller's `specials=` means; an error if that is nothing."""
        if isinstance(which, str):
            if which == "all":
                return self.all
            if which == "none":
                return self.none
            if which == "raise":
                return self._refusing
            raise ValueError(f"specials is {which!r}; it must be 'all', 'none', 'raise' or a "
                             f"set of special tokens")
        try:
            wanted = frozenset(which)
        except TypeError:
            raise TypeError(f"specials is {which!r}; it must be 'all', 'none', 'raise' or a set "
                            f"of special tokens") from None
        for token in wanted:
            if token not in self.ids:
                known = ", ".join(map(repr, self.ids)) or "none"
                raise ValueError(f"specials has {token!r}, which is not a special token of this "
                                 f"tokenizer; it has {known}")
        return self._some(wanted)

    def _some(self, tokens: frozenset[str]) -> Choice:
        choice = self._kept.get(tokens)
        if choice is None:
            ids = {token: number for token, number in self.ids.items() if token in tokens}
            choice = Choice(SpecialSplitter(ids), Specials(ids))
            if len(self._kept) < MOST_KEPT:
                self._kept[tokens] = choice
        return choice
