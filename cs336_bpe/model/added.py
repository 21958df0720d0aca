"""Finding added tokens in a text.

Two searches, one after the other: for tokens that are looked for in the text as it came, and then,
in what is left and after normalization, for the others. In each of them the leftmost match wins,
and there the longest. A match that is then discarded because a word goes on beside it has used up
its place all the same: no other token is looked for inside it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import regex

from cs336_bpe.common.lazy import lazy
from cs336_bpe.model.normal import Normalizer
from cs336_bpe.rules.pipeline import AddedToken
from cs336_bpe.text.specials import pattern_of

Found = tuple[int, int, AddedToken | None]
"""A span of a text, and the token that it is."""

_WORD = regex.compile(r"\w")
_SPACES_AFTER = regex.compile(r"\s*")


class Search:
    """Looks for some tokens. `contents` says what stands for each of them in the text."""

    def __init__(self, contents: Mapping[str, AddedToken], wanted: Iterable[AddedToken]) -> None:
        self.contents = contents
        self.wanted = frozenset(wanted)

    @lazy
    def regex(self) -> "regex.Pattern[str] | None":
        """Made when it is needed: the engine finds most tokens itself, and there may be thousands.
        """
        return regex.compile(pattern_of(self.contents)) if self.contents else None

    @lazy
    def _beginnings(self) -> frozenset[str]:
        return frozenset(content[:size] for content in self.contents
                         for size in range(1, len(content)))

    @lazy
    def _longest(self) -> int:
        return max(map(len, self.contents), default=0)

    def open_from(self, text: str, start: int = 0) -> int:
        """Where the first token may begin of which the end has not come yet."""
        for place in range(max(start, len(text) - self._longest + 1), len(text)):
            if text[place:] in self._beginnings:
                return place
        return len(text)

    def first(self, text: str, start: int) -> Found | None:
        """The first token from a place on, None in place of one that isn't wanted, if it is certain
        whatever may follow the text. Tokens must be plain.

        >>> search = Search({"<a>": AddedToken("<a>"), "<a>+": AddedToken("<a>+")}, [])
        >>> search.first("one<a>two", 0), search.first("one<a>", 0)
        ((3, 6, None), None)
        """
        match = None if self.regex is None else self.regex.search(text, start)
        if match is None or match.start() >= self.open_from(text, start):
            return None
        token = self.contents[match.group()]
        return *match.span(), token if token in self.wanted else None

    def spans(self, text: str) -> Iterator[Found]:
        """The text in spans, of which some are tokens."""
        end = 0
        for match in self.regex.finditer(text) if self.regex is not None else ():
            token = self.contents[match.group()]
            if token not in self.wanted:
                continue
            start, stop = match.span()
            if token.single_word and (_WORD.match(text, stop)
                                      or (start and _WORD.match(text, start - 1))):
                continue
            if token.lstrip:
                while start > end and text[start - 1] in _SPACES:
                    start -= 1
            if token.rstrip:
                spaces = _SPACES_AFTER.match(text, stop)
                assert spaces is not None
                stop = spaces.end()
            if end < start:
                yield end, start, None
            if start < stop:  # or an earlier token has taken all of it along with its white space
                yield start, stop, token
            end = stop
        if end < len(text):
            yield end, len(text), None


_SPACES = frozenset(regex.findall(r"\s", "".join(map(chr, range(0x3001)))))


class AddedTokens:
    """The two searches for the added tokens of a pipeline.

    >>> word = AddedToken("low", normalized=True, single_word=True, lstrip=True)
    >>> tokens = AddedTokens([AddedToken("<e>"), word], Normalizer([]))
    >>> [part if isinstance(part, str) else part.content for part in
    ...  tokens.split("a low<e>lower")]
    ['a', 'low', '<e>', 'lower']
    """

    def __init__(self, tokens: Sequence[AddedToken], normalizer: Normalizer,
                 wanted: Iterable[AddedToken] | None = None) -> None:
        self.normalizer = normalizer
        wanted = tokens if wanted is None else wanted
        self.raw = Search({token.content: token for token in tokens if not token.normalized},
                          wanted)
        self.normalized = Search({normalizer(token.content): token for token in tokens
                                  if token.normalized}, wanted)

    def split(self, text: str) -> Iterator[str | AddedToken]:
        """The text between added tokens, normalized, and the tokens."""
        for start, stop, token in self.raw.spans(text):
            if token is not None:
                yield token
                continue
            normal = self.normalizer(text[start:stop])
            for first, last, inner in self.normalized.spans(normal):
                yield normal[first:last] if inner is None else inner
