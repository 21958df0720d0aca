"""The page with the masks of GPT-2's pattern, against the scanner in C."""

import json
import random

import pytest
from pages_to_play_with import HARD_TEXTS

from cs336_bpe.native.classes import tables
from cs336_bpe.native.scan import find_starts
from cs336_bpe.pages import write_cutter_page

STARTS = """(text) => placesIn(masksOf(text).starts, toBytes(text).length)"""
ROWS = """Array.from(document.querySelectorAll("#bits table"), (table) =>
    Array.from(table.rows, (row) => Array.from(row.cells, (cell) => cell.textContent)))"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("cutter") / "cutter.html"
    write_cutter_page(path, "It's  ok")
    return path


def fill(browser, text):
    browser.run(f"input.value = {json.dumps(text)}; input.dispatchEvent(new Event('input'))")


def test_masks_cut_as_the_scanner_does(browser, page):
    browser.open(page)
    rng = random.Random(4)
    alphabet = "aZ'slvertdm 1½٣é\u0301\n\r\t\x1c\x85\xa0\u2003\u3000東🙂\u200d!/-"
    texts = [*HARD_TEXTS, *("".join(rng.choices(alphabet, k=rng.randrange(1, 90)))
                            for _ in range(1500))]
    found = browser.run(f"{json.dumps(texts)}.map({STARTS})")
    for text, starts in zip(texts, found, strict=True):
        assert starts == find_starts(text.encode(), "gpt2").tolist(), text


def test_every_byte_has_the_class_of_its_character(browser, page):
    browser.open(page)
    index, classes = tables()
    names = {0: "O", 1: "L", 2: "N", 3: "W"}
    text = "".join(HARD_TEXTS)
    found = browser.run(f"""((masks) => Object.fromEntries(
        Object.keys(masks).map((name) => [name, placesIn(masks[name], {len(text.encode())})])))
        (classify({json.dumps(text)}))""")
    expected = {name: [] for name in found}
    at = 0
    for character in text:
        point, size = ord(character), len(character.encode())
        name = names[classes[index[point >> 8] << 8 | point & 255]]
        expected[name] += range(at, at + size)
        expected["more"] += range(at + 1, at + size)
        if character == " ":
            expected["S"].append(at)
        if character == "'":
            expected["quote"].append(at)
        at += size
    assert found == expected


def test_the_rows_of_every_step(browser, page):
    browser.open(page)
    assert browser.run("Array.from(byId('pieces').children, (piece) => "
                       "piece.textContent)") == ["It", "'s", "␣", "␣ok"]
    seen = {}
    while True:
        for table in browser.run(ROWS):
            assert table[0] == ["text", "I", "t", "'", "s", "␣", "␣", "o", "k"]
            assert table[1][1:4] == ["49", "74", "27"]
            seen |= {name: "".join(bits).replace("·", "0") for name, *bits in table[2:]}
        if browser.run("now === lastStep"):
            break
        browser.press("ArrowRight")
    assert seen == {
        "L": "11010011", "N": "0" * 8, "O": "00100000", "W": "00001100", "S": "00001100",
        "quote": "00100000", "more": "0" * 8, "runs": "10110010", "spaced": "00000110",
        "words": "10110000", "white": "00001000", "ahead": "11100110", "last": "00000100",
        "begins": "10111100", "maybe": "00100000", "clear": "00010000", "set": "00001000",
        "starts": "10101100"}
    assert browser.text("#said") == "8 / 8. Cut at every one. 4 pretokens."
    assert browser.run("document.querySelectorAll('#bits .cut').length") == 4
    assert browser.run("byId('bits').getAttribute('aria-label')") == (
        "Of 8 bytes, the row starts has a one at 0, 2, 4, 5")


def test_a_text_of_your_own(browser, page):
    browser.open(page, 400)
    browser.press("End")
    fill(browser, "naïve 東京 cakes, and more of them")
    assert browser.run("now === lastStep")  # the step stays
    tables = browser.run(ROWS)
    assert [len(table[0]) - 1 for table in tables] == [16, 16, 5]
    assert tables[0][0][1:11] == ["n", "a", "ï", "", "v", "e", "␣", "東", "", ""]
    assert browser.run("document.documentElement.scrollWidth") <= 400
    fill(browser, "a" * 250 + "🙂🙂")
    assert browser.text("#notice") == "Only the first 256 bytes are used."
    assert browser.run("bytes.length") == 254  # no character is cut in two
    fill(browser, "")
    assert browser.text("#said") == "8 / 8. Cut at every one. 0 pretokens."
    browser.run(r"input.value = 'a\ud800b'; input.dispatchEvent(new Event('input'))")
    assert browser.run("text") == "a\ufffdb"
    browser.run("input.focus()")
    browser.press("Home")  # belongs to the text
    assert browser.run("now === lastStep")


def test_bad_texts(tmp_path):
    for text, error, message in [("\ud800", ValueError, "lone surrogate"), (3, TypeError, "int")]:
        with pytest.raises(error, match=message):
            write_cutter_page(tmp_path / "page.html", text)
    assert list(tmp_path.iterdir()) == []
