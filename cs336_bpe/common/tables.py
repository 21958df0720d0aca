"""Tables of text for the terminal."""

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
