"""The book as a site: every page has its place, and Sphinx builds it without a warning."""

import re
import subprocess
import sys
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest
from book_site import annotated, order, play, sources, stage_pages, terms

from cs336_bpe.stages import STAGES

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
CHANGED = [stage for stage in STAGES if stage.predecessor is not None]


def test_every_page_has_one_place_in_the_book():
    pages = [page for part in order.parts().values() for page in part]
    pages += [page for below in order.BELOW.values() for page in order.existing(below)]
    found = [path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")]
    assert sorted([*pages, "index"]) == sorted(found)


def test_chapters_have_their_pages():
    assert "train/stage01_recount_everything" in order.BELOW["train/index"]
    assert order.existing(order.BELOW["train/index"]) == order.BELOW["train/index"]


@pytest.mark.parametrize("stage", CHANGED, ids=lambda stage: stage.module_name)
def test_diffs_show_code_and_no_docstrings(stage):
    section = stage_pages.what_changes(stage)
    lines = section.splitlines()
    assert any(re.match(r"\+(?!\+)", line) for line in lines)
    assert any(re.match(r"-(?!-)", line) for line in lines)
    assert not any(re.match(r'[+ -]\s*r?"""', line) for line in lines)
    assert section.count("<details>") == section.count("</details>")


def test_a_stage_without_a_predecessor_has_no_diff():
    assert {stage_pages.what_changes(stage) for stage in STAGES if stage not in CHANGED} == {""}


def test_pages_to_play_with_are_linked_where_they_belong():
    pages = [path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")]
    for name, page in play.PAGES.items():
        assert set(page.linked_from) <= set(pages), name
    assert play.links("walk") == ""
    assert "play/heap.html" in play.links("machine/structures")
    assert "play/ladder.html#decode" in play.links("decode/index")
    text = play.insert("machine/structures", "# A\n\nb\n\n## What comes next\n\nc\n")
    assert text.index("Play with it") < text.index("What comes next")


def test_the_book_has_measured_all_ladders():
    assert {result["rows"][0]["stage"] for result in play.measured()} == {
        stage.name for stage in STAGES if stage.predecessor is None}


def test_terms_are_those_of_the_glossary():
    assert terms.terms()["cache line"] == "cache-line"
    assert terms.pattern(["cache", "cache line"]).findall("cache lines, caches, cached") == [
        "cache line", "cache"]


def test_links_out_of_docs_lead_to_sources():
    assert sources.rewrite("train/index", "[x](../../CONTRIBUTING.md#benchmarks)") == (
        "[x](source:CONTRIBUTING.md)")
    assert ROOT / "CONTRIBUTING.md" in sources.linked()
    assert ROOT / "cs336_bpe/train/stage03_pair_index.py" in sources.linked()


@pytest.mark.skipif(find_spec("Cython") is None, reason="needs Cython")
def test_annotated_sources(tmp_path):
    stage = next(stage for stage in STAGES if stage.compiled)
    annotated.annotate(stage, tmp_path / annotated.address(stage))
    page = (tmp_path / annotated.address(stage)).read_text("utf-8")
    assert stage.name in page
    assert "cython line score" in page
    assert "Raw output" not in page
    assert annotated.address(stage) in annotated.link(stage)
    assert annotated.link(next(stage for stage in STAGES if not stage.compiled)) == ""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
                           "-d", str(folder / "doctrees"), str(DOCS), str(folder / "html")],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_the_site_is_complete(site):
    front = (site / "index.html").read_text("utf-8")
    for caption in order.parts():
        assert caption in front
    rung = (site / "train/stage03_pair_index.html").read_text("utf-8")
    assert "What changes in the source" in rung
    assert 'class="next-page"' in rung
    assert 'href="stage04_sorted_pairs.html"' in rung
    assert re.search(r'class="term[^"]*" href="../glossary.html#word">words</a>', rung)
    assert "train_bpe_from_counts" in (site / "api.html").read_text("utf-8")
    for name, page in play.PAGES.items():
        assert (site / f"play/{name}.html").stat().st_size > 10_000
        for linked in page.linked_from:
            assert f"play/{name}.html" in (site / f"{linked}.html").read_text("utf-8")
    assert (site / "searchindex.js").exists()


def test_no_link_of_the_site_is_dead(site):
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")
             if "play" not in path.parts}
    ids = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages.items()}
    dead, seen = [], 0
    for path, text in pages.items():
        for link in map(unescape, re.findall(r'<a\b[^>]*?href="([^"]*)"', text)):
            if re.match(r"\w+:", link):
                continue
            target, _, anchor = unquote(link).partition("#")
            file = (path.parent / target).resolve() if target else path
            seen += 1
            if not file.exists() or (anchor and file in ids and anchor not in ids[file]):
                dead.append((path.relative_to(site).as_posix(), link))
    assert seen > 10_000
    assert dead == []
