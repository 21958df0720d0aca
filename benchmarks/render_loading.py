"""The tables of docs/formats/loading.md; see render.py."""

from statistics import median

from rendering import load, number, source, table


def loading_files(_):
    result = load("files", "loading")
    ours = None
    rows = []
    for row in result["rows"]:
        seconds, cpu = median(row["load"]), median(row["load_cpu"])
        if row["library"] == "cs336_bpe":  # the first row of a file
            ours, ratios = (seconds, cpu), ["", ""]
        else:
            ratios = [f"{number(theirs / mine)}x"
                      for theirs, mine in zip((seconds, cpu), ours)]
        rows.append([row["format"], f"{row['tokens']:,}", row["library"], number(seconds),
                     f"{number(min(row['load']))} to {number(max(row['load']))}", ratios[0],
                     number(cpu), ratios[1]])
    header = ["format", "tokens", "library", "seconds", "spread", "ours is", "CPU seconds",
              "ours is"]
    versions = ", ".join(f"{peer} {version}" for peer, version in result["versions"].items())
    return "\n".join([table(header, rows, left=3), "",
                      f"Medians of {result['repeats']}, interleaved, each in a fresh process; "
                      f"{versions}.  ", source(result)])


def loading_import(_):
    result = load("importing", "loading")
    rows = result["rows"]
    values = [median(row[key] for row in rows) for key in ("seconds", "cpu", "share")]
    share, modules, ours = f"{values[2]:.0%}", rows[0]["modules"], rows[0]["ours"]
    return "\n".join([table(["import", "seconds", "CPU seconds", "modules", "ours", "their share"],
                            [["`from cs336_bpe import Tokenizer`", number(values[0]),
                              number(values[1]), modules, ours, share]]), "",
                      f"Medians of {result['repeats']}.  ", source(result)])


MAKERS = (loading_files, loading_import)
