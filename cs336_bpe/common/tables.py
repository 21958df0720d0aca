"""Tables of text for the terminal."""

import os
import re
import shutil
import textwrap
from collections.abc import Sequence

GAP = "  "
LEAST_WORDS = 12  # columns for words that are wrapped
A_NUMBER = re.compile(r"[~+-]?[\d.,]*\d(?: \(\d+\))?")


def terminal_width() -> int:
    """How many columns there are to write to: 80 if nobody says."""
    return shutil.get_terminal_size().columns


def as_text(cells: Sequence[Sequence[str]], width: int | None = None) -> str:
    """A table for the terminal: numbers to the right, words to the left.

    If `width` is given, no line is wider. What is too wide for one line is wrapped: titles first,
    then the words in the last column and in the first. If that is not enough, each row becomes a
    list.

    >>> cells = [("text", "bytes per token", "why"), ("stories", "4.06", "short words")]
    >>> print(as_text(cells))
    text     bytes per token  why
    -------  ---------------  -----------
    stories             4.06  short words
    >>> print(as_text(cells, 29))
             bytes
               per
    text     token  why
    -------  -----  -----------
    stories   4.06  short words
    >>> print(as_text(cells, 25))
    stories
      bytes per token: 4.06
      why: short words
    """
    layout = Layout(cells, width)
    return os.linesep.join([*layout.head(), *(line for row in cells[1:]
                                              for line in layout.row(row))])


class Layout:
    """How wide the columns of a table are, to print it row by row.

    >>> layout = Layout([("stage", "seconds"), ("00 the longest", "999.9")])
    >>> for line in [*layout.head(), *layout.row(("01 short", "1.25"))]:
    ...     print(line)
    stage           seconds
    --------------  -------
    01 short           1.25
    """

    def __init__(self, cells: Sequence[Sequence[str]], width: int | None = None) -> None:
        self.header = cells[0]
        columns = [list(column) for column in zip(*cells)]
        self.widths = [max(map(len, column)) for column in columns]
        self.width = width
        # The last column may have words or numbers in it; those in the middle have numbers.
        self.last_is_words = not all(A_NUMBER.fullmatch(cell) for cell in columns[-1][1:])
        if self.too_wide():
            self.widths = [max([longest_word(column[0]), *map(len, column[1:])])
                           for column in columns]
        for words in (len(columns) - 1, 0):
            if too_wide := self.too_wide():
                least = max([LEAST_WORDS, *(longest_word(cell) for cell in columns[words])])
                self.widths[words] = min(self.widths[words],
                                         max(least, self.widths[words] - too_wide))
        self.as_lists = self.too_wide() > 0

    def too_wide(self) -> int:
        """By how many columns a line is too wide; 0 or less if it fits."""
        total = sum(self.widths) + len(GAP) * (len(self.widths) - 1)
        return 0 if self.width is None else max(0, total - self.width)

    def head(self) -> list[str]:
        """The titles, and a line under them."""
        if self.as_lists:
            return []
        return [*self.lines(self.header, at_the_end=True), GAP.join("-" * width
                                                                    for width in self.widths)]

    def row(self, cells: Sequence[str]) -> list[str]:
        """A row, in as many lines as it needs."""
        if not self.as_lists:
            return self.lines(cells)
        about = [f"  {title}: {cell}" for title, cell in zip(self.header[1:], cells[1:]) if cell]
        assert self.width is not None
        return [line for text in [cells[0], *about]
                for line in textwrap.wrap(text, max(self.width, LEAST_WORDS),
                                          subsequent_indent="    ") or [""]]

    def lines(self, cells: Sequence[str], *, at_the_end: bool = False) -> list[str]:
        last = len(self.widths) - 1
        parts = [textwrap.wrap(cell, width, break_long_words=False)
                 if len(cell) > width and (at_the_end or column in (0, last)) else [cell]
                 for column, (cell, width) in enumerate(zip(cells, self.widths))]
        height = max(map(len, parts))
        lines = []
        for number in range(height):
            line = []
            for column, (part, width) in enumerate(zip(parts, self.widths)):
                place = number - (height - len(part)) * at_the_end
                cell = part[place] if 0 <= place < len(part) else ""
                left = column == 0 or (column == last and self.last_is_words)
                line.append(cell.ljust(width) if left else cell.rjust(width))
            lines.append(GAP.join(line).rstrip())
        return lines


def longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)
