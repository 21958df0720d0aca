"""The tables of the README and of CONTRIBUTING; see render.py."""

import ast
import re

from rendering import ROOT, load, number, source, table

from cs336_bpe import stages
from cs336_bpe.measure import ladders

LADDERS = {
    "pretokenize": ("ladder_web", "split and count 99 MB of web text, one thread"),
    "train": ("ladder_tinystories", "learn 9,743 merges from the counts of TinyStories-train, the "
                                    "merge loop only"),
    "encode": ("ladder_gpt2", "encode 5 MB of web text with GPT-2's vocabulary, to lists, from "
                               "an empty cache"),
    "decode": ("ladder_web", "decode 20 MB of web text with GPT-2's vocabulary, from a list to "
                             "text"),
}

NAMES = {"pretokenize": "counting", "train": "training", "encode": "encoding", "decode": "decoding"}
"""What the book calls each ladder."""


def cost(ladder, row):
    if ladder == "encode":
        per_second = row["bytes_per_second"]
        return (f"{number(per_second / 1e6)} MB/s" if per_second >= 1e6
                else f"{number(per_second)} bytes/s")
    if ladder == "decode":
        return f"{number(ladders.million_tokens(row))} M tokens/s"
    return ladders.rounded(row.get("whole_seconds", row["seconds"]), row) + " s"


def headline(_):
    """The first and the last rung of each ladder."""
    rows, results = [], []
    for ladder, (name, work) in LADDERS.items():
        result = load(name, ladder)
        results.append(result)
        measured = [row for row in result["rows"] if row.get("workers", 1) == 1]
        rows.append([f"[{NAMES[ladder]}](docs/{ladder}/index.md)", len(stages.ladder(ladder)), work,
                     cost(ladder, measured[0]), cost(ladder, measured[-1])])
    notes = ["`~`: extrapolated from the first merges.  "] if any(
        "~" in cell for row in rows for cell in row[3:]) else []
    header = ["ladder", "rungs", "the work", "first rung", "last rung"]
    return "\n".join([table(header, rows, left=3), "", *notes, source(*results)])


def experiments(_):
    """Every program that saves results, and what it is behind, by its source."""
    rows = []
    folder = ROOT / "benchmarks"
    for path in [*sorted(folder.glob("run_*.py")), folder / "variants/variants.py"]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        first = " ".join(ast.get_docstring(tree).partition("\n\n")[0].split())
        first = re.split(r"(?<=\.) |;", first)[0].rstrip(".:")
        names = [f"`{name.id}`" for node in tree.body if isinstance(node, ast.Assign)
                 and ast.unparse(node.targets[0]) == "EXPERIMENTS"
                 for name in ast.walk(node.value) if isinstance(name, ast.Name)
                 and name.id in {made.name for made in tree.body
                                 if isinstance(made, ast.FunctionDef)}]
        if path.parent != folder:
            names = [f"`{one.relative_to(path.parent).with_suffix('')}`"
                     for one in sorted(path.parent.glob("*/[!_]*.py"))]
        rows.append([f"`{path.relative_to(ROOT)}`", first, ", ".join(names)])
    return table(["program", "what", "names"], rows, left=3)


MAKERS = (headline, experiments)
