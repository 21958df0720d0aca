"""Tokens to look at: in colour in the terminal, in a notebook, and as pages for a browser.

`docs/pages/pages.md` shows them.
"""

from cs336_bpe.pages.explore import write_explore_page
from cs336_bpe.pages.pattern import write_pattern_page
from cs336_bpe.pages.play.cutter import write_cutter_page
from cs336_bpe.pages.play.heap import write_heap_page
from cs336_bpe.pages.play.ladder import write_ladder_page
from cs336_bpe.pages.play.positions import write_positions_page
from cs336_bpe.pages.play.training import write_training_page
from cs336_bpe.pages.play.utf8 import write_utf8_page
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
    "write_cutter_page",
    "write_explore_page",
    "write_heap_page",
    "write_ladder_page",
    "write_pattern_page",
    "write_positions_page",
    "write_show_page",
    "write_training_page",
    "write_utf8_page",
]
