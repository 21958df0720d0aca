"""The page that takes text apart, against Python's codec."""

import json
import random

import pytest
from pages_to_play_with import HARD_TEXTS

from cs336_bpe.pages import write_utf8_page
from cs336_bpe.pages.play.utf8 import BYTES

MISTAKES = ["80", "bf", "c0 af", "c1 bf", "c2", "c2 41", "e0 80 80", "e0 9f bf", "e0 a0",
            "e0 a0 41", "ed a0 80", "ed bf bf", "ed 9f bf", "ee 80 80", "ef bf", "f0 80 80 80",
            "f0 8f bf bf", "f0 90 80", "f0 90 80 41", "f4 8f bf bf", "f4 90 80 80", "f5 80 80 80",
            "f8 88 80 80 80", "fe", "ff", "ff fe", "e7 e7 8c ab", "f0 9f f0 9f 99 82",
            "c3 c3 a9", "ef bb bf 41"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("utf8") / "utf8.html"
    write_utf8_page(path, "Aé")
    return path


def fill(browser, name, text):
    browser.run(f"{name}.value = {json.dumps(text)}; {name}.dispatchEvent(new Event('input'))")


def by_python(data):
    """Code points, or None, and the bytes of each: from the errors of the strict codec."""
    units = []
    while data:
        try:
            text, wrong = data.decode(), b""
        except UnicodeDecodeError as error:
            text, wrong = data[: error.start].decode(), data[error.start : error.end]
        units += [(ord(character), list(character.encode())) for character in text]
        if wrong:
            units.append((None, list(wrong)))
        data = data[len(text.encode()) + len(wrong) :]
    return units


def test_bytes_are_decoded_as_python_does(browser, page):
    browser.open(page)
    rng = random.Random(6)
    edges = bytes.fromhex("00 41 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ed ee ef f0 f1 f4 f5 ff")
    rows = [*map(bytes.fromhex, [*MISTAKES, *BYTES.values()]), *(t.encode() for t in HARD_TEXTS),
            *(bytes(rng.choices(edges, k=rng.randrange(1, 12))) for _ in range(3000))]
    found = browser.run(f"{json.dumps([list(row) for row in rows])}.map(unitsOf)")
    for row, units in zip(rows, found, strict=True):
        assert [(unit.get("point"), unit["bytes"]) for unit in units] == by_python(row), row
    replaced = browser.run(f"""{json.dumps([list(row) for row in rows])}.map((row) =>
        decoder.decode(Uint8Array.from(row)))""")
    assert replaced == [row.decode("utf-8", "replace") for row in rows]


@pytest.mark.parametrize(("given", "reason"), [
    ("a9", "it can only go on"), ("c0 af", "more bytes than the code point needs"),
    ("e0 80 80", "more bytes than"), ("ed a0 80", "half of a surrogate pair"),
    ("f4 90 80 80", "beyond U+10FFFF"), ("f5 80", "beyond U+10FFFF"), ("ff", "no character"),
    ("e7 8c", "cut short"), ("e7 41", "cut short")])
def test_it_says_what_is_wrong(browser, page, given, reason):
    browser.open(page)
    fill(browser, "hex", given)
    assert reason in browser.text("#said")
    assert "mistake" in browser.text("#counts")
    assert browser.run("input.value") == bytes.fromhex(given).decode("utf-8", "replace")


def test_a_character_down_to_its_bits(browser, page):
    browser.open(page)
    assert browser.text("#counts") == "3 bytes, 2 code points, 2 characters to a reader."
    browser.press("ArrowRight")
    assert browser.text("#said") == "1 / 1. é, U+00E9, number 233: 2 bytes, c3 a9."
    bits = browser.run("""Array.from(byId("bits").rows, (row) => [
        Array.from(row.querySelectorAll(".fixed"), (cell) => cell.textContent).join(""),
        Array.from(row.querySelectorAll(".c0, .c1"), (cell) => cell.textContent).join("")])""")
    assert bits == [["110", "00011"], ["10", "101001"]]
    assert browser.text("#sum") == "00011101001 = 233 = U+00E9"


def test_the_bits_of_many_code_points_add_up(browser, page):
    browser.open(page)
    points = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff, 0x1f642]
    fill(browser, "hex", "".join(map(chr, points)).encode().hex())
    for point in points:
        shown = browser.run("""[byId("sum").textContent, Array.from(byId("bits").rows, (row) =>
            Array.from(row.cells).slice(1, 9).map((cell) => cell.textContent).join(""))]""")
        assert [int(row, 2) for row in shown[1]] == list(chr(point).encode())
        digits, number, name = shown[0].split(" = ")
        assert int(digits, 2) == int(number.replace(",", "")) == point == int(name[2:], 16)
        browser.press("ArrowRight")


@pytest.mark.parametrize(("text", "counts"), [
    ("e\u0301", (3, 2, 1)), ("\U0001f469\u200d\U0001f469\u200d\U0001f467", (18, 5, 1)),
    ("\U0001f44d\U0001f3fd", (8, 2, 1)), ("\U0001f1eb\U0001f1f7!", (9, 3, 2)), ("", (0, 0, 0))])
def test_what_a_reader_sees_as_one(browser, page, text, counts):
    browser.open(page)
    fill(browser, "input", text)
    words = browser.run("byId('counts').textContent.match(/[0-9]+/g).map(Number)")
    assert tuple(words) == counts
    assert browser.run("hex.value") == text.encode().hex(" ")


def test_a_browser_that_knows_no_characters(browser, page):
    browser.open(page)
    browser.run("delete Intl.Segmenter")
    fill(browser, "input", "e\u0301")
    assert browser.text("#counts") == "3 bytes, 2 code points, no mistake."


def test_half_a_pair_in_a_text(browser, page):
    browser.open(page)
    fill(browser, "input", "a\ud83d")
    assert browser.text("#notice").startswith("Half of a surrogate pair has no UTF-8 form")
    assert browser.run("hex.value") == "61 ef bf bd"
    fill(browser, "input", "a\ud83d\ude42")
    assert browser.run("byId('notice').hidden")
    assert browser.run("hex.value") == "61 f0 9f 99 82"


def test_bytes_in_many_spellings(browser, page):
    browser.open(page)
    for given in ("c3a9", "C3 A9", r"\xc3\xa9", "0xc3, 0xA9", " c3\na9 "):
        fill(browser, "hex", given)
        assert browser.run("input.value") == "é"
    fill(browser, "hex", "c3 a")
    assert browser.text("#notice").startswith("a is not a row of bytes")
    assert browser.run("units.length") == 1  # what was there stays
    fill(browser, "hex", "41" * 401)
    assert browser.text("#notice") == "Only the first 400 bytes are shown."
    assert browser.run("units.length") == 400
    browser.press("End")
    assert browser.run("""(() => {
        const chosen = document.querySelector("[aria-current=true]").getBoundingClientRect();
        const list = byId("units").getBoundingClientRect();
        return chosen.top >= list.top - 1 && chosen.bottom <= list.bottom + 1;
    })()""")


def test_examples_and_clicks(browser, page):
    browser.open(page, 400)
    for name, given in BYTES.items():
        browser.page.select_option("#example", label=name)
        assert browser.run("hex.value") == given
        assert ("mistake" in browser.text("#counts")) == (name != "a text")
    browser.click(".units button", 0)
    assert browser.run("now") == 0
    assert browser.run("document.documentElement.scrollWidth") <= 400
