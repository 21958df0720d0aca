"""Tokens to look at: in colour in the terminal, in a notebook, and as pages for a browser.

`docs/pages/pages.md` shows them.
"""

from cs336_bpe.pages.explore import write_explore_page
from cs336_bpe.pages.pattern import write_pattern_page
from cs336_bpe.pages.show import write_show_page
from cs336_bpe.views.notebook import ShownText, tokenizer_html, tokens_html
from cs336_bpe.views.terminal import coloured, coloured_pieces, use_colour

__all__ = [
    "ShownText",
    "coloured",
    "coloured_pieces",
    "tokenizer_html",
    "tokens_html",
    "use_colour",
    "write_explore_page",
    "write_pattern_page",
    "write_show_page",
]
