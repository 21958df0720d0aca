"""What Cython makes of the compiled stages: its annotated source, in which a line is the yellower
the more it calls into the Python interpreter."""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from book_site.stage_pages import ROOT, source
from cs336_bpe.stages import STAGES, Stage


def address(stage: Stage) -> str:
    """Where on the site the annotated source of a stage is."""
    return f"annotated/{stage.ladder}/{stage.name}.html"


def link(stage: Stage) -> str:
    """The sentence that leads there."""
    if not stage.compiled:
        return ""
    return (f"\nThe [annotated source](site:{address(stage)}) shows the C code of each line: the "
            f"yellower a line, the more it calls into the Python interpreter.\n")


def annotate(stage: Stage, target: Path) -> None:
    """Write the annotated source of one stage."""
    text = source(stage).read_text("utf-8")
    language = ["--cplus"] if "distutils: language = c++" in text else []
    with TemporaryDirectory() as folder:
        output = Path(folder, stage.name + (".cpp" if language else ".c"))
        subprocess.run([sys.executable, "-m", "cython", "-3", "--annotate", *language,
                        str(source(stage)), "-o", str(output)],
                       check=True, cwd=ROOT, capture_output=True)
        page = output.with_suffix(".html").read_text("utf-8")
    target.parent.mkdir(parents=True, exist_ok=True)
    # The page offers the C file, which is not part of the site.
    target.write_text(re.sub(r"<p>Raw output: .*?</p>", "", page, flags=re.DOTALL), "utf-8")


def write(folder: Path) -> None:
    """Write the annotated sources of all compiled stages into a folder of the site."""
    for stage in STAGES:
        if stage.compiled:
            annotate(stage, folder / address(stage))
