"""What happens with a text before it is merged, if a tokenizer has a pipeline.

Added tokens are found, what is between them is normalized and cut into pretokens. Nearly always
nothing has to be normalized, and the compiled engine can do the rest for a whole text at once;
`is_transparent` says when.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cs336_bpe.common.built import is_built
from cs336_bpe.common.lazy import lazy
from cs336_bpe.model.added import AddedTokens
from cs336_bpe.model.normal import Normalizer
from cs336_bpe.model.reduce import patterns_of
from cs336_bpe.model.splitting import Splitter
from cs336_bpe.patterns import Unsupported, compile_pattern, compile_sequence
from cs336_bpe.rules import TokenIds
from cs336_bpe.rules.pipeline import AddedToken, Pipeline
from cs336_bpe.text.specials import pattern_of

if TYPE_CHECKING:
    import regex

    from cs336_bpe.native.scanner import CompiledPattern


class Preparation:
    """The steps of a pipeline before the merges, ready to be carried out."""

    def __init__(self, pipeline: Pipeline, ids: TokenIds) -> None:
        self.pipeline = pipeline
        self.ids = ids.specials
        self.normalizer = Normalizer(pipeline.normalize)
        self.splitter = Splitter(pipeline.splits)
        reduced = patterns_of(pipeline.splits)
        self.prefix_space = reduced is not None and reduced.prefix_space
        self.compiled = None if reduced is None else _compiled(reduced.patterns)
        """What cuts a text into these pretokens; None if that has to be done step by step."""
        self.one_search = (all(token.is_plain for token in pipeline.added)
                           and not _may_overlap(pipeline.added))
        self.cuts_anywhere = (self.compiled is not None and self.one_search
                              and not pipeline.normalize and not self.prefix_space)
        """Whether a text can be cut wherever a pretoken starts in any case."""

    def added(self, wanted: frozenset[str]) -> AddedTokens:
        """The search for some of the added tokens."""
        return AddedTokens(self.pipeline.added, self.normalizer,
                           [token for token in self.pipeline.added if token.content in wanted])

    def cut_tokens(self) -> tuple[str, ...]:
        """The tokens after which a text can be cut: what follows does not depend on what is before.

        If one of them takes white space along, or looks at its neighbours, there are none.
        """
        raw = [token for token in self.pipeline.added if not token.normalized]
        if not all(token.is_plain for token in raw):
            return ()
        return tuple(token.content for token in raw)

    def is_transparent(self, text: str) -> bool:
        """Whether the engine can take a text as it is, added tokens and all."""
        return (self.compiled is not None and self.one_search and not self.prefix_space
                and self.normalizer.leaves(text))

    def normalized(self, text: bytes) -> bytes | None:
        """The text for the engine, normalized, if added tokens can be found in that as well as in
        the text itself; None if that is not seen at once."""
        if (self.compiled is None or not self.one_search or self.prefix_space
                or not self.normalizer.only_forms):
            return None
        room = self._longest_added
        changes = self.normalizer.changes(text, gap=max(64, room))
        if changes is None:
            return None
        pieces, at = [], 0
        for start, end, changed in changes:
            before, after = text[max(0, start - room) : start], text[end : end + room]
            if any(self._is_in_added(before, middle, after)
                   for middle in (text[start:end], changed)):
                return None  # which tokens there are depends on whether it is normalized
            pieces += [text[at:start], changed]
            at = end
        return b"".join([*pieces, text[at:]]) if changes else text

    @lazy
    def _longest_added(self) -> int:
        return max((len(token.content.encode()) for token in self.pipeline.added), default=0)

    def _is_in_added(self, before: bytes, middle: bytes, after: bytes) -> bool:
        """Whether there is an added token in a text of which some is in the middle."""
        if self._any_added is None:
            return False
        start, end = len(before), len(before) + len(middle)
        found = self._any_added.finditer(before + middle + after, overlapped=True)
        return any(match.start() < end and match.end() > start for match in found)

    @lazy
    def _any_added(self) -> "regex.Pattern[bytes] | None":
        """Finds any added token, as it is written or as it is normalized."""
        import regex

        contents = {form.encode() for token in self.pipeline.added
                    for form in (token.content, self.normalizer(token.content))}
        return regex.compile(pattern_of(contents)) if contents else None

    def parts(self, text: str, added: AddedTokens) -> Iterator[str | int]:
        """The ids of added tokens, and the text between them, ready to be cut into pretokens."""
        for part in added.split(text):
            if isinstance(part, AddedToken):
                yield self.ids[part.content]
            elif self.prefix_space and not part.startswith(" "):
                yield " " + part
            else:
                yield part

    def can_stream(self, added: AddedTokens | None) -> bool:
        """Whether a text that comes in parts need not be put together between added tokens.

        The search for tokens that are found after normalization must be simple, and so must the
        normalizer: it can cut a text only if there is nothing in it but Unicode's forms.
        """
        return (added is not None and self.compiled is not None and self.normalizer.only_forms
                and not self.prefix_space
                and all(token.is_plain for token in self.pipeline.added)
                and added.normalized.wanted.issuperset(added.normalized.contents.values()))

    def stream(self, parts: Iterable[str], added: AddedTokens) -> Iterator[str | int]:
        """The ids of raw added tokens, and the text between them, normalized, in parts again.

        Held back is what may become an added token, and what follows the last place where a text
        may be cut to be normalized.
        """
        search, normalizer = added.raw, added.normalizer
        held = ""
        searched = 0  # no token that is wanted starts before this place of it, nor may one
        examined = 0  # there is no place to cut before this one
        for part in parts:
            held += part
            while (match := search.first(held, searched)) is not None:
                start, stop, token = match
                if token is None:
                    searched = stop  # it is not wanted, but has used up its place
                    continue
                yield from filter(None, [normalizer(held[:start])])
                yield self.ids[token.content]
                held, searched, examined = held[stop:], 0, 0
            searched = max(searched, search.open_from(held, searched))
            cut = normalizer.last_cut(held, examined, searched)
            if cut:
                yield normalizer(held[:cut])
                held, searched = held[cut:], searched - cut
            examined = min(searched + 1, len(held))
        for start, stop, token in search.spans(held):
            yield normalizer(held[start:stop]) if token is None else self.ids[token.content]

    def pieces(self, text: str, added: AddedTokens) -> Iterator[bytes | int]:
        """The pretokens of a text, and the ids of added tokens."""
        for part in added.split(text):
            if isinstance(part, AddedToken):
                yield self.ids[part.content]
            else:
                yield from self.splitter.pretokens(part)


def _compiled(patterns: tuple[str, ...]) -> "CompiledPattern | None":
    """Patterns in sequence as one automaton, if there is one. What none matches is a piece too."""
    if not is_built():
        return None
    from cs336_bpe.native.scanner import CompiledPattern

    patterns = patterns or (r"[\s\S]+",)  # nothing is cut
    try:
        return CompiledPattern(compile_sequence(patterns), keep_gaps=True)
    except Unsupported:
        if len(patterns) > 1:
            return None
    try:
        return CompiledPattern(compile_pattern(patterns[0]), keep_gaps=True)
    except Unsupported:
        return None


def _may_overlap(tokens: Sequence[AddedToken]) -> bool:
    """Whether a token that is looked for first could overlap one that is looked for later."""
    raw = [token.content for token in tokens if not token.normalized]
    later = [token.content for token in tokens if token.normalized]
    if not raw or not later:
        return False
    starts = {content[:end] for content in raw for end in range(1, len(content) + 1)}
    ends = {content[begin:] for content in raw for begin in range(len(content))}
    return any(content[begin:] in starts for content in later for begin in range(len(content))) \
        or any(content[:end] in ends for content in later for end in range(1, len(content) + 1)) \
        or any(one in two or two in one for one in raw for two in later)
