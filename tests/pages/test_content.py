"""What is in the files of the pages, without a browser."""

import base64
import hashlib
import json
import os
import re

import pytest
from pages_to_play_with import PLAY_PAGES

from cs336_bpe import Tokenizer, count_pretokens_in
from cs336_bpe.cost.bytes_per_token import bytes_per_token
from cs336_bpe.pages import write_explore_page, write_pattern_page, write_show_page
from cs336_bpe.rules import BYTES

TEXT = "Once upon a time, there was a naïve girl.\n\n東京 <|endoftext|>The end"
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def read(path):
    page = path.read_text(encoding="utf-8")
    return page, json.loads(DATA.search(page)[1])


@pytest.fixture
def pages(trained, tmp_path):
    write_show_page(trained, TEXT, tmp_path / "show.html")
    write_explore_page(trained, tmp_path / "explore.html")
    write_pattern_page("gpt4o", tmp_path / "pattern.html", TEXT)
    for name, write in PLAY_PAGES.items():
        write(tmp_path / f"{name}.html")
    return [read(tmp_path / f"{name}.html") for name in ("show", "explore", "pattern", *PLAY_PAGES)]


def test_all_of_the_text_is_there(pages, trained):
    data = pages[0][1]
    tokens = [token for word in data["text"] for token in data["words"][word]]
    assert [data["tokens"][token][1] for token in tokens] == trained.encode(TEXT)
    assert b"".join(data["tokens"][token][0].encode("latin-1") for token in tokens) == TEXT.encode()


def test_every_token_is_made_of_its_parts(pages, trained):
    rows = pages[0][1]["tokens"]
    for place, (text, number, left, right, rank) in enumerate(rows):
        assert trained.vocab[number] == text.encode("latin-1")
        if rank >= 0:
            assert max(left, right) < place
            assert trained.merges[rank] == (rows[left][0].encode("latin-1"),
                                            rows[right][0].encode("latin-1"))
        else:
            assert (left, right) == (-1, -1)
            assert (rank == -2) == (number in trained.special_tokens.values())


def test_the_whole_vocabulary_is_there(tmp_path, trained, nasty):
    for tokenizer in (trained, nasty):
        write_explore_page(tokenizer, tmp_path / "page.html")
        data = read(tmp_path / "page.html")[1]
        tokens = list(BYTES)
        for left, right in zip(data["merges"][::2], data["merges"][1::2]):
            tokens.append(tokens[left] + tokens[right])
        ids = [first + n for first, count in data["ids"] for n in range(count)]
        found = dict(zip(ids, tokens, strict=True))
        for text, number in data["specials"] + data["others"]:
            found[number] = text.encode("latin-1")
        assert found == dict(tokenizer.vocab)
    assert [text for text, _ in data["others"]] == ["</script>unmade"]


def test_nothing_points_out_of_the_page(pages):
    for page, _ in pages:
        without = page.replace('http-equiv="Content-Security-Policy"', "")
        assert "http" not in without
        assert "//" not in re.sub(r"(?m)(^|\s)// .*$|^//$", "", without)
        for word in ("src=", "href=", "url(", "@import", "fetch(", "XMLHttpRequest", "innerHTML",
                     "eval(", "WebSocket", "document.write", ' style="'):
            assert word not in without, word


def test_the_policy_allows_this_script_and_this_style_only(pages):
    for page, _ in pages:
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
        rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
        assert rules["default-src"] == "'none'"
        for name, tag in (("script-src", "script"), ("style-src", "style")):
            parts = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
            assert len(parts) == 1
            digest = base64.b64encode(hashlib.sha256(parts[0].encode()).digest()).decode()
            assert rules[name] == f"'sha256-{digest}'"


def test_the_basics_of_a_page(pages):
    for page, _ in pages:
        assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
        assert '<meta charset="utf-8">' in page[:100]
        assert '<meta name="viewport"' in page
        assert '<meta name="color-scheme" content="light dark">' in page
        ids = re.findall(r'\bid="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        for target in re.findall(r'(?:aria-labelledby|aria-describedby|for)="([^"]+)"', page):
            assert target in ids


