"""The tables of docs/pretokenize/scanner.md; see render.py."""

from statistics import median

from rendering import load, number, source, table


def megabytes_per_second(row):
    return number(row["bytes"] / median(row["seconds"]) / 1e6)


def scanner_speed(_):
    """MB/s by pattern and path (down) and text (across)."""
    result = load("speed", "scanner")
    texts = list(dict.fromkeys(row["text"] for row in result["rows"]))
    cells = {}
    for row in result["rows"]:
        cells.setdefault((row["pattern"], row["path"]), {})[row["text"]] = row
    rows = [[f"`{pattern}`", path, *(megabytes_per_second(cells[pattern, path][text])
                                     for text in texts)] for pattern, path in cells]
    return "\n".join([table(["pattern", "path", *texts], rows, left=2), "",
                      "MB/s, medians of processor time. " + source(result)])


def by_text_and_pattern(result, cell):
    """A row for each text, a column for each pattern."""
    cells = {}
    for row in result["rows"]:
        cells.setdefault(row["text"], {})[row["pattern"]] = row
    patterns = list(next(iter(cells.values())))
    rows = [[text, *(cell(by_pattern[name]) for name in patterns)]
            for text, by_pattern in cells.items()]
    return table(["text", *(f"`{name}`" for name in patterns)], rows)


def scanner_worst(_):
    result = load("worst", "scanner")
    return "\n".join([by_text_and_pattern(result, megabytes_per_second), "",
                      "MB/s, medians of processor time. " + source(result)])


def counting_worst(_):
    """With each, the time per byte in units of that of web text with the same pattern."""
    result = load("counting", "scanner")

    def per_byte(row):
        return median(row["seconds"]) / row["bytes"]
    web = {row["pattern"]: per_byte(row) for row in result["rows"] if row["text"] == "web text"}

    def cell(row):
        return f"{megabytes_per_second(row)} ({number(per_byte(row) / web[row['pattern']])}x)"
    return "\n".join([by_text_and_pattern(result, cell), "",
                      "MB/s, medians of processor time, and the time per byte in units of that of "
                      "web text. " + source(result)])


MAKERS = (scanner_speed, scanner_worst, counting_worst)
