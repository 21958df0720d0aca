"""The tables of docs/reliability.md; see render.py."""

from rendering import load, number, source, table

ORDINARY = "ordinary text"


def worst_cases(operation):
    """One operation, with `_` for spaces: all families, and tiktoken beside if it was there."""
    result = load("worst_cases", "reliability")
    name = operation.replace("_", " ")
    ours, theirs = rows_of(result, name), rows_of(result, f"{name} (tiktoken)")
    header = ["text", "ns per byte", "of ordinary text's", "growth"]
    if theirs:
        header += ["tiktoken: ns per byte", "of ordinary text's", "growth"]
    rows = [[family, *cells(ours, family), *(cells(theirs, family) if theirs else [])]
            for family in ours]
    return "\n".join([table(header, rows), "", source(result)])


def rows_of(result, operation):
    return {row["family"]: row for row in result["rows"] if row["operation"] == operation}


def cells(rows, family):
    """Time per byte of the largest text, and against ordinary text's; by what it grew."""
    row = rows[family]
    if row["error"]:
        return ["fails", "", ""]
    own, ordinary = (each["seconds"][-1] / max(1, each["sizes"][-1])
                     for each in (row, rows[ORDINARY]))
    growth = row["seconds"][-1] / row["seconds"][-2] if len(row["seconds"]) > 1 else None
    return [number(1e9 * own), number(own / ordinary) + "x", number(growth) if growth else ""]


MAKERS = (worst_cases,)
