"""Variants of the last training rung: one thing left out, or one that did not help put in.

A variant is the rung's own source with a few replacements, so it can't drift away from it: a
replacement whose text is no longer there is an error. `build` compiles a variant into a folder.
`python benchmarks/run_train.py ablation` builds all, checks that they agree, and times them.
"""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "cs336_bpe/train"
RUNG = "stage13_prefetch.pyx"
Edit = Callable[[str], str]


def replace(old: str, new: str) -> Edit:
    def edit(source: str) -> str:
        if source.count(old) != 1:
            raise ValueError(f"a variant replaces this text, which must occur once:\n{old}")
        return source.replace(old, new)
    return edit


def in_order(*edits: Edit) -> Edit:
    def edit(source: str) -> str:
        for one in edits:
            source = one(source)
        return source
    return edit


def three_arrays(source: str) -> str:
    """Tokens, pairs and counts each in an array of their own. (Counts below 2^31 only.)"""
    source = in_order(
        replace("    cdef FlatWords[Cell] cells\n",
                "    cdef FlatWords[Cell] cells\n    cdef vector[int32_t] tokens, pair_at\n"
                "    cdef vector[uint32_t] word_counts\n"),
        replace("        with nogil:\n            self.count_all()\n",
                "        for i in range(self.cells.cells.size()):\n"
                "            self.tokens.push_back(self.cells.cells[i].token)\n"
                "            self.word_counts.push_back(self.cells.cells[i].count)\n"
                "        self.pair_at.resize(self.tokens.size())\n"
                "        self.cells.forget()\n"
                "        with nogil:\n            self.count_all()\n"),
        replace("<int32_t>self.cells.size()", "<int32_t>self.tokens.size()"),
    )(source)
    source = re.sub(r"( *)BPE_PREFETCH\(&self\.cells(\[self\.positions\[.*?\]\])\)",
                    r"\1BPE_PREFETCH(&self.tokens\2)\n\1BPE_PREFETCH(&self.pair_at\2)\n"
                    r"\1BPE_PREFETCH(&self.word_counts\2)", source)
    source = re.sub(r"self\.cells(\[[^\]]*\])\.token", r"self.tokens\1", source)
    source = re.sub(r"self\.cells(\[[^\]]*\])\.pair", r"self.pair_at\1", source)
    return re.sub(r"self\.cells\.count_at\((\w+)\)", r"self.word_counts[\1]", source)


ASK_FOR_COUNTS = """\
            if i + 4 < pair.end and self.cells[self.positions[i + 4]].pair == best:
                here = self.positions[i + 4]
                neighbour = self.cells[here - 1].token
                if neighbour != NONE:
                    before = here - self.length[neighbour]
                    BPE_PREFETCH(&self.pair_counts[self.cells[before].pair])
                p = self.cells[here + left_length].pair
                if p != NONE:
                    BPE_PREFETCH(&self.pair_counts[p])
            here = self.positions[i]
"""


@dataclass(frozen=True)
class Variant:
    """Quacks like a stage of the registry, as far as measuring goes."""

    name: str
    what: str  # a row of the table
    edits: dict[str, Edit] = field(default_factory=dict, compare=False)  # by file name

    def source(self, file: str) -> str:
        text = (FOLDER / file).read_text(encoding="utf-8")
        return self.edits[file](text) if file in self.edits else text


VARIANTS = [
    Variant("no_octaves", "without the threshold: every pair in the heap", {
        RUNG: replace("max(greatest - greatest // 2, <int64_t>1)", "1")}),
    Variant("no_sort_keys", "without the eight-byte keys: ties compare whole strings", {
        "ties.h": replace("start != other.start ? start < other.start : whole < other.whole",
                          "whole < other.whole")}),
    Variant("no_list_reuse", "without reuse of the lists of merged pairs", {
        "containers.h": replace("        unused.push(std::make_pair(end - begin, begin));",
                                "        (void)begin, (void)end;")}),
    Variant("look_ahead_4", "asking 4 positions ahead instead of 12", {
        RUNG: replace("LOOK_AHEAD = 12", "LOOK_AHEAD = 4")}),
    Variant("look_ahead_48", "asking 48 positions ahead instead of 12", {
        RUNG: replace("LOOK_AHEAD = 12", "LOOK_AHEAD = 48")}),
    Variant("counts_ahead", "asking for the counts of neighbouring pairs too, 4 positions ahead", {
        RUNG: replace("            here = self.positions[i]\n", ASK_FOR_COUNTS)}),
    Variant("three_arrays", "token, pair and count in three arrays instead of one of cells", {
        RUNG: three_arrays}),
]


@dataclass(frozen=True)
class Built:
    """A variant that was compiled; can be sent to another process."""

    name: str
    path: Path

    def load(self) -> ModuleType:
        spec = importlib.util.spec_from_file_location(self.path.name.partition(".")[0], self.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


SETUP = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup
setup(script_args=["-q", "build_ext", "--inplace"], ext_modules=cythonize([Extension(
    sys.argv[1], [sys.argv[1] + ".pyx"], include_dirs=[".", sys.argv[2] + "/cs336_bpe/native"],
    define_macros=[("CYTHON_WITHOUT_ASSERTIONS", "1")], extra_compile_args=["-O3"])],
    include_path=[sys.argv[2]]))
"""


def build(variant: Variant, folder: Path) -> Built:
    """Write the variant's source into the folder and compile it there."""
    folder.mkdir(parents=True, exist_ok=True)
    for header in FOLDER.glob("*.h"):
        (folder / header.name).write_text(variant.source(header.name), encoding="utf-8")
    (folder / f"{variant.name}.pyx").write_text(variant.source(RUNG), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", SETUP, variant.name, str(ROOT)], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the variant {variant.name} can't be built:\n{done.stderr}")
    return Built(variant.name, next(folder.glob(f"{variant.name}.*.so")))
