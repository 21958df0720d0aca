"""Where a text may be cut, and how to read a file in blocks that are cut there.

Counting the parts of a text must give what counting the whole gives. That holds if no pretoken
and no special token spans a cut. docs/pretokenize/cutting.md has the proof that it holds

- with GPT-2's pattern, before a white-space character that follows another character;
- with any pattern, after a special token.

Both can be seen from a few bytes around the cut, so a reader can jump into the middle of a file.
"""

import os
from collections.abc import Iterable, Iterator
from typing import AnyStr, BinaryIO

import regex

from cs336_bpe.interface import GPT2_PATTERN

# The same rule, written as the course's handout and as OpenAI's code have it.
GPT2_PATTERNS = (
    GPT2_PATTERN,
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
)

DEFAULT_BLOCK_BYTES = 1 << 21

# A white-space byte after a visible character or a part of one. To leave out the control
# characters, some of which are white space, is more careful than need be, and costs nothing.
_SPACE_AFTER_TEXT = regex.compile(rb"(?r)[\x21-\x7e\x80-\xff][\t-\r ]")
WIDE_SPACES = tuple(chr(c).encode() for c in (
    0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000))


def is_gpt2(pattern: str) -> bool:
    """Whether the pattern is GPT-2's, in one of the ways in which it is written."""
    return pattern in GPT2_PATTERNS


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


class Cutter:
    """Finds the places at which a text may be cut."""

    def __init__(self, special_tokens: Iterable[str], pattern: str = GPT2_PATTERN,
                 errors: str = "strict", safe_cut: str | None = None) -> None:
        self.specials = [token.encode() for token in special_tokens]
        self.longest = max(map(len, self.specials), default=0)
        self.errors = errors
        self.pattern = None
        self.is_gpt2 = is_gpt2(pattern)
        if self.is_gpt2:
            self.pattern = _SPACE_AFTER_TEXT
        elif safe_cut:
            self.pattern = regex.compile(b"(?rs)." + regex.escape(safe_cut.encode()))
        elif self.specials:
            longest_first = sorted(self.specials, key=len, reverse=True)
            self.pattern = regex.compile(b"(?r)" + b"|".join(map(regex.escape, longest_first)))
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
        """Where the special token at `start` ends; 0 if it may be none, for one before it may
        have taken its first bytes."""
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


class BlockReader:
    """Reads a part of a file in blocks that can be counted one by one.

    A caller gives a buffer, and gets its block in it, so that threads can have one each.
    """

    def __init__(self, file: BinaryIO, name: str, cutter: Cutter, block_bytes: int,
                 start: int = 0, end: int | None = None) -> None:
        self.file = file
        self.name = name
        self.cutter = cutter
        self.block_bytes = block_bytes if end is None else max(1, min(block_bytes, end - start))
        self.offset = start  # of the next block in the file
        self.end = end  # None: as far as it goes
        self._left = b""  # read, but behind the last cut
        if start:
            file.seek(start)

    def read_into(self, buffer: bytearray) -> int:
        """Fill the buffer with the next block, and return its size; 0 at the end.

        The buffer grows if it must; what is in it behind the block has no meaning.
        """
        size = len(self._left)
        wanted = max(self.block_bytes, size + 1)
        if len(buffer) < wanted:
            buffer.extend(bytes(wanted - len(buffer)))
        buffer[:size] = self._left
        while True:
            size, at_end = self._fill(buffer, size, wanted)
            cut = size if at_end else self.cutter.last_cut(buffer, size)
            if cut or at_end:
                break
            wanted = 2 * size  # no cut in sight: look at twice as much
            buffer.extend(bytes(max(0, wanted - len(buffer))))
        self._left = bytes(buffer[cut:size])
        self.offset += cut
        return cut

    def _fill(self, buffer: bytearray, size: int, wanted: int) -> tuple[int, bool]:
        if self.end is not None:
            wanted = min(wanted, self.end - self.offset)
        with memoryview(buffer) as view:
            while size < wanted:
                got = self.file.readinto(view[size:wanted])  # type: ignore[attr-defined]
                if not got:
                    if self.end is not None:
                        raise OSError(f"{self.name} became shorter while it was read: it ends at "
                                      f"byte {self.offset + size} of {self.end}; try again when "
                                      f"nothing writes to it")
                    return size, True
                size += got
        return size, self.end is not None and self.offset + size == self.end


def file_size(file: BinaryIO) -> int | None:
    """The size of a regular file; None for a pipe and the like, which have none."""
    try:
        return os.fstat(file.fileno()).st_size or None
    except OSError:
        return None
