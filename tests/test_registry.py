"""A stage is one file, one row in the registry and one page in the docs: none is missing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import cs336_bpe
from cs336_bpe import stages
from cs336_bpe.rules import BYTES

PACKAGE = Path(cs336_bpe.__file__).parent
DOCS = Path(__file__).parent.parent / "docs"
LADDERS = sorted({stage.ladder for stage in stages.STAGES})


def source(stage):
    suffix = ".pyx" if stage.compiled else ".py"
    return Path(__file__).parent.parent / "cs336_bpe" / stage.ladder / (stage.name + suffix)


@pytest.mark.parametrize("stage", stages.STAGES, ids=lambda stage: stage.module_name)
def test_a_row_has_a_file_a_page_and_a_docstring(stage):
    assert source(stage).exists()
    assert (DOCS / stage.ladder / f"{stage.name}.md").exists()
    docstring = stage.load().__doc__
    assert docstring.startswith(("Stage " + stage.number[5:] + ":", "Detour:"))
    assert "Cost" in docstring
    assert "Memory:" in docstring
    if stage.compiled:
        assert source(stage).with_suffix(".pyi").exists()


@pytest.mark.parametrize("name", LADDERS)
def test_a_file_has_a_row(name):
    folder = source(stages.ladder(name)[0]).parent
    files = {path.stem for pattern in ("stage*.py", "stage*.pyx", "detour*.py")
             for path in folder.glob(pattern)}
    assert files == {stage.name for stage in stages.STAGES if stage.ladder == name}


@pytest.mark.parametrize("name", LADDERS)
def test_a_page_has_a_row(name):
    pages = {path.stem for path in (DOCS / name).glob("*.md")} - {"index"}
    assert {page for page in pages if page.startswith(("stage", "detour"))} <= {
        stage.name for stage in stages.STAGES if stage.ladder == name}


@pytest.mark.parametrize("name", LADDERS)
def test_predecessors_make_a_ladder(name):
    rungs = stages.ladder(name)
    before = [rung.name for rung in rungs]
    for place, rung in enumerate(rungs):
        assert rung.predecessor in ([None] if place == 0 else before[:place])
    assert [rung.number for rung in rungs] == [f"stage{n:02}" for n in range(1, len(rungs) + 1)]


# --- one idea per rung --------------------------------------------------------------------------

MOST_LINES = 250


def headers(text):
    """The headers that a source includes, and the .pxd files that it cimports, by name."""
    cimported = re.findall(r"^from cs336_bpe\.\w+\.(\w+) cimport\b", text, re.M)
    return {*re.findall(r'(?:#include|cdef extern from)\s+"([^"/]+\.h)"', text),
            *(f"{name}.pxd" for name in cimported)}


def own_headers(stage):
    """The headers that only this stage uses, also through others."""
    folder = source(stage).parent

    def reached(text):
        found = {name for name in headers(text) if (folder / name).exists()}
        for name in list(found):
            found |= reached((folder / name).read_text("utf-8"))
        return found

    others = set()
    for other in folder.glob("*.py*"):  # also what is no stage: it shares a header all the same
        if other.suffix in (".py", ".pyx") and other != source(stage):
            others |= reached(other.read_text("utf-8"))
            if other.with_suffix(".pxd").exists():  # Cython reads it too
                others |= {other.with_suffix(".pxd").name}
    return [folder / name for name in sorted(reached(source(stage).read_text("utf-8")) - others)]


def unlike(docstring):
    """The number of the stage that a docstring says it is unlike."""
    match = re.search(r"\bUnlike (stage \d\d)\b", docstring)
    return match and match[1].replace(" ", "")


def other_stages_in(text):
    """The stages whose code a stage's source imports, cimports or includes."""
    found = re.findall(r"^\s*(?:from|import|cimport|include)\b.*?\b(stage\d\d\w*|detour_\w+)",
                       text, re.M)
    return [name for name in found if name not in ("stages", "stage")]


@pytest.mark.parametrize("stage", stages.STAGES, ids=lambda stage: stage.module_name)
def test_a_stage_is_short(stage):
    files = [source(stage), *own_headers(stage)]
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in files}
    assert sum(lines.values()) <= MOST_LINES, lines


@pytest.mark.parametrize("stage", stages.STAGES, ids=lambda stage: stage.module_name)
def test_a_stage_names_its_predecessor(stage):
    if stage.predecessor is not None:
        assert unlike(stage.load().__doc__) == stages.find(stage.ladder, stage.predecessor).number


