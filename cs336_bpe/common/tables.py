"""Tables of text for the terminal, and the numbers in them."""

import os


def as_text(cells: list[tuple[str, ...]]) -> str:
    """A table for the terminal: numbers to the right, words to the left."""
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = []
    for line in cells:
        parts = [cell.ljust(width) if column in (0, len(line) - 1) else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(line, widths))]
        lines.append("  ".join(parts).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return os.linesep.join(lines)


def three_digits(value: float) -> str:
    """Three digits, whatever the size.

    >>> three_digits(0.02345), three_digits(1.234), three_digits(12.34), three_digits(1234.5)
    ('0.0234', '1.23', '12.3', '1,234')
    """
    if value >= 100:
        return f"{value:,.0f}"
    decimals = 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    return f"{value:.{decimals}f}"
