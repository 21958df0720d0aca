"""The tokens of a text in colour, in the terminal."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TextIO

from cs336_bpe.text.specials import Which
from cs336_bpe.text.utf8 import Text
from cs336_bpe.views import palette
from cs336_bpe.views.appearance import appearance
from cs336_bpe.views.pretokens import Viewed, words_of

RESET = "\x1b[0m"
MARK = "\u2502"
"""What separates tokens where there is no colour: a vertical line, but not the one on keyboards,
which texts contain."""


def use_colour(stream: TextIO | None = None, environ: Mapping[str, str] | None = None) -> bool:
    """Whether colours are wanted: on a terminal that can show them, unless `NO_COLOR` is set.

    >>> import io
    >>> use_colour(io.StringIO())
    False
    """
    environ = os.environ if environ is None else environ
    stream = sys.stdout if stream is None else stream
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def coloured(tokenizer: Viewed, text: Text, *, specials: Which = "all",
             colour: bool | None = None, mark: str = MARK, limit: int = sys.maxsize) -> str:
    """The tokens of a text, each on a background of another colour than its neighbours'.

    Special tokens are bold and underlined, on a dark background. What can't be shown is written
    as an escape: `\\\\xc3` is a byte that is only a part of a character. The end of a line has a
    sign, because it belongs to a token too. Without `colour` (the default is what `use_colour`
    says of standard output), `mark` stands between tokens, and special tokens are in `⟪⟫`.

    >>> from cs336_bpe import Tokenizer, train_bpe_from_counts
    >>> tokenizer = Tokenizer(*train_bpe_from_counts({b"low": 5, b" lower": 2}, 258, []))
    >>> print(coloured(tokenizer, "low, é\\nlower", colour=False))
    low│,│ │\\xc3│\\xa9│↵
    │low│e│r
    >>> coloured(tokenizer, "low", colour=True)
    '\\x1b[38;5;16;48;5;229mlow\\x1b[0m'

    `limit` is the number of bytes after which the text is cut; then the last line says so.
    """
    in_colour = use_colour() if colour is None else colour
    words = words_of(tokenizer, text, specials, limit)
    tokens = [(number, special) for ids, special in words.words for number in ids]
    shown = coloured_pieces([(tokenizer.vocab[number], special) for number, special in tokens],
                            colour=in_colour, mark=mark)
    if words.cut:
        gap = "" if shown.endswith(("\n", "\n" + RESET)) else "\n"
        shown += f"{gap}[the first {words.shown_bytes:,} of {words.total_bytes:,} bytes]"
    return shown


def coloured_pieces(pieces: Sequence[tuple[bytes, bool]], *, colour: bool, mark: str = MARK) -> str:
    """Pieces of a text, in colour or with a mark between them; of each its bytes, and whether it is
    special.

    >>> coloured_pieces([(b"low", False), (b"est", False), (b"!", True)], colour=False)
    'low│est│⟪!⟫'
    """
    if colour:
        return "".join(_in_colour(piece, place, special)
                       for place, (piece, special) in enumerate(pieces))
    return mark.join(_plain(piece, special) for piece, special in pieces)


def _in_colour(token: bytes, place: int, special: bool) -> str:
    if special:
        start = f"\x1b[1;4;38;5;{palette.TERMINAL_SPECIAL_TEXT};48;5;{palette.TERMINAL_SPECIAL}m"
    else:
        background = palette.TERMINAL_TOKENS[place % len(palette.TERMINAL_TOKENS)]
        start = f"\x1b[38;5;{palette.TERMINAL_TEXT};48;5;{background}m"
    shown = []
    for kind, text in appearance(token):
        if kind == "newline":
            # A background that is on at the end of a line can fill all the rest of it.
            shown.append(f"{text}{RESET}\n{start}")
        elif kind == "tab":
            shown.append(f"{text}{RESET}\t{start}")
        elif kind == "escape":
            shown.append(f"\x1b[3m{text}\x1b[23m")  # italic: not a backslash of the text
        else:
            shown.append(text)
    return (start + "".join(shown)).removesuffix(start) + RESET


def _plain(token: bytes, special: bool) -> str:
    ends = {"newline": "\n", "tab": "\t"}
    shown = "".join(part.text + ends.get(part.kind, "") for part in appearance(token))
    return f"\u27ea{shown}\u27eb" if special else shown
