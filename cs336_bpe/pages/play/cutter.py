"""A page on which GPT-2's pattern cuts a text by masks, one operation after the other.

The class of every character is the one that the scanner in C has, from the same table. The
operations are those of `native/masks_gpt2.h`, written once more in the page's script, where one
integer holds the bits of the whole text; tests compare the cuts with the scanner's.
"""

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.native.classes import tables
from cs336_bpe.pages.page import write_page
from cs336_bpe.pages.pattern import class_runs
from cs336_bpe.pages.play.texts import text_to_show
from cs336_bpe.rules import PATTERNS

SAMPLE = "The cat's  2 mice don't\n\n  eat 東京's 12 naïve ''cakes''!"
MOST_BYTES = 256
"""How long a text may be on the page: each byte is a column."""


def write_cutter_page(path: AnyPath, text: str | None = None, *,
                      title: str = "A pattern as bit masks") -> int:
    """Write a page on which masks cut a text by GPT-2's pattern; return its size in bytes.

    `text` is what it shows at first, its first 256 bytes; on the page any text can be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     size = write_cutter_page(Path(folder, "cutter.html"), "It's 2026.")
    ...     size == Path(folder, "cutter.html").stat().st_size
    True
    """
    index, classes = tables()
    of_point = b"".join(classes[block << 8 : (block + 1) << 8] for block in index)
    return write_page(path, "play/cutter", title, {
        "text": text_to_show(text, SAMPLE), "most": MOST_BYTES, "pattern": PATTERNS["gpt2"],
        "runs": class_runs(of_point)})