@pytest.mark.parametrize("stage", stages.STAGES, ids=lambda stage: stage.module_name)
def test_a_stage_has_no_other_stages_code(stage):
    """Two neighbouring files are compared; none hides its work in another. The one exception is
    the stage whose idea is to compile its predecessor as it is."""
    allowed = [stage.predecessor] if stage.name.endswith("compiled_unchanged") else []
    assert other_stages_in(source(stage).read_text("utf-8")) == allowed


def test_these_rules_can_be_broken():
    assert unlike("Stage 05: x.\n\nUnlike stage 04, which") == "stage04"
    assert unlike("Stage 05: x.\n\nAs stage 04") is None
    for text in ("from cs336_bpe.train.stage03_pair_index import learn_merges",
                 "from cs336_bpe.train import stage03_pair_index",
                 "    import cs336_bpe.train.stage03_pair_index",
                 "from cs336_bpe.train.stage03_pair_index cimport Trainer",
                 'include "stage03_pair_index.py"'):
        assert other_stages_in(text) == ["stage03_pair_index"]
    assert other_stages_in("from cs336_bpe import stages\nfrom cs336_bpe.rules import x") == []
    assert headers('cdef extern from "word_counts.h" nogil:') == {"word_counts.h"}
    assert headers("from cs336_bpe.train.ties cimport Key") == {"ties.pxd"}


# --- contracts ----------------------------------------------------------------------------------

CONTRACTS = {"pretokenize": ("CountPretokens", "count_pretokens"),
             "train": ("LearnMerges", "learn_merges"), "encode": ("PretokenEncoder", "Encoder"),
             "decode": ("IdDecoder", "Decoder")}


def promise(stage):
    """A line that is well-typed only if the stage keeps its ladder's contract."""
    protocol, name = CONTRACTS[stage.ladder]
    kind = protocol
    if stage.ladder in ("encode", "decode"):  # a class whose objects keep it
        kind = f"type[{'TextEncoder' if stage.whole_texts else protocol}]"
    return (f"from {stage.module_name.rpartition('.')[0]} import {stage.name}\n"
            f"{stage.ladder}_{stage.name}: {kind} = {stage.name}.{name}\n")


def type_errors(lines, folder):
    pytest.importorskip("mypy")
    file = folder / "promises.py"
    file.write_text("from cs336_bpe.rules import *\n" + "".join(lines), "utf-8")
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", root / "pyproject.toml",
                           "--cache-dir", folder / "cache", file],
                          capture_output=True, text=True, cwd=root)
    return [line for line in done.stdout.splitlines() if "promises.py" in line], done.stdout


def test_every_stage_keeps_its_contract(tmp_path):
    """As far as types go, which mypy checks; what the functions do, other tests check."""
    errors, output = type_errors([promise(stage) for stage in stages.STAGES], tmp_path)
    assert errors == []
    assert "Success" in output

    wrong = stages.find("train", "stage01")
    errors, _ = type_errors([promise(wrong).replace("LearnMerges", "CountPretokens"),
                             promise(stages.find("encode", "stage01")).replace(
                                 "PretokenEncoder", "TextEncoder")], tmp_path)
    assert {error.split(":")[1] for error in errors} == {"3", "5"}  # each of the two lines


@pytest.mark.parametrize("stage", stages.STAGES, ids=lambda stage: stage.module_name)
def test_capabilities_are_true(stage):
    module = stage.load()
    if stage.ladder == "encode":
        encoder = module.Encoder(dict(enumerate(BYTES)), [])
        assert hasattr(encoder, "encode_text") == stage.whole_texts
    assert stage.ladder == "encode" or not stage.whole_texts
    assert stage.ladder == "pretokenize" or not (stage.any_pattern or stage.parallel)


def test_unknown_names():
    with pytest.raises(ValueError, match="no ladder 'detokenize'; there are"):
        stages.ladder("detokenize")
    with pytest.raises(ValueError, match="no train stage 'stage1'"):
        stages.find("train", "stage1")


def test_a_compiled_stage_that_is_missing_says_how_to_build_it():
    missing = stages.Stage("train", "stage99_missing", None, "", "", compiled=True)
    with pytest.raises(ImportError, match=r"compiled stage.*Build it with `pip install \.`"):
        missing.load()
