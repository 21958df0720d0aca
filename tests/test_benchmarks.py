"""The benchmarks' own code: what is saved, figures in sentences, and variants that still apply."""

import hashlib
import json
import sys
from pathlib import Path

import pytest

from cs336_bpe import stages

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path[:0] = [str(BENCHMARKS / "variants"), str(BENCHMARKS)]

import common  # noqa: E402
import tasks  # noqa: E402
import values  # noqa: E402
import variants  # noqa: E402
from rendering import rendered, source  # noqa: E402

EXPERIMENTS = variants.all_names()


def test_what_is_saved_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["/anywhere/benchmarks/run_x.py", "first"])
    text = tmp_path / "corpora/web.txt"
    text.parent.mkdir()
    text.write_bytes(b"low lower")
    monkeypatch.setenv("CS336_BPE_DATA", str(tmp_path))

    def first():
        assert common.corpus("web") == text
        common.save("x", "y", {"rows": [1]}, packages=["pytest"])

    common.run_experiments({"first": first})
    saved = json.loads((tmp_path / "x_y.json").read_text(encoding="utf-8"))
    assert saved == common.load("x", "y")
    assert saved["command"] == "python benchmarks/run_x.py first"
    assert saved["rows"] == [1]
    assert saved["environment"]["packages"]["pytest"] == pytest.__version__
    digest = hashlib.sha256(b"low lower").hexdigest()
    assert saved["texts"] == [{"name": "web.txt", "bytes": 9, "sha256": digest}]
    line = source(saved)
    assert "web.txt (9 bytes, sha256" in line
    assert str(tmp_path) not in json.dumps(saved)
    monkeypatch.setattr(sys, "argv", ["run_x.py", "second"])
    with pytest.raises(SystemExit, match="no experiment 'second'; there are first"):
        common.run_experiments({"first": first})


def test_no_corpora(monkeypatch):
    monkeypatch.delenv("CS336_BPE_DATA", raising=False)
    with pytest.raises(SystemExit, match="set CS336_BPE_DATA"):
        common.corpus("web")


def test_values_are_filled_in():
    page = ("It is <!-- value:double 4 -->7<!-- /value --> or\n"
            "<!--\nvalue:double\n2 --><!-- /value -->.")
    after = rendered(page, {}, {"double": lambda number: str(2 * int(number))})
    assert after == ("It is <!-- value:double 4 -->8<!-- /value --> or\n"
                     "<!--\nvalue:double\n2 -->4<!-- /value -->.")
    with pytest.raises(ValueError, match="there is no 'triple'; there are double"):
        rendered("<!-- value:triple 4 -->7<!-- /value -->", {}, {"double": str})
    for broken in ("<!-- value:double 4 -->7", "<!-- generated:double -->\n7", "<!--value:x -->"):
        with pytest.raises(ValueError, match="1 marks begin and 0 are whole"):
            rendered(broken, {}, {"double": str})
    assert rendered("`<!-- value:NAME -->`", {}, {}) == "`<!-- value:NAME -->`"


@pytest.fixture
def saved(monkeypatch):
    row = {"peak_bytes": 3_000_000, "num_merges": 9, "wanted": 9, "idea": ""}
    rungs = stages.ladder("train")
    results = {"train_ladder_x": {"corpus": {"kinds": 1234}, "rows": [
        {**row, "stage": rungs[0].name, "whole_seconds": 2300.0, "seconds": 1.0, "complete": False},
        {**row, "stage": rungs[1].name, "whole_seconds": 20.0, "seconds": 20.0, "complete": True},
    ]}, "tokenizer_peers": {"seconds": {"ours": [1.0, 2.0, 3.0], "the other": [9.0]}}}
    monkeypatch.setattr(values, "load", lambda name, of: results[f"{of}_{name}"])
    return rungs


def test_values(saved):
    idea = saved[1].name.partition("_")[2]
    assert values.gain("train", "x", idea) == "~120x"
    assert values.total_gain("train", "x", "stage02") == "~120x"
    assert values.seconds("train", "x", "stage01") == "~2,300 s"
    assert values.seconds("train", "x", saved[1].name) == "20.0 s"
    assert values.peak("train", "x", idea) == "3.00 MB"
    assert values.distinct("train", "x") == "1,234"
    assert values.merges_done("x", idea) == "9"
    assert values.median("tokenizer_peers", "seconds", "ours") == "2.00"
    assert values.ratio("tokenizer_peers", "seconds", "the_other", "by", "seconds",
                        "ours") == "4.50x"
    assert values.field("train_ladder_x", "corpus", "kinds") == "1,234"
    assert values.field("train_ladder_x", "rows", "1", "seconds", ".3f") == "20.000"
    with pytest.raises(ValueError, match="no predecessor"):
        values.gain("train", "x", "stage01")
    with pytest.raises(ValueError, match=r"no row of stage 'stage09'"):
        values.gain("train", "x", "stage09")
    with pytest.raises(ValueError, match="has no 'theirs' here; there are"):
        values.median("tokenizer_peers", "seconds", "theirs")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_variant_still_applies(name):
    """Its stage is there, and what it replaces; nothing is built, because that takes a while."""
    experiment = variants.read_experiment(name)
    ladder = tasks.TASKS[experiment.task][1]
    assert tasks.find_stage(ladder, experiment.stage) in stages.ladder(ladder)
    package = common.ROOT / "cs336_bpe"
    for variant in experiment.variants:
        for path in {**variant.replace, **variant.edits}:
            variants.changed(variant, path, (package / path).read_text(encoding="utf-8"))
        for path, other in variant.files.items():
            assert (package / path).exists()
            assert (variants.FOLDER / name).with_name(other).exists()
        sources = [file.read_text(encoding="utf-8")
                   for pattern in ("*/*.h", "*/*.pyx") for file in package.glob(pattern)]
        for define in variant.defines:
            switch = define.partition("=")[0]
            assert any(switch in text for text in sources), f"{variant.name}: {switch}"


def test_a_variant_is_built_checked_and_refused(tmp_path):
    """In plain Python, so that nothing has to be compiled."""
    text = tmp_path / "text.txt"
    text.write_text("low lower<|endoftext|>low", encoding="utf-8")
    stage = stages.find("pretokenize", "stage01")
    path = f"pretokenize/{stage.name}.py"
    experiment = variants.Experiment("?", "count", (), stage="stage01")
    digests = []
    change = ("def count_pretokens(", "marked = 1\n\n\ndef count_pretokens(")
    for number, pairs in enumerate([[], [change]]):
        folder = tmp_path / str(number)
        folder.mkdir()
        variant = variants.Variant("marked", "", replace={path: pairs})
        variants.build(folder, variants.compiled_modules(experiment), variant, tmp_path)
        digests.append(variants.run_task(folder, experiment, text, {})["digest"])
    assert digests[0] == digests[1]
    assert "marked = 1" in (folder / "cs336_bpe" / path).read_text(encoding="utf-8")
    (tmp_path / "2").mkdir()
    stale = variants.Variant("stale", "", replace={path: [("no such text", "")]})
    with pytest.raises(SystemExit, match=r"'stale': .* has 0 times what it replaces"):
        variants.build(tmp_path / "2", (), stale, tmp_path)
    upper = variants.Variant("upper", "", edits={path: str.upper})
    assert variants.changed(upper, path, "low") == "LOW"
    with pytest.raises(SystemExit, match="'upper': its edit changes nothing"):
        variants.changed(upper, path, "LOW")
