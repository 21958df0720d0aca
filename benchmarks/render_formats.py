"""The table of docs/formats/formats.md; see render.py."""

from rendering import load, number, source, table


def worst_files(_):
    result = load("worst_files", "formats")
    rows = [[row["case"], number(row["num_bytes"] / (1 << 20)), number(row["seconds"]),
             number(row["peak_bytes"] / 1e6)] for row in result["rows"]]
    return "\n".join([table(["file", "MiB", "seconds", "peak, MB"], rows), "", source(result)])


MAKERS = (worst_files,)
