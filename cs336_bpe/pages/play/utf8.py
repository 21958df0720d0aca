"""A page that takes text apart: characters, code points, and the bits of their UTF-8 bytes.

It also takes bytes, and says of those that are not UTF-8 why they are not. The script does both by
itself; tests compare it with Python's codec.
"""

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.pages.page import write_page
from cs336_bpe.pages.play.texts import text_to_show

SAMPLE = "Aé猫🙂 e\u0301 \U0001f469\u200d\U0001f680"
MOST_BYTES = 400
"""How much is shown: each byte is a row of eight bits."""

BYTES = {
    "a text": "41 c3 a9 e7 8c ab f0 9f 99 82",
    "a byte that can only follow": "41 a9 42",
    "a character that is cut short": "e7 8c 41",
    "too long a form of /": "2f c0 af",
    "half of a pair, U+D800": "ed a0 80",
    "beyond the last code point": "f4 90 80 80",
}
"""Bytes to begin with: of each kind of mistake, one."""


def write_utf8_page(path: AnyPath, text: str | None = None, *,
                    title: str = "Characters, code points, bytes, bits") -> int:
    """Write a page that takes text apart, down to bits; return the size of the file in bytes.

    `text` is what it shows at first. On the page any text can be written, or any bytes.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     size = write_utf8_page(Path(folder, "utf8.html"), "naïve")
    ...     size == Path(folder, "utf8.html").stat().st_size
    True
    """
    return write_page(path, "play/utf8", title, {
        "text": text_to_show(text, SAMPLE), "most": MOST_BYTES, "examples": list(BYTES.items())})
