"""The page about a pattern in a real browser; the `browser` fixture asserts that nothing was
written to the console and that no request left the page."""

import json

import pytest
import regex

from cs336_bpe import PATTERNS
from cs336_bpe.pages import write_pattern_page
from cs336_bpe.patterns import compile_pattern
from cs336_bpe.views.automata import pieces

TEXTS = ["It's 12345 o'clock, WE'LL see!\n\n  naïve 東京の\t\r\n", "", " ", "\n \n  x", "a  b   c",
         "'l'l'll 've'r e\u0301\u00a0\u3000 🙂🙂 ٣٤ ½ HTMLParser's/\n//x \x1c\x85", "'", "0" * 10,
         "\U000e0001\ufeff\u202e हिन्दी"]
WIDTHS = [400, 1400]


@pytest.fixture(scope="module")
def gpt2_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("pattern") / "gpt2.html"
    write_pattern_page("gpt2", path, "It's  ok")
    return path


def fill(browser, text):
    browser.run(f"input.value = {json.dumps(text)}; input.dispatchEvent(new Event('input'))")


@pytest.mark.parametrize("name", [*PATTERNS, "[a-z]+(?!x)|[0-9]{2}", "(?:ab|a)(?:c|bcd)"])
def test_the_page_splits_as_python_does(browser, tmp_path, name):
    write_pattern_page(name, tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    pattern = PATTERNS.get(name, name)
    for text in [*TEXTS, "abcd abc abcdx abxx 123 4 5678"]:
        found = browser.run(f"""((text) => walk(text).pieces.map(([start, stop, match]) =>
            [text.slice(start, stop).join(""), match]))(Array.from({json.dumps(text)}))""")
        matches = [piece for piece, match in found if match]
        assert matches == regex.findall(pattern, text)
        merged = [(piece, True) for piece in matches]
        assert [piece for piece in pieces(compile_pattern(pattern), text) if piece[1]] == merged
        assert "".join(piece for piece, _ in found) == text


def test_step_by_step(browser, gpt2_page):
    browser.open(gpt2_page)
    assert "11 states, 10 classes" in browser.text("#summary")
    told = []
    while not browser.run("byId('next').disabled"):
        told.append(browser.text("#said"))
        state, column = browser.run("[walked.steps[now].state, walked.steps[now].column]")
        assert browser.run("rows.findIndex((row) => row.classList.contains('now'))") == state
        assert browser.run(f"cells[{state}][{column}].classList.contains('here')")
        assert browser.run("document.querySelectorAll('#table td.here').length") == 1
        browser.click("#next")
    assert told[0] == "0 / 11. State 0; next is “I”, class a: go on in state 6."
    assert told[2] == ("2 / 11. State 6; next is “'”, class ': the match ends, “It”, and a new one "
                       "starts: state 4.")
    assert "a match may end before it, which is marked" in told[5]
    assert told[6].endswith("The last one could end at the mark: “␣”. Start again there.")
    assert browser.text("#said") == "11 / 11. The text has ended: 4 pretokens."
    shown = browser.run("Array.from(byId('text').querySelectorAll('.token'), "
                        "(piece) => piece.textContent)")
    assert shown == ["It", "'s", "␣", "␣ok"]
    assert browser.run("document.activeElement === slider")  # the button has become useless
    browser.press("ArrowLeft", 5)
    assert browser.run("now") == 6
    assert browser.run("document.querySelectorAll('.mark').length") == 1


def test_ends_of_lines_are_those_of_the_text(browser, tmp_path):
    """A browser makes one character of the two in a box of text."""
    write_pattern_page("gpt2", tmp_path / "page.html", "a\r\nb")
    browser.open(tmp_path / "page.html")
    assert browser.run("characters.join('')") == "a\r\nb"
    fill(browser, "a\r\nb")
    assert browser.run("characters.join('')") == "a\nb"


def test_by_keyboard(browser, gpt2_page):
    browser.open(gpt2_page)
    browser.press("ArrowRight", 3)
    assert browser.run("now") == 3
    browser.press("End")
    assert browser.run("now === walked.steps.length")
    browser.press("Home")
    assert browser.run("now") == 0
    reached = []
    for _ in range(12):
        browser.press("Tab")
        reached.append(browser.run("document.activeElement.id || document.activeElement.className"))
    for name in ("input", "slider", "next", "last", "scroll"):
        assert name in reached
    browser.run("input.focus()")
    browser.press("ArrowRight")  # moves in the text, and not through the steps
    assert browser.run("now") == 0
    browser.press("End")
    browser.write("!")
    assert browser.run("input.value") == "It's  ok!"
    assert browser.run("walked.pieces.length") == 5


def test_a_long_text_is_cut(browser, tmp_path):
    write_pattern_page("gpt4", tmp_path / "long.html", "ab " * 1000)
    browser.open(tmp_path / "long.html", 400)
    assert browser.text("#notice") == "Only the first 2,000 characters are used."
    assert browser.run("characters.length") == 2000
    fill(browser, "short")
    assert browser.run("byId('notice').hidden")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_usable_at_every_width(browser, tmp_path, width, dark):
    write_pattern_page("gpt4o", tmp_path / "page.html", title="</title><b>")
    browser.open(tmp_path / "page.html", width, dark=dark)
    assert browser.text("h1") == "</title><b>"
    for step in range(browser.run("walked.steps.length")):
        browser.run(f"setStep({step})")
        inside = browser.run("""(() => {
            const cell = document.querySelector("#table td.here").getBoundingClientRect();
            const box = byId("table").parentElement.getBoundingClientRect();
            return cell.left >= box.left - 1 && cell.right <= box.right + 1;
        })()""")
        assert inside, step
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('img, script').length") == 2
