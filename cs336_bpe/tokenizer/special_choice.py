"""Which special tokens a call looks for, of all that a tokenizer has."""

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

from cs336_bpe.text.specials import SpecialSplitter, Which
from cs336_bpe.text.utf8 import Text, as_bytes
from cs336_bpe.tokenizer.native import engine

if TYPE_CHECKING:
    from cs336_bpe.model.added import AddedTokens
    from cs336_bpe.tokenizer.preparing import Preparation

Some = Literal["all"] | Collection[str]

MOST_KEPT = 100
"""Choices that are kept for the next call. A server that tries all subsets must not fill memory."""


class Choice(NamedTuple):
    """Some special tokens, ready to be found, and those that must not occur."""

    splitter: SpecialSplitter  # finds them in Python
    native: engine.Specials  # finds them in compiled code
    refused: engine.Specials | None = None  # if any of these is in a text, that is an error
    added: "AddedTokens | None" = None  # finds them in Python, if there is a pipeline
    tokens: Iterable[str] = ()  # after these a text can be cut

    def check(self, text: Text, offset: int | None = 0,
              name: str | Callable[[], str] = "text") -> None:
        """Raise if the text, which begins at `offset` of what the user knows, has a refused one.

        The name may be a function, if it takes long to find: it is asked for an error only.
        """
        if self.refused is None:
            return
        data = as_bytes(text)
        place = self.refused.first_in(data)
        if place is not None:
            start, length = place
            found = data[start : start + length]
            token = found if isinstance(found, str) else bytes(found).decode()
            where = "" if offset is None else f" at byte {offset + start}"
            known = name if isinstance(name, str) else name()
            raise ValueError(f"{known} contains the special token {token!r}{where}; "
                             f"specials='none' takes it for plain text, 'all' for the token")


class SpecialChoices:
    """The special tokens of a tokenizer, and the choices that calls make of them."""

    def __init__(self, ids: dict[str, int], preparation: "Preparation | None" = None) -> None:
        self.ids = ids
        self.preparation = preparation
        added = () if preparation is None else preparation.pipeline.added
        self._always = frozenset(token.content for token in added if not token.special)
        self._kept: dict[frozenset[str], Choice] = {}
        self.all = self._some(frozenset(ids))
        self.none = self._some(frozenset())
        self.nothing = engine.Specials({})
        special = {token: number for token, number in ids.items() if token not in self._always}
        self._refusing = self._with_refused(self.none, special)

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

    def allow(self, allowed: Some, disallowed: Some) -> Choice:
        """What tiktoken's two arguments mean: tokens to recognise, and tokens that must not occur.

        "all" of the second means all that are not allowed. What is in neither is plain text.
        """
        special = frozenset(self.ids) - self._always
        wanted = special if allowed == "all" else frozenset(allowed)
        refused = special - wanted if disallowed == "all" else frozenset(disallowed)
        for token in wanted | refused:
            if token not in self.ids:
                raise ValueError(f"{token!r} is not a special token of this tokenizer")
        return self._with_refused(self._some(wanted), {token: self.ids[token] for token in refused})

    @staticmethod
    def _with_refused(choice: Choice, refused: dict[str, int]) -> Choice:
        return Choice(choice.splitter, choice.native, engine.Specials(refused) if refused else None,
                      choice.added, choice.tokens)

    def _some(self, tokens: frozenset[str]) -> Choice:
        choice = self._kept.get(tokens)
        if choice is None:
            wanted = tokens | self._always
            ids = {token: number for token, number in self.ids.items() if token in wanted}
            added, cuts = None, tuple(ids)
            if self.preparation is not None:
                added = self.preparation.added(wanted)
                if not self.preparation.cuts_anywhere:
                    cuts = self.preparation.cut_tokens()
                    # One that is not wanted may hide one that is.
                    cuts = cuts if wanted.issuperset(cuts) else ()
            choice = Choice(SpecialSplitter(ids), engine.Specials(ids), None, added, cuts)
            if len(self._kept) < MOST_KEPT:
                self._kept[tokens] = choice
        return choice
