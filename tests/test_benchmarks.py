"""The benchmarks' own code: what is saved, figures in sentences, groups of equal work, the texts of
the tables, and variants that still apply."""

import doctest
import hashlib
import json
import os
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from cs336_bpe import stages

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path[:0] = [str(BENCHMARKS / "variants"), str(BENCHMARKS)]

import common  # noqa: E402
import equal_work  # noqa: E402
import make_corpora  # noqa: E402
import render  # noqa: E402
import render_cachegrind  # noqa: E402
import render_language_model  # noqa: E402
import render_pretokenize  # noqa: E402
import render_runs  # noqa: E402
import render_texts  # noqa: E402
import render_train  # noqa: E402
import run_cachegrind  # noqa: E402
import run_limits  # noqa: E402
import run_train  # noqa: E402
import tasks  # noqa: E402
import values  # noqa: E402
import variants  # noqa: E402
from pictures import drawing  # noqa: E402
from rendering import current_name, not_measured, rendered, source  # noqa: E402

from cs336_bpe.common.tables import as_text  # noqa: E402
from cs336_bpe.corpora.fetch import CORPORA, Corpus, FetchError  # noqa: E402

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
    assert f"[web.txt](@docs/corpora/texts.md) (9 bytes, sha256 {digest[:8]})" in line
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


def test_results_from_before_stages_were_numbered_anew(monkeypatch):
    """They are shown under the names of today, and what is missing is said."""
    assert current_name("pretokenize", "stage06_bit_masks") == "stage09_bit_masks"
    assert current_name("pretokenize", "stage01_unheard_of") == "stage01_unheard_of"
    rungs = [stage.name for stage in stages.ladder("pretokenize")]
    assert not_measured("pretokenize", rungs) == []
    assert not_measured("pretokenize", rungs[:-2]) == ["Not measured yet: stage11, stage12.  "]

    row = {"workers": 1, "seconds": 2.0, "all_seconds": [2.0], "num_bytes": 10**7, "idea": "",
           "peak_bytes": 10**6, "columns_seconds": 1.0, "kinds": 5, "predecessor": None}
    old = {"title": "x.txt", "machine": "m", "command": "python x.py", "rows": [
        {**row, "stage": "stage01_whole_text"}, {**row, "stage": "stage06_bit_masks"},
        {**row, "stage": "stage07_batches", "seconds": 1.0}]}
    monkeypatch.setattr(render_pretokenize, "load", lambda name, of: old)
    table = render_pretokenize.counting_stage("stage10_batches")
    assert "| corpus | stage09, s | this stage, s |" in table
    assert "| x.txt | 2.00 | 1.00 | 2.00x |" in table
    for name in ("stage06_automaton", "stage09_bit_masks"):  # itself, or its predecessor
        assert render_pretokenize.counting_stage(name).startswith("Not measured yet.")
    ladder = render_pretokenize.counting_ladder("x")
    assert "| stage09 |" in ladder
    assert "Not measured yet: stage02, stage03, stage04, stage05, stage06, stage07," in ladder


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


# --- What stands under a table -----------------------------------------------------------------


def test_links_of_a_table_are_of_its_page():
    def maker(_):
        return "[texts](@docs/corpora/texts.md), [other](texts.md)"
    page = "<!-- generated:maker -->\n<!-- /generated -->"
    for place, link in [("README.md", "docs/corpora/texts.md"),
                        ("docs/train/index.md", "../corpora/texts.md")]:
        after = rendered(page, {"maker": maker}, {}, common.ROOT / place)
        assert f"[texts]({link}), [other](texts.md)" in after


def test_texts_are_named_under_every_table():
    result = {"machine": "a machine", "command": "python run_x.py one"}
    counts = {"kinds": 1234, "sha256": "0123456789"}
    assert source(result, texts=["web.txt"]) == (
        "*a machine. [web.txt](@docs/corpora/texts.md) (checksum not saved). "
        "`python run_x.py one`*")
    assert "sha256 of the counts 01234567" in source({**result, "corpus": counts}, texts=["a"])
    assert "generated text" in source({**result, "corpus": counts})
    assert "1,234 distinct pretokens" in source({**result, "corpus": counts})


