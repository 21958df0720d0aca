"""The colours of tokens, in one place for the terminal, the notebook and the pages.

Two tokens that touch must look different to everybody. Hues alone do not do that: one man in
twelve confuses red and green. So the colours alternate between light and dark, and the hues are
those of Okabe and Ito's palette, which was made to be told apart by colour-blind readers. The
tests measure both: contrast with the text on them, and the difference between neighbours as people
with each kind of colour blindness see it. The number of colours is even, or the last and the first
would be neighbours of equal lightness.
"""

from typing import NamedTuple


class Theme(NamedTuple):
    """The colours of a page, each as `#rrggbb`."""

    page: str
    card: str
    text: str
    faint: str  # text of less weight
    line: str
    accent: str  # focus, charts
    on_accent: str
    token_text: str
    tokens: tuple[str, ...]
    special: str
    special_text: str


LIGHT = Theme(
    page="#f6f6f3", card="#ffffff", text="#1b1b1b", faint="#565656", line="#c9c9c4",
    accent="#0060a0", on_accent="#ffffff", token_text="#111111",
    tokens=("#f4e9a0", "#6db6e3", "#fbd9a5", "#4db894", "#d3e7f5", "#d58db5"),
    special="#3b1f5e", special_text="#ffffff",
)

DARK = Theme(
    page="#141416", card="#1e1e22", text="#ececec", faint="#b2b2b2", line="#46464d",
    accent="#6cbcf0", on_accent="#10202c", token_text="#f6f6f6",
    tokens=("#3b3400", "#0d6fa6", "#4a2b00", "#00785a", "#122f47", "#a05186"),
    special="#e6d5ff", special_text="#1c0b33",
)

TERMINAL_TEXT = 16
TERMINAL_TOKENS = (229, 74, 223, 72, 153, 175)
TERMINAL_SPECIAL, TERMINAL_SPECIAL_TEXT = 54, 231
"""Numbers of xterm's 256 colours. Those from 16 on are the same in every terminal; the first
sixteen are what the user has made of them, so nobody knows what can be read on what."""


def css() -> str:
    """Both themes as custom properties of CSS.

    >>> css().splitlines()[1]
    '--page:#f6f6f3;--card:#ffffff;--text:#1b1b1b;--faint:#565656;--line:#c9c9c4;'
    """
    return (f":root{{\n{_properties(LIGHT)}}}\n"
            f"@media (prefers-color-scheme:dark){{:root{{\n{_properties(DARK)}}}}}\n"
            + "".join(f".c{n}{{background:var(--c{n});color:var(--token)}}\n"
                      for n in range(len(LIGHT.tokens))))


def _properties(theme: Theme) -> str:
    tokens = "".join(f"--c{n}:{colour};" for n, colour in enumerate(theme.tokens))
    return (f"--page:{theme.page};--card:{theme.card};--text:{theme.text};--faint:{theme.faint};"
            f"--line:{theme.line};\n--accent:{theme.accent};--on-accent:{theme.on_accent};"
            f"--token:{theme.token_text};\n{tokens}\n--special:{theme.special};"
            f"--special-text:{theme.special_text};\n")
