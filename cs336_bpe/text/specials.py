"""Special tokens in a text (rule 2): where they are, and what is between them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, AnyStr, Literal

from cs336_bpe.common.lazy import lazy

if TYPE_CHECKING:
    import regex

Which = Literal["all", "none", "raise"] | Iterable[str]
"""Which special tokens a call looks for: all, none, none but complain about any, or some."""


def pattern_of(tokens: Iterable[AnyStr]) -> AnyStr:
    """A regular expression that finds these tokens: the leftmost first, and there the longest.

    A token may have characters that mean something in a regular expression, and one may be the
    beginning of another. Alternatives are tried in order, so the longer one comes first. There
    must be at least one token.

    >>> pattern_of(["<a>", "<a>+"])
    '<a>\\\\+|<a>'
    """
    import regex  # here, because most programs that have a tokenizer never need it

    longest_first = sorted(tokens, key=len, reverse=True)
    pattern: AnyStr = regex.escape(longest_first[0])
    for token in longest_first[1:]:
        pattern += b"|" if isinstance(pattern, bytes) else "|"
        pattern += regex.escape(token)
    return pattern


def split_at_specials(text: AnyStr, special_tokens: list[str]) -> Iterator[AnyStr]:
    """The parts of a text, or of its UTF-8 bytes, between special tokens.

    >>> list(split_at_specials("one<a>two<a><b>", ["<a>", "<a><b>"]))
    ['one', 'two', '']
    """
    if not special_tokens:
        yield text
        return
    import regex

    pattern = pattern_of(special_tokens)
    start = 0
    for match in regex.finditer(pattern if isinstance(text, str) else pattern.encode(), text):
        yield text[start : match.start()]
        start = match.end()
    yield text[start:]


class SpecialSplitter:
    """Splits texts at some special tokens that have ids."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self.ids = ids

    @lazy
    def _regex(self) -> "regex.Pattern[str] | None":
        import regex

        return regex.compile(pattern_of(self.ids)) if self.ids else None

    def split(self, text: str) -> Iterator[str | int]:
        """The parts of a text between special tokens, and the ids of those.

        >>> list(SpecialSplitter({"<e>": 256}).split("one<e>two"))
        ['one', 256, 'two']
        """
        start = 0
        if self._regex is not None:
            for match in self._regex.finditer(text):
                if match.start() > start:
                    yield text[start : match.start()]
                yield self.ids[match.group()]
                start = match.end()
        if start < len(text):
            yield text[start:]
