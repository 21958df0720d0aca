"""The tables of "How far from the limit", on the index page of each ladder; see render.py."""

from statistics import median

from rendering import load, number, source, table


def limits(ladder):
    """What the work can't be done without, step by step, and how long the last rung takes."""
    result = load(ladder, "limits")
    unit = result["number"]

    def row(name, values, limit):
        spread = f"{number(1e3 * min(values))} to {number(1e3 * max(values))}" if values else ""
        return [name, number(1e3 * limit), spread, number(1e9 * limit / unit),
                number(limit / result["limit"]) + "x"]
    rows = []
    for name, values in result["seconds"].items():
        if name not in result["times_limit"]:
            mark = "**needed:** " if name in result["needed"] else ""
            rows.append(row(mark + name, values, median(values)))
    rows.append(row("what is needed, together", [], result["limit"]))
    rows += [row(name, result["seconds"][name], median(result["seconds"][name]))
             for name in result["times_limit"]]
    return "\n".join([
        table(["step", "median, ms", "spread", f"ns per {result['unit']}", "of what is needed"],
              rows), "",
        f"One core, {result['rounds']} rounds in turns; processor time. {unit:,} "
        f"{result['unit']}s.  ", source(result)])


MAKERS = (limits,)
