"""Special tokens in a text: where they are, and what is between them."""

from collections.abc import Iterator
from typing import Any, AnyStr

import regex


def split_at_specials(text: AnyStr, special_tokens: list[str]) -> Iterator[AnyStr]:
    """The parts of a text, or of its UTF-8 bytes, between special tokens.

    >>> list(split_at_specials("one<a>two<a><b>", ["<a>", "<a><b>"]))
    ['one', 'two', '']
    """
    if not special_tokens:
        yield text
        return
    # A special token may have characters that mean something in a regex, and one may be the
    # beginning of another. Alternatives are tried in order, so the longer one comes first.
    longest_first = sorted(special_tokens, key=len, reverse=True)
    pattern = "|".join(map(regex.escape, longest_first))
    start = 0
    for match in regex.finditer(pattern if isinstance(text, str) else pattern.encode(), text):
        yield text[start : match.start()]
        start = match.end()
    yield text[start:]


class SpecialSplitter:
    """Finds some special tokens: the leftmost first, and there the longest.

    `native` does the same for compiled code.
    """

    def __init__(self, ids: dict[str, int], native: Any) -> None:
        self.ids = ids
        self.native = native
        self.tokens = [token.encode() for token in ids]
        # Alternatives are tried in order, so the longer one comes first.
        longest_first = sorted(ids, key=len, reverse=True)
        self._regex = regex.compile("|".join(map(regex.escape, longest_first))) if ids else None

    def split(self, text: str) -> Iterator[str | int]:
        """The parts of a text between special tokens, and the ids of those.

        >>> list(SpecialSplitter({"<e>": 256}, None).split("one<e>two"))
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
