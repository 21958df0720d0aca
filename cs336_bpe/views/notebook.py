"""Tokens in a notebook: HTML with its style in place, for `_repr_html_`.

A notebook has its own page, dark or light, and may remove scripts and style sheets. So every token
has its colours and its tooltip with it, and nothing else is coloured.
"""

import html

from cs336_bpe.rules import PATTERNS
from cs336_bpe.text.specials import Which
from cs336_bpe.text.utf8 import Text
from cs336_bpe.views.appearance import appearance, label
from cs336_bpe.views.palette import LIGHT
from cs336_bpe.views.pretokens import Viewed, words_of
from cs336_bpe.views.sample_text import SHORT_SAMPLE
from cs336_bpe.views.terminal import coloured

MAX_BYTES = 5000
"""How much of a text is shown in a notebook."""


class ShownText:
    """A text with its tokens in colour: in a notebook as HTML, elsewhere for the terminal."""

    def __init__(self, tokenizer: Viewed, text: Text, specials: Which = "all") -> None:
        # Found now and not when it is displayed, so that an error comes from the right line.
        self._html = tokens_html(tokenizer, text, specials)
        self._arguments = tokenizer, text, specials

    def __repr__(self) -> str:
        tokenizer, text, specials = self._arguments
        return coloured(tokenizer, text, specials=specials, limit=MAX_BYTES)

    def _repr_html_(self) -> str:
        return self._html


def tokens_html(tokenizer: Viewed, text: Text, specials: Which = "all",
                limit: int = MAX_BYTES) -> str:
    """The tokens of a text in colour, with ids and bytes as tooltips.

    >>> from cs336_bpe import Tokenizer
    >>> tokenizer = Tokenizer({n: bytes([n]) for n in range(256)}, [])
    >>> "id 60, bytes 3c" in tokens_html(tokenizer, "<")
    True
    """
    if not isinstance(specials, str):
        specials = frozenset(specials)
    words = words_of(tokenizer, text, specials, limit)
    tokens = [(number, special) for ids, special in words.words for number in ids]
    shown = "".join(_token_html(number, tokenizer.vocab[number], place, special)
                    for place, (number, special) in enumerate(tokens))
    notice = (f"<div>The first {words.shown_bytes:,} of {words.total_bytes:,} bytes.</div>"
              if words.cut else "")
    return (f'<div style="white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace;'
            f'line-height:1.7">{shown}</div>{notice}')


def tokenizer_html(tokenizer: Viewed) -> str:
    """What a tokenizer is, and a sample of its tokens.

    >>> from cs336_bpe import Tokenizer
    >>> "<td>256</td>" in tokenizer_html(Tokenizer({n: bytes([n]) for n in range(256)}, []))
    True
    """
    specials = [_code(token.encode()) for token in list(tokenizer.special_tokens)[:10]]
    if len(tokenizer.special_tokens) > 10:
        specials.append(f"{len(tokenizer.special_tokens) - 10:,} more")
    merges = [f"{_code(left)} + {_code(right)}" for left, right in tokenizer.merges[:5]]
    made = sorted((left + right for left, right in tokenizer.merges),
                  key=lambda token: (-len(token), token))
    name = tokenizer.splitting
    rows = {
        "tokens": f"{tokenizer.vocab_size:,}",
        "merges": f"{len(tokenizer.merges):,}" + (f", first {', '.join(merges)}" if merges else ""),
        "longest tokens": ", ".join(map(_code, made[:5])) or "single bytes",
        "special tokens": ", ".join(specials) or "none",
        "pattern": (_code((name if name in PATTERNS else tokenizer.pattern).encode())
                    if tokenizer.pattern else name),
    }
    table = "".join(f'<tr><th style="text-align:left" scope="row">{name}</th>'
                    f"<td>{value}</td></tr>"
                    for name, value in rows.items())
    return f"<table>{table}</table>{tokens_html(tokenizer, SHORT_SAMPLE, 'none')}"


def _code(token: bytes) -> str:
    return f"<code>{html.escape(label(token))}</code>"


def _token_html(number: int, token: bytes, place: int, special: bool) -> str:
    background = LIGHT.special if special else LIGHT.tokens[place % len(LIGHT.tokens)]
    colour = LIGHT.special_text if special else LIGHT.token_text
    data = token[:64].hex(" ") + (" ..." if len(token) > 64 else "")
    kind = "special token, " if special else ""
    ends = {"newline": "\n", "tab": "\t"}
    shown = "".join(
        f"<i>{html.escape(part.text)}</i>" if part.kind == "escape"
        else html.escape(part.text) + ends.get(part.kind, "") for part in appearance(token))
    return (f'<span title="{kind}id {number}, bytes {data}" style="background:{background};'
            f'color:{colour};border-radius:3px;unicode-bidi:isolate">{shown}</span>')
