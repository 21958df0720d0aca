"""What a stage's page has on the site only: where it stands, and what it changes."""

import re
from difflib import unified_diff
from pathlib import Path

from cs336_bpe.stages import STAGES, Stage, find

ROOT = Path(__file__).parent.parent.parent
FOLD_ABOVE = 80
NAMES = {"pretokenize": "counting", "train": "training", "encode": "encoding",
         "decode": "decoding"}


def stage_of(page: str) -> Stage | None:
    """The stage that a page is about."""
    return next((stage for stage in STAGES if f"{stage.ladder}/{stage.name}" == page), None)


def source(stage: Stage) -> Path:
    """The file of a stage."""
    return ROOT / "cs336_bpe" / stage.ladder / (stage.name + (".pyx" if stage.compiled else ".py"))


def without_docstrings(text: str) -> str:
    '''A module without its docstrings, which are strings that begin a line.

    >>> print(without_docstrings('"""About."""\\n\\nx = 1\\n\\n\\n\\ndef f():\\n    """Do."""\\n'))
    x = 1
    <BLANKLINE>
    <BLANKLINE>
    def f():
    <BLANKLINE>
    '''
    text = re.sub(r'^[ \t]*r?("""|\'\'\').*?\1[ \t]*\n', "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\n{4,}", "\n\n\n", text).lstrip("\n")


def headers(text: str) -> list[str]:
    """The headers of the package that a source names."""
    return sorted({*re.findall(r'extern from "(\w+\.h)"', text),
                   *(f"{name}.pxd" for name in
                     re.findall(r"^from cs336_bpe\.\w+\.(\w+) cimport", text, re.M))})


def diff(before: Stage, after: Stage) -> str:
    """What one stage changes of another, as a unified diff without docstrings."""
    texts = [without_docstrings(source(stage).read_text("utf-8")).splitlines()
             for stage in (before, after)]
    names = [source(stage).name for stage in (before, after)]
    return "\n".join(unified_diff(*texts, *names, lineterm="", n=2))


def where(stage: Stage) -> str:
    """One line: the rungs of the ladder, with this one marked."""
    rungs = [other for other in STAGES if other.ladder == stage.ladder]
    marks = [f"**{short(other)}**" if other == stage else f"[{short(other)}]({other.name}.md)"
             for other in rungs]
    return f"The [{NAMES[stage.ladder]} ladder](index.md): {' · '.join(marks)}\n"


def short(stage: Stage) -> str:
    return stage.number.removeprefix("stage")


def what_changes(stage: Stage) -> str:
    """A section with the diff between a stage and its predecessor."""
    if stage.predecessor is None:
        return ""
    before = find(stage.ladder, stage.predecessor)
    changes = diff(before, stage)
    block = f"````diff\n{changes}\n````\n"
    if changes.count("\n") > FOLD_ABOVE:
        block = (f"<details><summary>{changes.count(chr(10)) + 1} lines</summary>\n\n{block}\n"
                 f"</details>\n")
    old, new = (headers(source(one).read_text("utf-8")) for one in (before, stage))
    folder = source(stage).parent
    added = [name for name in new if name not in old and (folder / name).exists()]
    links = ", ".join(f"[`{name}`](source:cs336_bpe/{stage.ladder}/{name})" for name in added)
    also = f"\nIt also brings headers of its own: {links}.\n" if links else ""
    return (f"\n## What changes in the source\n\n"
            f"From [{before.name}]({before.name}.md), docstrings left out:\n\n{block}{also}")
