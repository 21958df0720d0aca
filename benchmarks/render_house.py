"""The tables of the README and of docs/index.md; see render.py."""

from rendering import load, number, table

from cs336_bpe import stages
from cs336_bpe.measure import ladders

LADDERS = {
    "pretokenize": ("ladder_web", "split and count 99 MB of web text, one thread"),
    "train": ("ladder_tinystories", "learn 9,743 merges from the counts of TinyStories-train, the "
                                    "merge loop only"),
    "encode": ("ladder_gpt2", "encode 5 MB of web text with GPT-2's vocabulary, to lists, from "
                               "an empty cache"),
}


def cost(ladder, row):
    if ladder == "encode":
        per_second = row["bytes_per_second"]
        return (f"{number(per_second / 1e6)} MB/s" if per_second >= 1e6
                else f"{number(per_second)} bytes/s")
    return ladders.rounded(row.get("whole_seconds", row["seconds"]), row) + " s"


def headline(_):
    """The first and the last rung of each ladder."""
    rows, results = [], []
    for ladder, (name, work) in LADDERS.items():
        result = load(name, ladder)
        results.append(result)
        measured = [row for row in result["rows"] if row.get("workers", 1) == 1]
        rows.append([f"[{ladder}](docs/{ladder}/index.md)", len(stages.ladder(ladder)), work,
                     cost(ladder, measured[0]), cost(ladder, measured[-1])])
    notes = ["`~`: extrapolated from the first merges.  "] if any(
        "~" in cell for row in rows for cell in row[3:]) else []
    commands = ", ".join(f"`{result['command']}`" for result in results)
    machines = " / ".join(dict.fromkeys(result["machine"] for result in results))
    header = ["ladder", "rungs", "the work", "first rung", "last rung"]
    return "\n".join([table(header, rows, left=3), "", *notes, f"*{machines}. {commands}*"])


MAKERS = (headline,)