def test_experiments_of_several_programs():
    results = [{"machine": "m", "command": f"python {command}"}
               for command in ("run_x.py one", "run_y.py one", "run_x.py two")]
    assert source(*results) == "*m. `python run_x.py one two`, `python run_y.py one`*"


def test_results_of_two_texts_with_one_name(tmp_path, monkeypatch):
    monkeypatch.setattr(render_texts, "RESULTS", tmp_path)
    for number, size in enumerate([5, 5, 6]):
        text = {"name": "web.txt", "bytes": size, "sha256": str(size)}
        (tmp_path / f"{number}.json").write_text(json.dumps({"texts": [text]}), encoding="utf-8")
        if size == 5:
            assert "| 5 | `5` |" in render_texts.texts("")
    with pytest.raises(ValueError, match=r"2.json is of another web.txt"):
        render_texts.texts("")


# --- Complete runs of the training ladder ------------------------------------------------------


@pytest.mark.parametrize("name", ["ladder_built_in", "ladder_course", "ladder_stories",
                                  "ladder_tinystories"])
def test_ladders_without_a_limit(name, monkeypatch):
    asked = []
    monkeypatch.setattr(run_train, "real_counts", lambda name: {})
    monkeypatch.setattr(run_train, "built_in_counts", lambda *_: {})
    monkeypatch.setattr(run_train, "save", lambda *_: None)
    monkeypatch.setattr(run_train.ladders, "run_training_ladder",
                        lambda *_, limit, **more: asked.append(limit) or [])
    run_train.EXPERIMENTS[name]()
    assert asked == [inf]


def test_a_complete_ladder_has_no_extrapolated_figure(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["run_train.py", "ladder_x"])
    rungs = [stages.find("train", number) for number in ("stage01", "stage03")]
    monkeypatch.setattr(stages, "ladder", lambda name: rungs)
    run_train.one_ladder("ladder_x", "words", {b"lower": 3, b"lowest": 2}, 262, rounds=1)
    monkeypatch.setattr(render_train, "load", lambda name: common.load("train", name))
    shown = render_train.ladder("ladder_x")
    assert "~" not in shown
    assert "whole lists of 5 merges compared for stage01, stage03" in shown


def test_progress_of_a_long_run(capsys):
    say = run_train.say_sometimes(every=0.0)
    say(stages.find("train", "stage01"), 1000, 9743)
    run_train.say_sometimes(every=1000.0)(stages.find("train", "stage01"), 1, 2)
    assert capsys.readouterr().out == "stage01: 1,000 of 9,743 merges\n"


# --- Groups of equal work ----------------------------------------------------------------------


def a_row(stage, seconds, *, name=None, merges=None, **more):
    info = {"ladder": "encode", "stage": stage and stages.find("encode", stage).name,
            "bytes_per_second": 1e6 / seconds, **more}
    if merges:
        info["merges_per_second"] = merges / seconds
    return {"group": "encode: x", "name": name or stage, "extra_info": info,
            "stats": {"median": seconds, "min": seconds / 2, "max": seconds}}


def test_a_table_of_equal_work():
    rows = [a_row("stage05", 4.0), a_row("stage06", 2.0), a_row("stage07", 1.0),
            a_row(None, 10.0, name="theirs: x 1.0", agrees="the same ids"),
            {"group": "encode: x", "name": "stage01", "skipped": "too slow"}]
    header, *lines = equal_work.cells(rows)
    assert header == ("row", "median", "least", "MB/s", "x before", "x stage05",
                      "of stage07's time", "idea")
    assert [line[:7] for line in lines] == [
        ("stage05", "4.00 s", "2.00 s", "0.250", "", "", "4.00x"),
        ("stage06", "2.00 s", "1.00 s", "0.500", "2.00", "2.00", "2.00x"),
        ("stage07", "1.00 s", "500 ms", "1.00", "4.00 (05)", "4.00", "1.00x"),
        ("theirs: x 1.0", "10.0 s", "5.00 s", "0.100", "", "0.400", "10.0x")]
    assert lines[-1][-1] == "the same ids"
    assert equal_work.skipped(rows) == ["stage01: too slow"]
    assert "merges/s" in equal_work.cells([a_row("stage05", 4.0, merges=100)])[0]
    assert list(equal_work.by_group(reversed(rows))) == ["encode: x"]
    assert [row["name"] for row in equal_work.by_group(reversed(rows))["encode: x"]] == [
        "stage01", "stage05", "stage06", "stage07", "theirs: x 1.0"]


