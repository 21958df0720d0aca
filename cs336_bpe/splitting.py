"""Special tokens in a text: where they are, and what is between them."""

from collections.abc import Iterator
from typing import Any

import regex


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
