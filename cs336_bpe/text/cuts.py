"""Where a text may be cut.

Counting the parts of a text must give what counting the whole gives. That holds if no pretoken and
no special token spans a cut. Where that is so can be seen from a few bytes around the cut, so a
reader can jump into the middle of a file:

- with a compiled pattern, between two characters that are a safe pair. The automaton says which
  pairs are (`patterns/cuts.py`), and docs/pretokenize/cutting.md has the proof for GPT-2's pattern
  by hand;
- with any pattern, after a special token.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from cs336_bpe.common.built import is_built
from cs336_bpe.common.lazy import lazy
from cs336_bpe.patterns import Unsupported, compile_pattern
from cs336_bpe.patterns.cuts import last_cut
from cs336_bpe.rules import GPT2_PATTERN, require_pattern
from cs336_bpe.text.specials import pattern_of

if TYPE_CHECKING:
    import regex

    from cs336_bpe.native.scanner import CompiledPattern

FIRST_TRIES = 50
RAN_OUT = -1  # of tries: there may be a cut
FindCut = Callable[[bytes | bytearray, int, int, int], int]


class Cutter:
    """Finds the places at which a text may be cut."""

    def __init__(self, special_tokens: Iterable[str],
                 pattern: "str | CompiledPattern | None" = GPT2_PATTERN,
                 errors: str = "strict") -> None:
        """For a pattern, or one that is compiled; with None, text is cut after special tokens."""
        self.specials = [token.encode() for token in special_tokens]
        self.longest = max(map(len, self.specials), default=0)
        self.errors = errors
        found = _cut_finder(pattern)
        self.finds_pairs = found is not None  # if not, only special tokens divide a text
        self._find_cut = found or (lambda data, size, first, last: 0)

    @lazy
    def _find_special(self) -> "regex.Pattern[bytes] | None":
        import regex

        return regex.compile(b"(?r)" + pattern_of(self.specials)) if self.specials else None

    @property
    def can_cut(self) -> bool:
        """Whether there is anything to cut at: a compiled pattern, or special tokens."""
        return bool(self.specials) or self.finds_pairs

    def last_cut(self, data: bytearray | bytes, size: int, *, first: int = 1) -> int:
        """The last place in `data[first:size]` that is seen to be a cut, or 0 if there is none.

        >>> text = b"some words<|end|>and so on"
        >>> Cutter(["<|end|>"]).last_cut(text, len(text))
        17
        >>> Cutter([]).last_cut(text, len(text))
        23
        """
        # Special tokens with spaces in them may refuse any number of places, and then the ends of
        # the tokens themselves are better ones. So some of each are tried before all of them.
        ways = [self._last_safe_pair, self._last_special]
        for tries in FIRST_TRIES, size:
            left = []
            for way in ways:
                cut = way(data, size, first, tries)
                if cut > 0:
                    return cut
                if cut == RAN_OUT:
                    left.append(way)
            ways = left
        return 0

    @property
    def margin(self) -> int:
        """Bytes before the end of a text in which it takes more of it to see whether a place is a
        cut. Before that, what is none will never be one."""
        return 8 * self.longest + 128

    def _last_safe_pair(self, data: bytearray | bytes, size: int, first: int, tries: int) -> int:
        cut = size
        while cut := self._find_cut(data, size, first, cut):
            if not tries:
                return RAN_OUT
            if self._is_cut(data, size, cut):
                return cut
            tries -= 1
        return 0

    def _last_special(self, data: bytearray | bytes, size: int, first: int, tries: int) -> int:
        end = size
        while self._find_special is not None:
            if not tries:
                return RAN_OUT
            match = self._find_special.search(data, 0, end)
            if match is None:
                break
            start, end_of_match = match.span()
            del match  # it keeps `data` from being resized
            cut = self._cut_of_special(data, size, start)
            if 0 < cut < first:
                break
            if cut and self._is_cut(data, size, cut):
                return cut
            end = end_of_match - 1
            tries -= 1
        return 0

    def _is_cut(self, data: bytearray | bytes, size: int, cut: int) -> bool:
        # Enough must be in view on both sides to see any special token that spans the cut.
        if cut + self.longest > size:
            return False
        if self.errors != "strict" and self.specials:
            # Bytes that are left out or replaced may complete a special token.
            room = 4 * self.longest + 64
            left = bytes(data[max(0, cut - room) : cut]).decode("utf-8", self.errors).encode()
            right = bytes(data[cut : min(size, cut + room)]).decode("utf-8", self.errors).encode()
            too_short = min(len(left), len(right)) < self.longest
            if too_short or self._is_spanned(left + right, len(left)):
                return False
        return not self._is_spanned(data, cut)

    def _is_spanned(self, data: bytearray | bytes, cut: int) -> bool:
        return any(
            data.find(special, max(0, cut - len(special) + 1), cut + len(special) - 1) >= 0
            for special in self.specials
        )

    def _cut_of_special(self, data: bytearray | bytes, size: int, start: int) -> int:
        """End of the special token at `start`, or 0 if an earlier, overlapping special token might
        own its first bytes."""
        if start + self.longest > size or self._is_spanned(data, start):
            return 0
        if self.errors != "strict" and not self._is_valid_around(data, size, start):
            return 0  # bytes that are left out or replaced may complete a special token before
        return start + max(len(special) for special in self.specials
                           if data.startswith(special, start))

    def _is_valid_around(self, data: bytearray | bytes, size: int, place: int) -> bool:
        """Whether the bytes around a place, as far as a special token reaches, are valid UTF-8."""
        first, last = max(0, place - 2 * self.longest), min(size, place + 2 * self.longest)
        while first < place and data[first] & 0xC0 == 0x80:
            first += 1  # the window may begin and end within a character
        while place < last < size and data[last] & 0xC0 == 0x80:
            last -= 1
        try:
            bytes(data[first:last]).decode()
        except UnicodeDecodeError:
            return False
        return True


def _cut_finder(pattern: "str | CompiledPattern | None") -> FindCut | None:
    """What finds the last safe pair, for a pattern; None if it can't be compiled."""
    if pattern is not None and not isinstance(pattern, str):
        return pattern.last_cut
    try:
        automaton = compile_pattern(require_pattern(pattern)) if pattern is not None else None
    except Unsupported:
        automaton = None
    if automaton is None or pattern is None:
        return None
    if is_built():
        from cs336_bpe.native.scanner import compiled

        return compiled(pattern).last_cut
    return partial(last_cut, automaton.of_point, automaton.safe)