@pytest.mark.parametrize("module", [drawing, equal_work, make_corpora, render_cachegrind,
                                    run_cachegrind])
def test_examples(module):
    """pytest looks for doctests in tests/, docs/ and the package only."""
    done = doctest.testmod(module)
    assert done.attempted
    assert not done.failed


def test_a_table_of_peers_only():
    [_, line] = equal_work.cells([a_row(None, 10.0, name="theirs: x 1.0")])
    assert line == ("theirs: x 1.0", "10.0 s", "5.00 s", "0.100", "", "", "", "")


def test_a_row_is_left_out_with_its_reason():
    group = equal_work.Group("train", "x", 10)
    equal_work.skip_if_too_slow(group, "stage01", 4.0, budget=5.0)
    assert not group.done
    with pytest.raises(pytest.skip.Exception, match=r"stage01: would take about 60\.0 s, more"):
        equal_work.skip_if_too_slow(group, "stage01", 60.0, budget=5.0)
    assert equal_work.skipped(group.done) == [
        "stage01: would take about 60.0 s, more than --budget=5"]
    assert "no_such_peer is not installed" in equal_work.missing("no_such_peer")
    assert equal_work.missing("json") == ""


def test_a_row_is_timed():
    """With a stand-in for the fixture of pytest-benchmark."""
    calls = []

    def pedantic(call, setup, rounds):
        arguments, _ = setup()
        calls.append(rounds)
        return call(*arguments)

    stats = SimpleNamespace(median=0.5, min=0.25, max=1.0)
    benchmark = SimpleNamespace(pedantic=pedantic, extra_info={},
                                stats=SimpleNamespace(stats=stats))
    group = equal_work.Group("train", "x", num_bytes=1000, num_merges=50)
    stage = stages.find("train", "stage02")
    found = equal_work.time_row(benchmark, group, "stage02", sum, make=lambda: ([1, 2],),
                                seconds=0.3, stage=stage)
    assert found == 3
    assert calls == [3]
    assert benchmark.extra_info == {
        "ladder": "train", "stage": stage.name, "num_bytes": 1000, "num_merges": 50,
        "bytes_per_second": 2000.0, "merges_per_second": 100.0}
    assert (benchmark.group, benchmark.name) == ("train: x", "stage02")
    equal_work.time_row(benchmark, group, "slow", sum, make=lambda: ([1],), seconds=100.0)
    assert calls == [3, 1]
    assert [row["name"] for row in group.done] == ["stage02", "slow"]
    benchmark.stats = None  # --benchmark-disable
    assert equal_work.time_row(benchmark, group, "x", sum, make=lambda: ([1],)) == 1
    assert len(group.done) == 2


def run_benchmarks(*options):
    """In a process of its own, as a reader does, who is not a worker of pytest-xdist."""
    environ = {name: value for name, value in os.environ.items()
               if not name.startswith("PYTEST_XDIST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(BENCHMARKS), "--benchmark-only", "-q",
         "-p", "no:cacheprovider", *options],
        capture_output=True, text=True, cwd=common.ROOT, check=False, env=environ)
    return done.stdout


