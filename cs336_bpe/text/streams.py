"""A text that comes in parts: how much of what has come is certain?

Three things can reach from one part into the next: a pretoken, which may go on; a special token,
of which the first bytes may have come; and white space, of which the last character belongs to
the word after it. What is before all of these is final, whatever comes.
"""

from collections.abc import Callable, Iterable, Iterator

from cs336_bpe.text.cuts import SPACES
from cs336_bpe.text.specials import pattern_of
from cs336_bpe.text.utf8 import as_utf8

FinalLength = Callable[[bytes], int]

LOOK_AT_ALL = 512
"""While at most this many bytes are held back, all of them are scanned again for each part that
comes; beyond that, only the last ones. Otherwise a word of megabytes that comes character by
character would take quadratic time."""


class Cuts:
    """Cuts off what is final from the text that has come.

    `final_length` says how much of a text without special tokens is final; None if nobody knows.
    """

    def __init__(self, specials: list[bytes], final_length: FinalLength | None) -> None:
        import regex

        self.specials = specials
        self.longest = max(map(len, specials), default=0)
        self.regex = regex.compile(pattern_of(specials) if specials else b"(?!)")
        self.first_bytes = {special[0] for special in specials}
        self.final_length = final_length
        self.held = b""

    def cut(self, text: bytes) -> Iterator[bytes]:
        """The final parts of what was held before and has been added to, which is `text`."""
        start = 0
        open_from = self._open_from(text, start)
        for match in self.regex.finditer(text):
            if match.start() > open_from:
                break
            if match.start() > start:
                yield text[start : match.start()]
                start = match.start()
            if start == open_from:
                break  # it is there, but it may become a longer one
            yield match.group()
            start = match.end()
            if open_from < start:
                open_from = self._open_from(text, start)
        final = self._final(text, start, open_from)
        if final > start:
            space = final
            if not text.startswith(SPACES, final):
                # If this ends in a run of white space, the last character of it is a pretoken of
                # its own, as something follows. In a part that ends there it would not be.
                space = start + len(_without_last_space(text[start:final]))
            if start < space:
                yield text[start:space]
            if space < final:
                yield text[space:final]
        self.held = text[final:]

    def cut_last(self, text: bytes) -> Iterator[bytes]:
        """The parts of a text behind which nothing comes."""
        start = 0
        for match in self.regex.finditer(text):
            if match.start() > start:
                yield text[start : match.start()]
            yield match.group()
            start = match.end()
        if start < len(text):
            yield text[start:]

    def may_end(self, end: bytes) -> bool:
        """Whether something may have become final, to judge from the end of the text alone."""
        while end and end[0] & 0xC0 == 0x80:  # not in the middle of a character
            end = end[1:]
        open_from = self._open_from(end, 0)
        match = self.regex.search(end)
        return ((match is not None and match.start() <= open_from)
                or self._final(end, 0, open_from) > 0)

    def _open_from(self, text: bytes, start: int) -> int:
        """Where the first special token may begin of which the end has not come yet."""
        for at in range(max(start, len(text) - self.longest + 1), len(text)):
            if text[at] in self.first_bytes:
                rest = text[at:]
                if any(len(special) > len(rest) and special.startswith(rest)
                       for special in self.specials):
                    return at
        return len(text)

    def _final(self, text: bytes, start: int, open_from: int) -> int:
        """Up to where the text from `start` on, in which there is no special token, is final."""
        if self.final_length is None or open_from == start:
            return start
        plain = text[start:open_from]
        if open_from < len(text) and not _without_last_space(plain).endswith(SPACES):
            # If a pretoken starts at `open_from` where that is no special token, the one before
            # it ends there in either case. (Of two white-space characters, the last may be a
            # pretoken of its own, and before a special token it is not.)
            stop = open_from + 1
            while stop < len(text) and text[stop] & 0xC0 == 0x80:
                stop += 1
            if self.final_length(text[start:stop]) == len(plain):
                return open_from
        return start + self.final_length(plain)


def final_parts(parts: Iterable[str], specials: list[bytes],
                final_length: FinalLength | None) -> Iterator[bytes]:
    """The text again, as UTF-8 and cut so that each part can be encoded alone.

    A part is given out as soon as it is final, and the next one is not asked for before.

    >>> def words(text: bytes) -> int:
    ...     return text.rfind(b" ") if b" " in text else 0
    >>> list(final_parts(["Hello wor", "ld<", "e>!"], [b"<e>"], words))
    [b'Hello', b' world', b'<e>', b'!']
    """
    cuts = Cuts(specials, final_length)
    reach = 64 + cuts.longest
    held: list[bytes] = []
    num_held = 0
    end = b""  # the last bytes of a long text that is held
    for place, part in enumerate(parts):
        if not isinstance(part, str):
            raise TypeError(f"part {place} is {part!r}, a {type(part).__name__}; it must be str")
        data = as_utf8(part, f"part {place}")
        if not data:
            continue
        was_long = num_held > LOOK_AT_ALL
        held.append(data)
        num_held += len(data)
        if was_long:
            end += data
            if not cuts.may_end(end):
                end = end[-reach:]
                continue
        yield from cuts.cut(b"".join(held))
        held = [cuts.held]
        num_held = len(cuts.held)
        end = cuts.held[-reach:]
    yield from cuts.cut_last(b"".join(held))


def _without_last_space(text: bytes) -> bytes:
    for space in SPACES if text.endswith(SPACES) else ():
        if text.endswith(space):
            return text[: -len(space)]
    return text
