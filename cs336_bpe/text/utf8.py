"""Text and its UTF-8 bytes: the one place where a text that has none is refused."""

Text = str | bytes | bytearray | memoryview


def as_utf8(text: str, name: str = "text") -> bytes:
    """The UTF-8 bytes of a text, or an error that names the character that has none.

    >>> as_utf8("é")
    b'\\xc3\\xa9'
    >>> as_utf8("a\\ud800")
    Traceback (most recent call last):
    ValueError: text has a lone surrogate, '\\ud800', at character 1: it has no UTF-8 form
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} has a lone surrogate, {text[error.start]!r}, at character "
                         f"{error.start}: it has no UTF-8 form") from None


def as_bytes(text: Text, name: str = "text") -> Text:
    """Something whose buffer is the text's UTF-8 bytes, copied only if it must be.

    A `str` in ASCII is returned as it is, because its characters are its bytes.
    """
    if isinstance(text, str):
        return text if text.isascii() else as_utf8(text, name)
    if isinstance(text, memoryview) and not (text.c_contiguous and text.itemsize == text.ndim == 1):
        return bytes(text)  # so that its elements are bytes
    return text


def as_text(text: Text, *, strict: bool = False) -> str:
    """A text as `str`; bytes that are not UTF-8 become surrogates, unless that is an error."""
    if isinstance(text, str):
        return text
    return bytes(text).decode("utf-8", "strict" if strict else "surrogateescape")


def check_text(text: object, name: str = "text") -> None:
    if not isinstance(text, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"{name} is a {type(text).__name__}; it must be str or bytes")