def test_pytest_shows_the_groups(tmp_path):
    """The real thing, on a few rows: a marker, the table, saving, and the name of the machine."""
    path = tmp_path / "run.json"
    output = run_benchmarks("-m", "pretokenize and not peers", "-k", "small and (stage01 or stage04"
                            " or stage05)", "--budget=100", f"--benchmark-json={path}")
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert {row["name"] for row in saved["benchmarks"]} == {"stage01", "stage04", "stage05"}
    assert all(row["extra_info"]["bytes_per_second"] > 0 for row in saved["benchmarks"])
    assert "node" not in saved["machine_info"]
    [(name, rows)] = render_runs.read_run(path)[1].items()
    table = as_text(equal_work.cells(rows))  # what was saved makes the table that was shown
    assert f" {name} ===" in output
    assert table in output


def test_pytest_says_what_is_left_out():
    output = run_benchmarks("-m", "pretokenize", "-k", "small and stage01", "--budget=0")
    assert "left out: stage01: would take about" in output


def test_a_plot_of_a_saved_run(tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"benchmarks": [
        a_row("stage05", 4.0), a_row(None, 10.0, name="theirs: x 1.0")]}), encoding="utf-8")
    render_runs.main([str(path), str(tmp_path / "run.svg")])
    assert (tmp_path / "run.svg").read_text(encoding="utf-8").startswith("<?xml")
    path.write_text('{"rows": []}', encoding="utf-8")
    with pytest.raises(SystemExit, match="not a saved run of pytest-benchmark"):
        render_runs.read_run(path)
    row = {"group": None, "name": "x", "extra_info": {}, "stats": {}}
    path.write_text(json.dumps({"benchmarks": [row]}), encoding="utf-8")
    with pytest.raises(SystemExit, match="a run of other benchmarks"):
        render_runs.read_run(path)
    with pytest.raises(SystemExit, match="usage"):
        render_runs.main([])


def test_what_is_within_the_noise(monkeypatch):
    """A deviation of 0.01: three seeds each may differ by 2.57 * 0.01 * sqrt(2 / 3) = 0.021."""
    def rows(*bits):
        return [{"bits_per_byte": value} for value in bits]

    seeds = {"same": rows(1.99, 2.0, 2.01)}
    monkeypatch.setattr(render_language_model, "cases", lambda name: seeds)
    base = rows(2.0, 2.0, 2.0)
    against = render_language_model.against
    assert against(rows(2.02, 2.02, 2.02), base) == "+0.020, within the noise"
    assert against(rows(2.022, 2.022, 2.022), base) == "+0.022"
    assert against(rows(1.978, 1.978, 1.978), base) == "-0.022"
    assert against(rows(2.022), base) == "+0.022, within the noise"  # one seed: less is known
    assert against(base, base) == against([{"diverged": "step 7"}], base) == ""
    assert render_language_model.shown(rows(2.0, 2.1)) == "2.050 ± 0.071 (2)"
    assert render_language_model.shown([{"diverged": "step 7"}]) == "diverged"


# --- The folder of real texts ------------------------------------------------------------------


