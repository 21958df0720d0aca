"""Boxes, words and arrows as SVG.

A picture is at most 640 wide and has no letters smaller than 16, so that it can be read on a page
of 400 pixels. It has a white ground of its own, for pages that are dark.
"""

import re
from html import escape

from rendering import BLUE, GREEN, ORANGE, PURPLE, ROOT

WIDTH = 640
GREY, DARK = "#8a8a8a", "#222222"
TINTS = {BLUE: "#d9eaf5", ORANGE: "#fdeecb", GREEN: "#d5f0e6", PURPLE: "#f7e4ef", GREY: "#eeeeee"}
SMALL, NORMAL = 16, 18


class Picture:
    """What is drawn, in order. `y` grows downwards, and a text stands on its line."""

    def __init__(self, title):
        self.title = title
        self.parts = []
        self.bottom = 0

    def box(self, x, y, width, height, colour=GREY, *, filled=False, dashed=False, round=4):
        fill = TINTS[colour] if filled else "white"
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round}" '
                 f'fill="{fill}" stroke="{colour}" stroke-width="2"'
                 + (' stroke-dasharray="4 4"' if dashed else "") + "/>", y + height)

    def bar(self, x, y, width, height, colour):
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                 f'fill="{colour}"/>', y + height)

    def words(self, x, y, text, *, size=NORMAL, colour=DARK, at="middle", mono=False, bold=False):
        font = ' font-family="monospace" xml:space="preserve"' if mono else ""
        weight = ' font-weight="bold"' if bold else ""
        self.add(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" '
                 f'text-anchor="{at}"{font}{weight}>{escape(str(text))}</text>', y + size / 3)

    def cell(self, x, y, width, height, text, colour=GREY, *, size=NORMAL, ink=DARK, **style):
        """A box with a word in its middle."""
        self.box(x, y, width, height, colour, **style)
        self.words(x + width / 2, y + height / 2 + size * 0.36, text, size=size, colour=ink,
                   mono=True)

    def line(self, *points, colour=GREY, dashed=False, arrow=False, width=2):
        path = "L".join(f"{x:g} {y:g}" for x, y in points)
        self.add(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}"'
                 + (' stroke-dasharray="4 4"' if dashed else "")
                 + (' marker-end="url(#tip)"' if arrow else "") + "/>",
                 max(y for _, y in points))

    def arc(self, x, y, to_x, height, colour=GREY):
        """An arrow from one place to another one, bent upwards."""
        self.add(f'<path d="M{x:g} {y:g}C{x:g} {y - height:g} {to_x:g} {y - height:g} {to_x:g} '
                 f'{y:g}" fill="none" stroke="{colour}" stroke-width="2" '
                 f'marker-end="url(#tip)"/>', y)

    def dot(self, x, y, colour):
        self.add(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{colour}"/>', y + 5)

    def add(self, part, bottom):
        self.parts.append(part)
        self.bottom = max(self.bottom, bottom)

    def svg(self):
        height = round(self.bottom + 14)
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" role="img">',
            f"<title>{escape(self.title)}</title>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
            'markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>', *self.parts, "</svg>", ""])


def shown(token):
    """A token as readers know it: a space is `␣`, as everywhere in the book."""
    from cs336_bpe.encode.trace import readable

    return readable(token)


def constant(header, name):
    """A number that a header gives a name: `NAME = 15`, or `#define NAME 15`.

    >>> constant("native/word_key.h", "SHORT")
    15
    """
    text = (ROOT / "cs336_bpe" / header).read_text("utf-8")
    found = set(re.findall(rf"\b{name}\s*=\s*(\d+)\b|#define {name} (\d+)", text))
    if len(found) != 1:
        raise ValueError(f"{header} gives {name} {len(found)} values; there must be one")
    return int("".join(found.pop()))
