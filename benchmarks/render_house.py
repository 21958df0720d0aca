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
HEADER = ["ladder", "rungs", "the work", "first rung", "last rung"]
CHINESE = {
    "names": {"pretokenize": "计数", "train": "训练", "encode": "编码", "decode": "解码"},
    "work": {"pretokenize": "切分并统计 99 MB 网页文本，单线程",
             "train": "由 TinyStories-train 的计数学习 9,743 次合并，只计合并循环",
             "encode": "用 GPT-2 的词表编码 5 MB 网页文本，得到列表，缓存从空开始",
             "decode": "用 GPT-2 的词表把 20 MB 网页文本的 id 列表解码成文本"},
    "header": ["梯子", "级数", "任务", "第一级", "最后一级"],
}


def cost(ladder, row):
    if ladder == "encode":
        per_second = row["bytes_per_second"]
        return (f"{number(per_second / 1e6)} MB/s" if per_second >= 1e6
                else f"{number(per_second)} bytes/s")
    if ladder == "decode":
        return f"{number(ladders.million_tokens(row))} M tokens/s"
    return ladders.rounded(row.get("whole_seconds", row["seconds"]), row) + " s"


def headline(language):
    """The first and the last rung of each ladder; `zh` for README.zh.md."""
    chinese = CHINESE if language == "zh" else {}
    names = chinese.get("names", NAMES)
    rows, results = [], []
    for ladder, (name, work) in LADDERS.items():
        result = load(name, ladder)
        results.append(result)
        measured = [row for row in result["rows"] if row.get("workers", 1) == 1]
        rows.append([f"[{names[ladder]}](docs/{ladder}/index.md)", len(stages.ladder(ladder)),
                     chinese.get("work", {}).get(ladder, work),
                     cost(ladder, measured[0]), cost(ladder, measured[-1])])
    notes = ["`~`: extrapolated from the first merges.  "] if any(
        "~" in cell for row in rows for cell in row[3:]) else []
    header = chinese.get("header", HEADER)
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
