"""What a token looks like: any bytes as text that can be read and that does no harm.

A token can be a part of a character, or a control character that would move the cursor, or a mark
that turns the direction of the text round. None of these is ever written as it is. The pages do the
same in JavaScript (`appearance` in `elements.js`), and a test compares the two.
"""

import unicodedata
from typing import Literal, NamedTuple

Kind = Literal["text", "newline", "tab", "escape"]


class Part(NamedTuple):
    """A piece of a token that is shown in one way."""

    kind: Kind
    text: str


def appearance(token: bytes) -> list[Part]:
    """The parts of a token.

    A byte that is no part of a whole character is `\\\\xc3`, and a character that can't be seen
    `\\\\u200b`; a line feed and a tab have signs of their own.

    >>> [part.text for part in appearance(b"a\\xc3\\n\\x1b" + "é\\u202e".encode())]
    ['a', '\\\\xc3', '↵', '\\\\u001b', 'é', '\\\\u202e']
    """
    parts: list[Part] = []
    for character in token.decode("utf-8", "surrogateescape"):
        part = _part(character)
        if part.kind == "text" and not parts and unicodedata.category(character)[0] == "M":
            part = Part("text", "\u25cc" + character)  # an accent needs something to sit on
        if part.kind == "text" and parts and parts[-1].kind == "text":
            parts[-1] = Part("text", parts[-1].text + part.text)
        else:
            parts.append(part)
    return parts


def _part(character: str) -> Part:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # what "surrogateescape" makes of a byte that is no UTF-8
        return Part("escape", f"\\x{code - 0xDC00:02x}")
    if character == "\n":
        return Part("newline", "\u21b5")
    if character == "\t":
        return Part("tab", "\u2192")
    if character.isprintable():
        return Part("text", character)
    return Part("escape", f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def label(token: bytes, most: int = 40) -> str:
    """A token on one line, with `␣` for a blank; the beginning of it if it is long.

    >>> label(b" low\\n"), label(b"-" * 99, most=5)
    ('␣low↵', '-----…')
    """
    text = "".join(part.text for part in appearance(token[: 4 * most])).replace(" ", "\u2423")
    return text if len(text) <= most and len(token) <= 4 * most else text[:most] + "\u2026"