def test_harmful_tokens_and_titles(tmp_path, nasty):
    text = "\n".join(token.decode("utf-8", "replace") for token in nasty.vocab.values())
    for title in ('</title><script>alert("1")</script>', "$body $data ${script}", "a\0\u202eb", ""):
        write_show_page(nasty, text, tmp_path / "show.html", title=title)
        write_explore_page(nasty, tmp_path / "explore.html", text=text, title=title)
        write_pattern_page("</script>|[^&]", tmp_path / "pattern.html", text, title=title)
        for name, write in PLAY_PAGES.items():
            write(tmp_path / f"{name}.html", title=title)
        for name in ("show", "explore", "pattern", *PLAY_PAGES):
            page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
            assert page.count("<script") == page.count("</script") == 2
            assert page.count("</title>") == page.count("</style>") == 1
            assert all(c.isprintable() or c == "\n" for c in page)
            data = DATA.search(page)[1]
            assert not re.search(r"[<>&\u2028\u2029]", data)
            json.loads(data)


def test_long_text_is_cut_and_says_so(tmp_path, trained):
    shown = write_show_page(trained, "the girl " * 50_000, tmp_path / "a.html")
    assert (shown.cut, shown.total_bytes) == (True, 450_000)
    assert 99_990 < shown.shown_bytes <= 100_000
    data = read(tmp_path / "a.html")[1]
    assert (data["cut"], data["shown"], data["total"]) == (True, shown.shown_bytes, 450_000)
    shown = write_show_page(trained, "x" * 5000, tmp_path / "a.html", limit=100)
    assert (shown.cut, 90 < shown.shown_bytes <= 100) == (True, True)
    assert not write_show_page(trained, "", tmp_path / "a.html").cut


def test_text_that_the_pattern_leaves_out_is_shown(tmp_path):
    tokenizer = Tokenizer(dict(enumerate(BYTES)), [], pattern="[a-z]+", unmatched="keep")
    shown = write_show_page(tokenizer, "ab, cd", tmp_path / "a.html")
    assert (shown.cut, shown.shown_bytes, shown.total_bytes) == (False, 6, 6)


def test_fifty_thousand_tokens_are_a_small_page(tmp_path, large):
    size = write_explore_page(large, tmp_path / "large.html")
    assert size == os.path.getsize(tmp_path / "large.html") < 1_500_000


def test_bytes_per_token_are_those_of_the_text(tmp_path, trained):
    counts = {b" the": 5, b" girl": 2}
    text = "Once upon a time " * 10
    for given, expected in (({"counts": counts}, counts),
                            ({"text": text, "counts": counts}, counts),
                            ({"text": text}, count_pretokens_in(text, []))):
        write_explore_page(trained, tmp_path / "a.html", **given)
        data = read(tmp_path / "a.html")[1]
        sizes = [size for size, _ in data["compression"]]
        assert (sizes[0], sizes[-1]) == (257, 2000)
        ratios = bytes_per_token(trained.merges, expected, sizes, num_specials=1)
        assert dict(data["compression"]) == pytest.approx(ratios, abs=1e-4)
    write_explore_page(trained, tmp_path / "a.html", "")
    assert read(tmp_path / "a.html")[1]["compression"] == []


def test_the_same_input_gives_the_same_page(tmp_path, trained):
    for name in ("a.html", "b.html"):
        write_explore_page(trained, tmp_path / name, TEXT)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_bad_arguments_leave_the_old_file(tmp_path, trained):
    path = tmp_path / "page.html"
    path.write_text("old")
    for call, error, message in [
        (lambda: write_show_page(trained, 3, path), TypeError, "text is a int"),
        (lambda: write_show_page(trained, "a", path, title=3), TypeError, "title is 3"),
        (lambda: write_show_page(trained, "a", path, limit=0), ValueError, "limit is 0"),
        (lambda: write_show_page(trained, "\ud800", path), ValueError, "lone surrogate"),
        (lambda: write_explore_page(trained, path, b"a"), TypeError, "text is a bytes"),
        (lambda: write_pattern_page("(?<=a)b", path), ValueError, "a look-behind"),
        (lambda: write_pattern_page("gpt2", path, "\ud800"), ValueError, "lone surrogate"),
        (lambda: write_explore_page(trained, path, counts={"a": 1}), TypeError, "keys must be"),
    ]:
        with pytest.raises(error, match=message):
            call()
    assert os.listdir(tmp_path) == ["page.html"]
    assert path.read_text() == "old"
    with pytest.raises(FileNotFoundError, match="folder does not exist"):
        write_show_page(trained, "a", tmp_path / "no" / "page.html")