def wheel(folder, name, files):
    """A package that pip accepts, and its checksum."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        for place, text in {
                **files, f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
                f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                f"{info}/RECORD": ""}.items():
            file.writestr(zipfile.ZipInfo(place), text)
    return (name, "1.0", hashlib.sha256(path.read_bytes()).hexdigest())


PO = '''msgid ""
msgstr ""
"Language: de\\n"

#: a comment
msgid "low"
msgid_plural "lows"
msgstr[0] "nied"
"rig"
msgstr[1] "ein \\"Wort\\"\\n"

msgid "untranslated"
msgstr ""
'''


@pytest.fixture
def small_world(tmp_path, monkeypatch):
    """Small texts in place of the real ones; pip looks for packages in a folder."""
    pytest.importorskip("pip")
    index = tmp_path / "index"
    index.mkdir()
    code = {"one/a.py": "a = 1\r\n", "one/b.py": "", "one/c.py": "x = '<|endoftext|>'\n",
            "one/d.txt": "no"}
    one = wheel(index, "one", code)
    two = wheel(index, "two", {"two/b.py": "b = 2\n", "two/de/x.po": PO})
    monkeypatch.setattr(make_corpora, "WHEELS", {"code": [one, two], "multilingual": [two]})
    files = sorted((hashlib.sha256(name.encode()).digest(), text) for name, text in (
        ("one/a.py", b"a = 1"), ("two/b.py", b"b = 2")))
    expected = {"code": b"".join(text + b"\n<|endoftext|>\n" for _, text in files),
                "multilingual": b'niedrig\nein "Wort"\n<|endoftext|>\n'}
    monkeypatch.setattr(make_corpora, "MADE", {
        name: hashlib.sha256(text).hexdigest() for name, text in expected.items()})
    monkeypatch.setattr(make_corpora, "FROM_THE_HUB", {"stories": ("small", 30)})
    text = b"one<|endoftext|>two<|endoftext|>three"
    monkeypatch.setitem(CORPORA, "small", Corpus("a/small.txt", len(text),
                                                 hashlib.sha256(text).hexdigest()))
    downloads = tmp_path / "data/downloads"
    downloads.mkdir(parents=True)
    (downloads / "small.txt").write_bytes(text)  # put in place by hand: no network is asked
    return SimpleNamespace(folder=tmp_path / "data", expected=expected, index=index,
                           pip_options=["--no-index", "--find-links", str(index)])


def test_a_folder_of_texts(small_world):
    rows = make_corpora.make(small_world.folder, pip_options=small_world.pip_options)
    found = {name: size for name, size, _, _ in rows}
    for name, text in small_world.expected.items():
        assert (small_world.folder / f"corpora/{name}.txt").read_bytes() == text
        assert found[f"corpora/{name}.txt"] == len(text)
    assert (small_world.folder / "corpora/stories.txt").read_bytes() == b"one<|endoftext|>"
    assert rows[0][3] == "small.txt, its beginning"
    # The second time nothing is downloaded: there is no index any more.
    nothing = ["--no-index"]
    assert make_corpora.make(small_world.folder, pip_options=nothing) == rows


def test_a_wrong_package_is_refused(small_world, monkeypatch, capfd):
    wrong = [("one", "1.0", "0" * 64)]
    monkeypatch.setattr(make_corpora, "WHEELS", {"code": wrong})
    with pytest.raises(SystemExit, match="pip could not download"):
        make_corpora.make(small_world.folder, only=["code"], pip_options=small_world.pip_options)
    assert "HASHES" in capfd.readouterr().err.upper()


def test_what_comes_out_is_checked(small_world, monkeypatch):
    monkeypatch.setitem(make_corpora.MADE, "code", "0" * 64)
    with pytest.raises(SystemExit, match=r"code.txt has the SHA-256 .* a bug of make_corpora.py"):
        make_corpora.make(small_world.folder, only=["code"], pip_options=small_world.pip_options)


def test_a_text_that_cannot_be_fetched(small_world):
    (small_world.folder / "downloads/small.txt").write_bytes(b"short")
    with pytest.raises(FetchError, match="must have 37"):
        make_corpora.make(small_world.folder, only=["stories"])
    with pytest.raises(SystemExit, match="must have 37"):
        make_corpora.main([str(small_world.folder), "--only", "stories"])


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_a_text_from_a_server(small_world, tmp_path, monkeypatch, capsys):
    """With `--url`, from a server on this machine in place of the hub."""
    pytest.importorskip("huggingface_hub", reason="needs cs336-bpe[fetch]: huggingface_hub")
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    (tmp_path / "hub/a").mkdir(parents=True)
    (small_world.folder / "downloads/small.txt").rename(tmp_path / "hub/a/small.txt")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=tmp_path / "hub"))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        make_corpora.main([str(small_world.folder), "--only", "stories",
                           "--url", f"http://127.0.0.1:{server.server_port}"])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert (small_world.folder / "corpora/stories.txt").read_bytes() == b"one<|endoftext|>"
    digest = hashlib.sha256(b"one<|endoftext|>").hexdigest()[:16]
    output = capsys.readouterr().out
    assert f"corpora/stories.txt     16  {digest}  small.txt, its beginning" in output
    assert f"export CS336_BPE_DATA={small_world.folder}" in output


def test_fixtures_of_the_course(tmp_path, monkeypatch):
    clone = tmp_path / "clone"
    (clone / "tests/fixtures").mkdir(parents=True)
    monkeypatch.setattr(make_corpora, "FIXTURES", {"a.txt": hashlib.sha256(b"low").hexdigest()})
    with pytest.raises(SystemExit, match=r"a.txt is not there; --course is"):
        make_corpora.copy_fixtures(clone, tmp_path / "cs336")
    (clone / "tests/fixtures/a.txt").write_bytes(b"low")
    make_corpora.copy_fixtures(clone, tmp_path / "cs336")
    assert (tmp_path / "cs336/a.txt").read_bytes() == b"low"
    other = tmp_path / "other"
    (other / "tests/fixtures").mkdir(parents=True)
    (other / "tests/fixtures/a.txt").write_bytes(b"lower")
    with pytest.raises(SystemExit, match=r"not the file that was measured"):
        make_corpora.copy_fixtures(other, tmp_path / "cs336")


def test_counts_must_be_those_of_the_book(tmp_path, monkeypatch):
    text = tmp_path / "text.txt"
    text.write_bytes("low lower låw<|endoftext|>low".encode())
    counts = {b"low": 2, b" lower": 1, " låw".encode(): 1}
    saved = {"corpus": common.describe_counts(counts)}
    monkeypatch.setattr(common, "load", lambda *_: saved)
    make_corpora.write_counts(text, tmp_path / "counts.json")
    monkeypatch.setattr(run_train, "corpus", lambda name: tmp_path / "counts.json")
    assert run_train.real_counts("tinystories_train") == counts
    saved["corpus"]["sha256"] = "0"
    with pytest.raises(SystemExit, match=r"the counts of .* have the checksum .*, and not 0"):
        make_corpora.write_counts(text, tmp_path / "counts.json")


def test_pictures_are_those_that_are_drawn():
    """And each one says what is seen, is on a page, and can be read on a narrow one."""
    pages = "".join(path.read_text("utf-8") for path in (render.ROOT / "docs").rglob("*.md"))
    assert len(render.PICTURES) > 10
    for name, draw in render.PICTURES.items():
        drawn = draw()
        assert drawn == (render.ROOT / f"docs/figures/{name}.svg").read_text("utf-8"), name
        picture = ElementTree.fromstring(drawn)
        svg = "{http://www.w3.org/2000/svg}"
        assert len(picture.find(f"{svg}title").text) > 20, name
        assert f"figures/{name}.svg)" in pages, name
        assert float(picture.get("width")) <= 640, name
        assert min(int(text.get("font-size")) for text in picture.iter(f"{svg}text")) >= 16, name


def test_a_picture_that_was_changed_by_hand_is_out_of_date(tmp_path, monkeypatch, capsys):
    (tmp_path / "docs/figures").mkdir(parents=True)
    monkeypatch.setattr(render, "ROOT", tmp_path)
    monkeypatch.setattr(render, "PLOTS", [])
    monkeypatch.setattr(render, "PICTURES", {"one": lambda: "<svg/>"})
    assert render.main(check=True) == 1
    assert render.main(check=False) == 0
    assert render.main(check=True) == 0
    (tmp_path / "docs/figures/one.svg").write_text("<svg></svg>")
    assert render.main(check=True) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "out of date: docs/figures/one.svg"


def test_constants_of_pictures_are_read_from_headers():
    assert drawing.constant("encode/word_cache.h", "LONG") == 255
    with pytest.raises(ValueError, match=r"word_key.h gives NOTHING 0 values"):
        drawing.constant("native/word_key.h", "NOTHING")


def test_the_cells_that_training_changes():
    """By the rule: a merge begins at a cell, and after it there is one token less."""
    counts = {b"aaab": 2, b"ab": 1}
    learn_merges = stages.ladder("train")[0].load().learn_merges
    merges = learn_merges(counts, 3)
    assert merges == [(b"a", b"a"), (b"a", b"b"), (b"aa", b"ab")]
    cells, number = run_limits.changed_cells(counts, merges)  # of .aaab.ab.
    assert cells.tolist() == [1, 3, 6, 1]
    assert number == len(".aaab.ab.")


def test_places_of_a_limit_are_those_of_distinct_pretokens():
    places, table = run_limits.places_of(b"the cat the cat the", 3)
    assert len(set(places.tolist())) == 3
    assert places[1] == places[3]
    assert places[2] == places[4]
    assert places[0] != places[2]
    assert table.shape == (8, 3)
    assert run_limits.visit(table, places, 2)().tolist() == [1] * 5


def test_steps_take_turns_and_the_first_round_is_not_kept():
    calls = []
    seconds = run_limits.in_turns({"one": lambda: calls.append(1), "two": (
        lambda: (2,), calls.append)}, rounds=2)
    assert calls == [1, 2, 1, 2, 1, 2]
    assert {name: len(values) for name, values in seconds.items()} == {"one": 2, "two": 2}


# --- The simulated processor -------------------------------------------------------------------


def events(times):
    """Counts of a pass, all different."""
    names = ("instructions", "branches", "wrong_guesses", "near_misses", "far_misses")
    return {name: times * count for name, count in zip(names, (4000, 700, 50, 8, 1))}


@pytest.fixture
def simulated(monkeypatch):
    rung = stages.ladder("encode")[-1].name
    result = {"unit": "pretoken", "number": 10, "num_bytes": 48, "merges": 2, "valgrind": "3.19.0",
              "caches": run_cachegrind.CACHES, "machine": "m", "command": "python run_x.py one"}
    results = {"encode": [{"stage": rung, "first": events(3), "again": events(1)}],
               "train": [{"stage": stages.ladder("train")[-1].name, "whole": events(3),
                          "without a merge": events(1)}]}
    for module in (render_cachegrind, values):
        monkeypatch.setattr(module, "load", lambda ladder, _: {**result, "rows": results[ladder]})
    return rung


def test_simulated_events(simulated):
    shown = render_cachegrind.simulated("encode")
    new, known = shown.split("The same text again")
    number, idea = simulated.partition("_")[0], stages.ladder("encode")[-1].idea
    assert f"| {number} | {idea} | 1,200 | 210 | 15.0 | 2.40 | 0.300 |" in new
    assert f"| {number} | {idea} | 400 | 70.0 | 5.00 | 0.800 | 0.100 |" in known
    assert "| guessed wrong | misses of 32 KiB | misses of 512 KiB |" in new
    assert "Per pretoken; there are 10." in known
    assert "what a call without a merge costs is taken off" in render_cachegrind.simulated("train")
    assert "| 800 | 140 | 10.0 | 1.60 | 0.200 |" in render_cachegrind.simulated("train")
    assert values.simulated("encode", simulated, "instructions", "first") == "1,200"
    assert values.simulated("encode", simulated, "far_misses") == "0.100"
    assert values.simulated("train", "stage13", "wrong_guesses") == "10.0"


@pytest.mark.needs("valgrind")  # and its headers, which come with it
def test_a_stage_is_simulated(tmp_path):
    """The real thing, on a few ids: a library that is built, a program, and two passes of it."""
    rung = stages.ladder("decode")[-1]
    ready = {"vocab": {byte: bytes([byte]) for byte in range(256)},
             "passes": {"few": [97] * 1000, "more": [97] * 3000}}
    counts = run_cachegrind.count_stage(rung, ready, run_cachegrind.build_switch(tmp_path))
    assert list(counts) == ["few", "more"]
    assert counts["more"]["instructions"] - counts["few"]["instructions"] > 2000
    assert counts["more"]["instructions"] < 1_000_000  # Python's start isn't in it
    assert counts["more"]["wrong_guesses"] < counts["more"]["branches"]
