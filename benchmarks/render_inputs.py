"""The table of docs/corpora/inputs.md; see render.py."""

from rendering import load, number, source, table


def input_forms(_):
    """Each form, against one text file."""
    result = load("forms", "inputs")
    size = result["num_bytes"]
    text = next(row for row in result["rows"] if row["form"] == "text")["median"]
    rows = []
    for row in result["rows"]:
        cells = [row["form"], f"{row['file_bytes'] / 1e6:.1f} MB" if row["file_bytes"] else ""]
        for what in ("count", "encode"):
            seconds = row["median"][what]
            cells += [number(size / seconds / 1e6), f"{text[what] / seconds:.2f}x"]
        rows.append(cells)
    return "\n".join([
        table(["form", "size", "count, MB of text per second", "of one text file",
               "encode, MB/s", "of one text file"], rows), "",
        f"{result['documents']:,} documents, {size / result['documents'] / 1e3:.1f} kB on average, "
        f"{size / 1e6:.1f} MB. {source(result)}"])


MAKERS = (input_forms,)
