"""The tables on published figures; see render.py. They are made from what is in the package."""

import textwrap
from collections import Counter

from rendering import load, number, source, table

from cs336_bpe.reproduce.arithmetic import slips
from cs336_bpe.reproduce.published import FIGURES, rows_of
from cs336_bpe.reproduce.session import load_book
from cs336_bpe.reproduce.verdicts import better, shown, shown_published, verdict

NOT_YET = "not measured yet on the book's machine"
PAGES = {"A": "a.md", "B": "b.md", "C": "c.md", "D": "d.md", "E": "e.md"}
FIRST_WORDS = {  # how a verdict begins, and the column of the overview that it is counted in
    "reproduced to the digit": "to the digit", "holds in part": "in part", "holds": "holds",
    "passed": "holds", "beaten": "beaten", "the measure": "holds", "better here": "better here",
    "worse here": "worse here", "does not hold": "does not hold", "not beaten": "not beaten",
    "missed": "does not hold", "differs": "differs", "not comparable": "not comparable",
    "not measured": "not comparable", NOT_YET: "not comparable"}


def words_table(header, rows, right):
    """A Markdown table whose columns of numbers, named in `right`, go to the right."""
    first, _, *rest = table(header, rows).splitlines()
    rule = "| " + " | ".join("---:" if name in right else "---" for name in header) + " |"
    return "\n".join([first, rule, *rest])


def cell(text):
    return str(text).replace("|", "\\|")


def digits(_):
    """What does not depend on a machine, of TinyStories-train with a vocabulary of 10,000."""
    result = load("digits", "reproduce")
    rows = [[row["figure"], row["what"], f"`{row['published']}`", f"`{row['ours']}`",
             row["verdict"]] for row in result["rows"]]
    notes = [f"{row['what'].removeprefix('the ').capitalize()}: {row['note']}."
             for row in result["rows"] if row["note"]]
    header = ["figure", "what", "published", "ours", "verdict"]
    return "\n".join([words_table(header, rows, ("published", "ours")), "",
                      f"{' '.join(notes)}  ", source(result)])


def tie_rules(_):
    """Tokens of TinyStories-train under other rules for ties, and with other sizes."""
    result = load("ties", "reproduce")
    rows = [[row["what"], f"{row['tokens']:,}", f"{row['tokens'] - result['published']:+,}"]
            for row in result["rows"]]
    return "\n".join([table(["what was changed", "tokens", "less A5's"], rows), "",
                      f"Carriage returns in the text: {result['carriage_returns']}.  ",
                      source(result)])


def published(name):
    """One figure: every published row, with the rung of its idea and with the last rung."""
    book = load_book().get(name)
    lines = {}
    for line in book.outcome.lines if book else ():
        lines.setdefault(line.name, []).append(line)
    rows = []
    for row in rows_of(name):
        found = lines.get(row.name, [])
        for place, line in enumerate(found):
            ratio = better(line)
            mark = "~" if line.scaled else ""
            note = "; ".join(filter(None, [row.note, line.note]))
            rows.append([
                cell("" if place else row.name), cell("" if place else shown_published(row)),
                f"{mark}{cell(shown(line.value, row.unit))}", number(ratio) if ratio else "",
                cell(", on ".join(filter(None, [line.stage, line.text]))),
                cell(verdict(line) + (f". {note[0].upper()}{note[1:]}" if note else ""))])
        if not found:
            rows.append([cell(row.name), cell(shown_published(row)), "", "", "", NOT_YET])
    header = ["row", "published", "the book's machine", "ratio", "with", "verdict"]
    parts = [words_table(header, rows, header[1:4])]
    if book:
        parts.append(footnote(book))
        parts += [own_table(one) for one in book.outcome.tables]
    return "\n\n".join(parts)


def footnote(book):
    size = "Small texts (`--quick`). " if book.settings == "quick" else ""
    return (f"{size}ratio: how many times better ours is. `~`: scaled to the published size.  \n"
            f"*{book.machine}. `python benchmarks/run_reproduce.py {book.figure}"
            f"{' --quick' if book.settings == 'quick' else ''}`, "
            f"{number(book.seconds)} s. {book.date}*")


def own_table(one):
    right = [name for column, name in enumerate(one.header)
             if all(row[column][:1] in "~-0123456789" for row in one.rows)]
    return f"{one.title}:\n\n" + words_table(
        one.header, [[cell(text) for text in row] for row in one.rows], right)


def slips_of(name):
    """What does not fit in a published table, resolved by arithmetic."""
    return "\n\n".join(textwrap.fill(slip, 100, break_on_hyphens=False) for slip in slips(name))


def kind_of(words):
    return next(kind for start, kind in FIRST_WORDS.items() if words.startswith(start))


def published_overview(_):
    """How the rows of each figure came out."""
    book = load_book()
    kinds = list(dict.fromkeys(FIRST_WORDS.values()))
    rows = []
    for name, figure in FIGURES.items():
        lines = book[name].outcome.lines if name in book else []
        seen = Counter(kind_of(verdict(line)) for line in lines)
        missing = len(rows_of(name)) - len({line.name for line in lines})
        seen["not comparable"] += missing
        rows.append([f"[{name}]({PAGES[name[0]]})", figure.title,
                     *(seen[kind] or "" for kind in kinds)])
    return table(["figure", "what", *kinds], rows, left=2)


MAKERS = (digits, tie_rules, published, slips_of, published_overview)
