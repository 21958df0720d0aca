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


def scanner_worst(_):
    result = load("worst", "scanner")
    cells = {}
    for row in result["rows"]:
        cells.setdefault(row["text"], {})[row["pattern"]] = row
    patterns = list(next(iter(cells.values())))
    rows = [[text, *(megabytes_per_second(by_pattern[name]) for name in patterns)]
            for text, by_pattern in cells.items()]
    return "\n".join([table(["text", *(f"`{name}`" for name in patterns)], rows), "",
                      "MB/s, medians of processor time. " + source(result)])


MAKERS = (scanner_speed, scanner_worst)
