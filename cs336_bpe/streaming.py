"""A text that comes in parts: how much of what has come is certain?

Three things can reach from one part into the next: a pretoken, which may go on; a special token,
of which the first bytes may have come; and white space, of which the last character belongs to
the word behind it. What is before all of these is final, whatever comes.
"""

from collections.abc import Callable, Iterable, Iterator

import regex

CHECK_ALWAYS = 1 << 12
"""Up to so many bytes held back, every part is looked at. A longer pretoken is looked at again when
an eighth of its length has been added, or a word of megabytes that comes character by
character would be scanned millions of times."""


def final_parts(parts: Iterable[str], specials: list[bytes],
                final_length: Callable[[bytes], int] | None) -> Iterator[bytes]:
    """The text again, as UTF-8 and cut so that each part can be encoded alone.

    A part is given out as soon as it is final, and the next one is not asked for before.
    `final_length` says how much of a text without special tokens is final; None if nobody knows.

    >>> def words(text: bytes) -> int:
    ...     return text.rfind(b" ") if b" " in text else 0
    >>> list(final_parts(["Hello wor", "ld<", "e>!"], [b"<e>"], words))
    [b'Hello', b' world', b'<e>', b'!']
    """
    prefixes = {special[:size] for special in specials for size in range(1, len(special))}
    longest_first = sorted(specials, key=len, reverse=True)
    longest = max(map(len, specials), default=0)
    special = regex.compile(b"|".join(map(regex.escape, longest_first))) if specials else None
    held: list[bytes] = []
    num_held = 0
    look_from = 0  # at so many bytes held back
    for place, part in enumerate(parts):
        if not isinstance(part, str):
            raise TypeError(f"part {place} is {part!r}, a {type(part).__name__}; it must be str")
        if not part:
            continue
        try:
            data = part.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"part {place} has a lone surrogate, {part[error.start]!r}, at "
                             f"character {error.start}: it has no UTF-8 form") from None
        held.append(data)
        num_held += len(data)
        if num_held < look_from:
            continue
        text = b"".join(held)
        start = 0
        while True:
            open_from = _open_special(text, start, longest, prefixes)
            match = special.search(text, start) if special else None
            if match is None or match.start() >= open_from:
                break
            if match.start() > start:
                yield text[start : match.start()]
            yield match.group()
            start = match.end()
        if final_length is not None and open_from > start:
            final = final_length(text[start:open_from])
            if final:
                yield text[start : start + final]
                start += final
        held = [text[start:]]
        num_held = len(held[0])
        look_from = 0 if num_held < CHECK_ALWAYS else num_held + num_held // 8
    text = b"".join(held)  # what might have become a special token has not
    start = 0
    for match in special.finditer(text) if special else ():
        if match.start() > start:
            yield text[start : match.start()]
        yield match.group()
        start = match.end()
    if start < len(text):
        yield text[start:]


def _open_special(text: bytes, start: int, longest: int, prefixes: set[bytes]) -> int:
    """Where the first special token may begin of which the end has not come yet."""
    for at in range(max(start, len(text) - longest + 1), len(text)):
        if text[at:] in prefixes:
            return at
    return len(text)
