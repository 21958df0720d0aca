"""Where a text may be cut.

Counting the parts of a text must give what counting the whole gives. That holds if no pretoken
and no special token spans a cut. docs/pretokenize/cutting.md has the proof that it holds

- with GPT-2's pattern, before a white-space character that follows another character;
- with any pattern, after a special token.

Both can be seen from a few bytes around the cut, so a reader can jump into the middle of a file.
"""

from collections.abc import Iterable

from cs336_bpe.native.classes import runs
from cs336_bpe.rules import GPT2_PATTERN, is_gpt2
from cs336_bpe.text.specials import pattern_of

# A white-space byte after a visible character or a part of one. Leaving out the control characters,
# some of which are white space, is more careful than it need be, and costs nothing.
_SPACE_AFTER_TEXT = rb"(?r)[\x21-\x7e\x80-\xff][\t-\r ]"

SPACES = tuple(chr(point).encode() for name, points in runs() if name == "W" for point in points)
"""All white-space characters, as UTF-8."""

WIDE_SPACES = tuple(space for space in SPACES if len(space) > 1)


class Cutter:
    """Finds the places at which a text may be cut."""

    def __init__(self, special_tokens: Iterable[str], pattern: str = GPT2_PATTERN,
                 errors: str = "strict", safe_cut: str | None = None) -> None:
        import regex  # here, because encoding a text in memory never cuts it

        self.specials = [token.encode() for token in special_tokens]
        self.longest = max(map(len, self.specials), default=0)
        self.errors = errors
        self.pattern = None
        self.is_gpt2 = is_gpt2(pattern)
        if self.is_gpt2:
            self.pattern = regex.compile(_SPACE_AFTER_TEXT)
        elif safe_cut:
            self.pattern = regex.compile(b"(?rs)." + regex.escape(safe_cut.encode()))
        elif self.specials:
            self.pattern = regex.compile(b"(?r)" + pattern_of(self.specials))
        self.at_specials = not (self.is_gpt2 or safe_cut)

    def last_cut(self, data: bytearray | bytes, size: int, *, first: int = 1) -> int:
        """The last place in `data[first:size]` that is seen to be a cut, or 0 if there is none.

        >>> text = b"some words<|end|>and so on"
        >>> Cutter(["<|end|>"]).last_cut(text, len(text))
        4
        >>> Cutter(["<|end|>"], pattern=r"[a-z]+|[^a-z]").last_cut(text, len(text))
        17
        """
        if self.pattern is None:
            return 0
        end = size
        while (match := self.pattern.search(data, 0, end)) is not None:
            start, end_of_match = match.span()
            del match  # it keeps `data` from being resized
            cut = self._cut_of_special(data, size, start) if self.at_specials else start + 1
            if 0 < cut < first:
                return 0
            if cut and self._is_cut(data, size, cut):
                return cut
            end = end_of_match - 1
        return 0

    def _is_cut(self, data: bytearray | bytes, size: int, cut: int) -> bool:
        # Enough must be in view on both sides to see any special token that spans the cut.
        if cut + self.longest > size:
            return False
        if self.is_gpt2 and data[cut - 1] >= 0x80:
            # A byte that is left out says nothing, and not every white space is one byte.
            before = bytes(data[max(0, cut - 3) : cut])
            if self.errors == "ignore" or before.endswith(WIDE_SPACES):
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
