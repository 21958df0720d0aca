"""`play`: every page from the command line."""

import json
import re

import pytest

from cs336_bpe.commands.play import PAGES

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def data_of(path):
    return json.loads(DATA.search(path.read_text(encoding="utf-8"))[1])


@pytest.mark.parametrize("page", PAGES)
def test_without_anything(cs336, tmp_path, page):
    path = tmp_path / "page.html"
    result = cs336.json("play", page, "-o", path)
    assert result == {"out": str(path), "page_bytes": path.stat().st_size}


def test_what_is_given_is_shown(cs336, tmp_path):
    path = tmp_path / "page.html"
    done = cs336("play", "training", "low:5", "lower", "a:b:2", "low:1", "-o", path)
    assert done.stdout.startswith(f"wrote {path}, ")
    assert data_of(path)["words"] == [["low", 6], ["lower", 1], ["a:b", 2]]
    for page in ("utf8", "cutter"):
        assert cs336("play", page, "naïve 🙂", "-o", path, "--quiet").stdout == ""
        assert data_of(path)["text"] == "naïve 🙂"
    for page in ("heap", "positions"):
        cs336("play", page, "abab:3", "-o", path)
        assert data_of(path)["steps"][0]["kind"] == "start"
    rows = [{"stage": "stage01_x", "idea": "x", "predecessor": None, "complete": True,
             "num_merges": 5, "whole_seconds": 2.0, "all_seconds": [2.0], "digest": "long"}]
    (tmp_path / "mine.json").write_text(json.dumps({"corpus": "mine", "train": rows}))
    cs336("play", "ladder", tmp_path / "mine.json", "-o", path)
    del rows[0]["digest"]
    assert data_of(path)["results"] == [{"corpus": "mine", "train": rows}]


@pytest.mark.parametrize(("arguments", "code", "message"), [
    (["chess"], 2, "there is no 'chess'"),
    (["utf8", "two", "words"], 2, "put quotes around"),
    (["training", "low:many"], 2, "'low:many' is not a word and its count"),
    (["heap", "a" * 300], 1, "too many to step through"),
    (["ladder", "missing.json"], 1, "missing.json"),
])
def test_what_can_not_be_shown(cs336, tmp_path, arguments, code, message):
    assert message in cs336.fails("play", *arguments, "-o", tmp_path / "page.html", code=code)
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_no_results(cs336, tmp_path):
    for text, message in (("[1]", "list"), ('{"a": 1}', "no rows"), ("{", "mine.json")):
        (tmp_path / "mine.json").write_text(text)
        assert message in cs336.fails("play", "ladder", tmp_path / "mine.json", "-o",
                                      tmp_path / "page.html")
