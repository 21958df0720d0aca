"""The results as text that fits into 80 columns."""

import textwrap
from collections.abc import Iterable

from cs336_bpe.common.amounts import three_digits
from cs336_bpe.reproduce.arithmetic import slips
from cs336_bpe.reproduce.published import FIGURES
from cs336_bpe.reproduce.session import Result
from cs336_bpe.reproduce.verdicts import Line, Table, better, shown, shown_published, verdict

WIDTH = 80
NAME, NUMBER, RATIO = 32, 13, 6
LEGEND = ("ratio: how many times better yours is than the published value. ~: scaled to the "
          "published size.")


def report(result: Result, book: Result | None) -> str:
    """One experiment: its rows, a verdict under each, our own tables, and slips resolved."""
    figure = FIGURES[result.figure]
    parts = [*wrapped(f"{figure.name}. {figure.title}"), *wrapped(f"published on: {figure.text}"),
             *wrapped(about_book(book)), "",
             numbers("", "published", "book's", "yours", "ratio"), "-" * WIDTH]
    before = ""
    for line in result.outcome.lines:
        parts += line_text(line, in_book(line, book), line.name == before)
        before = line.name
    for table in result.outcome.tables:
        parts += ["", *wrapped(table.title), "", *table_text(table)]
    for slip in slips(result.figure):
        parts += ["", *wrapped(f"The published table: {slip}")]
    return "\n".join(parts)


def about_book(book: Result | None) -> str:
    """Where the book's column is from."""
    if book is None:
        return "the book's machine has not measured this yet"
    texts = "small texts" if book.settings == "quick" else "whole texts"
    return f"book's: {texts}, {book.date}, {book.machine}"


def in_book(line: Line, book: Result | None) -> Line | None:
    """The same row in the results of the book's machine."""
    lines = book.outcome.lines if book is not None else []
    return next((one for one in lines if (one.name, one.last) == (line.name, line.last)), None)


def line_text(line: Line, book: Line | None, repeated: bool) -> Iterable[str]:
    unit = line.published.unit
    ratio = better(line)
    name = "  with the last rung" if line.last else line.name
    published = "" if repeated else shown_published(line.published)
    yield from cells([name if repeated else line.name, published, value_of(book, unit),
                      value_of(line, unit),
                      "" if ratio is None else short_ratio(ratio)])
    text = "" if line.text and line.text in line.reason else line.text
    about = ", on ".join(filter(None, [line.stage, text]))
    yield from wrapped(f"{about}: {verdict(line)}" if about else verdict(line), 4)
    if line.published.note or line.note:
        yield from wrapped("; ".join(filter(None, [line.published.note, line.note])), 4)


def short_ratio(ratio: float) -> str:
    """
    >>> [short_ratio(value) for value in (0.00042, 0.0234, 0.5, 3.456, 66.6, 12_345.6)]
    ['0.0004', '0.023', '0.50', '3.46', '66.6', '12,346']
    """
    return three_digits(ratio) if ratio >= 1 else f"{ratio:.2f}" if ratio >= 0.1 else (
        f"{ratio:.3f}" if ratio >= 0.001 else f"{ratio:.4f}")


def value_of(line: Line | None, unit: str) -> str:
    if line is None:
        return ""
    return f"{'~' if line.scaled else ''}{shown(line.value, unit)}"


def cells(values: list[str]) -> Iterable[str]:
    """A line of numbers; words that are too long for their column take lines of their own."""
    name, *rest = values
    if all(len(value) <= NUMBER for value in rest) and len(name) <= NAME:
        yield numbers(name, *rest)
        return
    yield name
    for what, value in zip(("published", "book's", "yours"), rest):
        if value:
            yield from wrapped(f"{what}: {value}", 4)


def numbers(name: str, *values: str) -> str:
    widths = (NUMBER, NUMBER, NUMBER, RATIO)
    return (name.ljust(NAME) + " ".join(value.rjust(width)
                                        for value, width in zip(values, widths))).rstrip()


def wrapped(text: str, indent: int = 0) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent,
                         break_on_hyphens=False)


def table_text(table: Table) -> list[str]:
    """A table of our own; if it is too wide, its widest column goes to a line of its own."""
    rows = [table.header, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.header))]
    if sum(widths) + 2 * (len(widths) - 1) <= WIDTH:
        return [_row(row, widths) for row in rows]
    widest = widths.index(max(widths))
    narrow = [width for column, width in enumerate(widths) if column != widest]
    lines = []
    for number, row in enumerate(rows):
        rest = [cell for column, cell in enumerate(row) if column != widest]
        if number == 0:
            lines += _fitted(rest, narrow)
        else:
            lines += [*wrapped(row[widest]), *_fitted(rest, narrow)]
    return lines


def _fitted(cells: list[str], widths: list[int]) -> list[str]:
    if sum(widths) + 2 * (len(widths) - 1) <= WIDTH:
        return [_row(["", *cells], [WIDTH - sum(widths) - 2 * len(widths), *widths])]
    return wrapped(", ".join(cells), 4)


def _row(row: list[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) if column in (0, len(row) - 1) and not _is_number(cell)
                     else cell.rjust(width)
                     for column, (cell, width) in enumerate(zip(row, widths))).rstrip()


def _is_number(cell: str) -> bool:
    return cell[:1].isdigit() or cell[:1] in "~-"
