"""The table of docs/reliability.md; see render.py."""

from rendering import load, number, source, table

ORDINARY = "ordinary text"


def worst_cases(operation):
    """One operation (with `_` for spaces): the families, and tiktoken beside it if it was there."""
    result = load("worst_cases", "reliability")
    ours = rows_of(result, operation.replace("_", " "))
    theirs = rows_of(result, f"{operation.replace('_', ' ')} (tiktoken)")
    header = [f"text, {result['sizes'][-1] / 1e6:.0f} MB", "ns per byte", "of ordinary text's",
              "growth"]
    if theirs:
        header += ["tiktoken: ns per byte", "of ordinary text's", "growth"]
    rows = [[family, *cells(result, ours, family),
             *(cells(result, theirs, family) if theirs else [])] for family in ours]
    return "\n".join([table(header, rows), "", source(result)])


def rows_of(result, operation):
    return {row["family"]: row for row in result["rows"] if row["operation"] == operation}


def cells(result, rows, family):
    """Time per byte, and against ordinary text's; and by what it grows if the text doubles."""
    seconds = rows[family]["seconds"]
    if rows[family]["error"]:
        return ["fails", "", ""]
    per_byte = [each / size for each, size in zip(seconds, result["sizes"])]
    ordinary = rows[ORDINARY]["seconds"][-1] / result["sizes"][-1]
    growth = f"{seconds[-1] / seconds[-2]:.1f}" if len(seconds) > 1 else ""
    shown = number(1e9 * per_byte[-1])
    if len(seconds) < len(result["sizes"]):
        shown += f" (of {result['sizes'][len(seconds) - 1] / 1e6:g} MB)"
    return [shown, number(per_byte[-1] / ordinary) + "x", growth]


MAKERS = (worst_cases,)
