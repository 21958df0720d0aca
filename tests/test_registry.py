"""A stage is one file, one row in the registry and one page in the docs: none is missing."""

import ast
from pathlib import Path

import pytest

import cs336_bpe
from cs336_bpe import stages

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


def test_a_stage_imports_no_other_stage():
    """Two neighbouring files are compared; none hides its work in another."""
    for stage in stages.STAGES:
        if not stage.compiled:
            for node in ast.walk(ast.parse(source(stage).read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    assert "stage" not in (node.module or "").rpartition(".")[2], stage.name


def test_unknown_names():
    with pytest.raises(ValueError, match="no ladder 'decode'; there are"):
        stages.ladder("decode")
    with pytest.raises(ValueError, match="no train stage 'stage1'"):
        stages.find("train", "stage1")


def test_a_compiled_stage_that_is_missing_says_how_to_build_it():
    missing = stages.Stage("train", "stage99_missing", None, "", "", compiled=True)
    with pytest.raises(ImportError, match=r"compiled stage.*Build it with `pip install \.`"):
        missing.load()
