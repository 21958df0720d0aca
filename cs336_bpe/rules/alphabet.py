"""GPT-2's printable alphabet: one printable character for each byte.

A JSON file or a list of merges can't hold any bytes as they are: half of a character is not text,
and a blank or a line feed would look like the end of the token. So GPT-2 writes each byte as one
character: a printable Latin-1 character stands for the byte of its own number, and the other 68
bytes, in order, are written as U+0100, U+0101, ... So a blank is `Ġ` (U+0120), and no token has
white space in it when it is written.
"""

_PRINTABLE = 256 - 68


def huggingface_byte_numbers() -> list[int]:
    """For each byte, its place in the alphabet of Hugging Face's `ByteLevel` pretokenizer.

    GPT-2 writes a byte as the printable Latin-1 character of the same number if there is one,
    and the others as U+0100, U+0101, ... in turn. Sorted by character, the printable ones come
    first.

    >>> huggingface_byte_numbers()[ord("!")]
    0
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = sorted(set(range(256)) - set(printable))
    numbers = [0] * 256
    for number, byte in enumerate(printable + others):
        numbers[byte] = number
    return numbers


def _characters() -> list[str]:
    """The character for each byte."""
    characters = []
    for byte, number in enumerate(huggingface_byte_numbers()):
        characters.append(chr(byte if number < _PRINTABLE else 0x100 + number - _PRINTABLE))
    return characters


ALPHABET = frozenset(_characters())
"""The 256 characters."""

# For str.translate, which maps characters: a byte is the Latin-1 character of its number.
_TO_PRINTABLE = dict(enumerate(_characters()))
_FROM_PRINTABLE = {ord(character): chr(byte) for byte, character in enumerate(_characters())}


def to_printable(token: bytes) -> str:
    """A token in the alphabet.

    >>> to_printable(b" the\\n"), to_printable("é".encode())
    ('ĠtheĊ', 'Ã©')
    """
    return token.decode("latin-1").translate(_TO_PRINTABLE)


def from_printable(text: str) -> bytes | None:
    """The bytes that a text in the alphabet stands for; None if a character is not in it.

    >>> from_printable("ĠtheĊ"), from_printable("the end")
    (b' the\\n', None)
    """
    if not ALPHABET.issuperset(text):
        return None
    return text.translate(_FROM_PRINTABLE).encode("latin-1")
