"""The tables of docs/reliability.md; see render.py."""

import sys
import textwrap

from rendering import ROOT, load, number, source, table

sys.path.insert(0, str(ROOT / "tests" / "mutants"))
from mistakes import MISTAKES

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


def crafted_words(_):
    """Time and places per word in each table, of random words and of those made to collide."""
    result = load("crafted_words", "reliability")
    tables = {}
    for row in result["rows"]:
        tables.setdefault(row["table"], {})[row["words"]] = row
    header = ["table", "random: ns per word", "places", "secret not known: time", "places",
              "secret known: time", "places"]
    rows = []
    for name, sets in tables.items():
        plain = sets["random"]
        cells = [name, number(1e9 * min(plain["seconds"]) / (2 * result["number"])),
                 number(plain["places"] / (2 * result["number"]))]
        for words in ("another secret", "this secret"):
            cells += [number(min(sets[words]["seconds"]) / min(plain["seconds"])) + "x",
                      number(sets[words]["places"] / plain["places"]) + "x"]
        rows.append(cells)
    return "\n".join([table(header, rows), "", source(result)])


def fuzz(_):
    """What the fuzzers have run, mode by mode; what ran under sanitizers has its own columns."""
    result = load("fuzz", "reliability")
    rows = []
    for mode in dict.fromkeys(run["mode"] for run in result["runs"]):
        cells = [mode]
        for sanitized in (False, True):
            runs = [run for run in result["runs"]
                    if run["mode"] == mode and run["sanitized"] == sanitized]
            cells += [f"{sum(run[what] for run in runs):,}" for what in ("cases", "comparisons")]
        rows.append(cells)
    rows.append(["**all**", *(f"{sum(int(row[place].replace(',', '')) for row in rows):,}"
                              for place in range(1, 5))])
    header = ["mode", "cases", "comparisons", "with sanitizers: cases", "comparisons"]
    runs = result["runs"]
    mutated = sum(run["cases"] for run in runs if run["mode"] == "mutated")
    minutes = sum(run["seconds"] for run in runs if run["sanitized"]) / 60
    total = (f"All runs together: {sum(run['cases'] for run in runs):,} cases, "
             f"{sum(run['comparisons'] for run in runs):,} comparisons, "
             f"{sum(run['failures'] for run in runs)} failures; {mutated:,} of the cases are "
             f"mutated files. Those with sanitizers took {minutes:.0f} minutes.")
    note = f"*`{result['command']}`. {result['date']}*"
    return "\n".join([table(header, rows), "", *textwrap.wrap(total, 100), "", note])


SIGNALS = ("SIGKILL", "SIGTERM", "SIGHUP")


def kills(_):
    """How often each command was ended while it ran, and by what."""
    result = load("kills", "reliability")
    columns = (*SIGNALS, "parts", "complete")
    rows = [[f"`{row['command']}`", *(row.get(column, 0) for column in columns)]
            for row in result["rows"]]
    rows.append(["**all**", *(sum(row[place] for row in rows)
                              for place in range(1, 1 + len(columns)))])
    header = ["command", *SIGNALS, "a part was left", "was complete before"]
    total = (f"Ended while they ran: {sum(rows[-1][1:4])} times. Wrong or partial files under a "
             f"final name: none, or the test would have failed.")
    note = f"*`{result['command']}`. {result['date']}*"
    return "\n".join([table(header, rows), "", *textwrap.wrap(total, 100), "",
                      *textwrap.wrap(note, 100)])


def mutants(_):
    """How many of the mistakes the tests found, room by room."""
    result = load("mutants", "reliability")
    rooms = {}
    for one in MISTAKES:
        row = rooms.setdefault(one.file.split("/")[1].removesuffix(".py"), [0, 0, 0])
        outcome = result["results"].get(one.name, "not run")
        row[0] += 1
        row[1] += outcome != "not run"
        row[2] += outcome.startswith("found")
    rows = [[f"`{room}`", *map(str, row)] for room, row in sorted(rooms.items())]
    totals = [str(sum(row[place] for row in rooms.values())) for place in range(3)]
    rows.append(["**all**", *totals])
    note = f"*`{result['command']}`. {result['date']}*"
    return "\n".join([table(["room", "mistakes", "tried", "found"], rows), "", note])


def sanitizers(_):
    """The tests that ran with a sanitizer, folder by folder, and when."""
    result = load("sanitizers", "reliability")
    rows = [[f"`{row['tests']}`", row["sanitizer"], str(row["passed"]), str(row["left_out"]),
             "no report" if row["clean"] else "**a failure**", row["date"]]
            for row in result["rows"]]
    for kind in dict.fromkeys(row["sanitizer"] for row in result["rows"]):
        passed = {row["tests"]: row["passed"] for row in result["rows"]
                  if row["sanitizer"] == kind}
        once = sum(number for tests, number in passed.items()  # a file may have its folder's row
                   if tests.rpartition("/")[0] not in passed)
        rows.append(["**all**", kind, str(once), "", "", ""])
    header = ["tests", "sanitizer", "passed", "left out", "result", "date"]
    return "\n".join([table(header, rows), "", f"*`{result['command']}`*"])


MAKERS = (worst_cases, crafted_words, fuzz, kills, mutants, sanitizers)
