"""The pages in a real browser. The `browser` fixture also asserts, after each test, that
nothing was written to the console and that no request left the page."""

import json
import random
import socket
import unicodedata

import pytest
from pages_to_play_with import PLAY_PAGES
from readable import assert_readable, light

from cs336_bpe import PATTERNS, Tokenizer
from cs336_bpe.pages import write_explore_page, write_pattern_page, write_show_page
from cs336_bpe.rules import END_OF_TEXT as END
from cs336_bpe.rules import pattern_name
from cs336_bpe.views.appearance import appearance, label

TEXT = ("Once upon a time, there was a naïve girl.\n\nShe didn't see 東京 in 1969.\n"
        "    العربية and עברית, e\u0301 🙂<|endoftext|>The end of the story")
MORE = ("\u00a0\u2003x\u3000 \t\n  y \x1c\x85z'll DON'T we're ' s''s 12½ ٣٤ ǅ_foo--bar\r\n\r\n"
        "<|endoftext|><|endoftext|> <|endo \ufeff\u200b\u202eabc")
WIDTHS = [400, 1400]
KINDS = ["show", "explore", "pattern", *PLAY_PAGES]


@pytest.fixture(scope="session")
def show_page(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("show") / "show.html"
    write_show_page(trained, TEXT, path)
    return path


@pytest.fixture(scope="session")
def explore_page(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("explore") / "explore.html"
    write_explore_page(trained, path)
    return path


@pytest.fixture(scope="session")
def all_pages(show_page, explore_page, tmp_path_factory):
    folder = tmp_path_factory.mktemp("others")
    write_pattern_page("gpt4", folder / "pattern.html", TEXT)
    for name, write in PLAY_PAGES.items():
        write(folder / f"{name}.html")
    return {"show": show_page, "explore": explore_page,
            **{name: folder / f"{name}.html" for name in KINDS[2:]}}


def ids_of(tokenizer, text):
    return [tokenizer.vocab[number] for number in tokenizer.encode(text)]


def in_script(value):
    return json.dumps(value)


# --- The tokens of a text --------------------------------------------------------------------


def test_the_text_is_shown(browser, show_page, trained):
    browser.open(show_page)
    shown = browser.run("chips.map((chip) => chip.textContent)")
    ends = {"newline": "\n", "tab": "\t"}
    assert shown == ["".join(part.text + ends.get(part.kind, "") for part in appearance(token))
                     for token in ids_of(trained, TEXT)]
    number = len(trained.encode(TEXT))
    assert f"{number} tokens of a vocabulary of 2,000" in browser.text("#summary")
    assert browser.run("document.querySelectorAll('#text .special').length") == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_pointing_shows_id_and_bytes(browser, show_page, trained, width):
    browser.open(show_page, width)
    assert browser.run("tip.hidden")
    for place in (1, 5):
        browser.point_at("#text .token", place)
        number = trained.encode(TEXT)[place]
        tip = browser.text("#tip")
        assert f"id {number}\n" in tip
        assert trained.vocab[number].hex(" ") in tip
        box = browser.run("(({left, right, top, bottom}) => [left, right, top, bottom])"
                          "(tip.getBoundingClientRect())")
        assert box[0] >= 0
        assert box[1] <= width
        assert box[2] >= 0
        assert box[3] <= 900
    browser.point_at("h1")
    assert browser.run("tip.hidden")


def test_clicking_shows_the_tree_of_the_word(browser, show_page, trained):
    browser.open(show_page)
    explanation = trained.explain(TEXT)[1]  # " upon"
    place = len(trained.explain(TEXT)[0].ids)
    browser.click("#text .token", place)
    assert browser.text("#panel h2") == "How ␣upon is merged"
    size = len(explanation.pretoken)
    assert browser.run("document.querySelectorAll('#panel .tree .leaf').length") == size
    nodes = browser.run("Array.from(document.querySelectorAll('#panel .tree .node .rank'), "
                        "(rank) => Number(rank.textContent.slice(1)))")
    assert sorted(nodes) == sorted(explanation.ranks)
    # Step by step, with the button.
    for step in reversed(range(len(explanation.steps))):
        shown = browser.run("Array.from(document.querySelectorAll('#panel .state .token'), "
                            "(token) => token.textContent)")
        assert shown == list(map(label, explanation.steps[step]))
        later = browser.run("document.querySelectorAll('#panel .tree g.later').length")
        assert later == len(explanation.ranks) - step
        if step:
            assert f"merge {explanation.ranks[step - 1]:,}:" in browser.text("#panel .said")
            browser.click("#panel button[aria-label='One step back']")
    assert browser.run("document.querySelector('[aria-label=\"One step back\"]').disabled")
    assert browser.run("document.querySelectorAll('.chosen').length") == len(explanation.ids)


def test_every_word_has_the_steps_that_python_has(browser, show_page, trained):
    browser.open(show_page)
    found = browser.run("""data.text.map((number) => {
        const word = words[number], steps = stepsOf(word);
        return {ranks: steps.map((step) => step.rank), steps: [0, ...steps].map((_, n) =>
            afterSteps(word, steps, n).map((token) => tokens.bytes[token]))};
    })""")
    expected = trained.explain(TEXT)
    assert [word["ranks"] for word in found] == [word.ranks for word in expected]
    assert [[[token.encode("latin-1") for token in step] for step in word["steps"]]
            for word in found] == [word.steps for word in expected]


def test_the_text_page_by_keyboard(browser, show_page, trained):
    browser.open(show_page)
    ids = trained.encode(TEXT)
    browser.press("Tab")
    assert f"id {ids[0]}\n" in browser.text("#tip")
    browser.press("ArrowRight", 3)
    assert f"id {ids[3]}\n" in browser.text("#tip")
    assert f"id {ids[3]}," in browser.run("document.activeElement.getAttribute('aria-label')")
    browser.press("ArrowLeft")
    browser.press("Enter")
    assert browser.run("chosen === chipWords[2]")
    assert "is merged" in browser.text("#panel h2")
    browser.press("ArrowDown")
    line = browser.run("document.activeElement.getBoundingClientRect().top > "
                       "chips[0].getBoundingClientRect().bottom - 4")
    assert line
    browser.press("ArrowUp")
    assert browser.run("chips[current].getBoundingClientRect().top === "
                       "chips[0].getBoundingClientRect().top")
    browser.press("End")
    assert browser.run("current") == len(ids) - 1
    browser.press("Tab")  # into the panel: its first control
    assert browser.run("document.activeElement.getAttribute('aria-label')") == "Close"
    browser.press("Tab")
    browser.press("Tab")  # the button before the slider, then the slider
    before = browser.text("#panel .said")
    browser.press("ArrowLeft")
    assert browser.text("#panel .said") != before
    browser.press("Escape")
    assert browser.text("#panel") == "No word is chosen."
    assert browser.run("document.activeElement === chips[current]")


def test_special_words_single_bytes_and_an_empty_text(browser, show_page, trained, tmp_path):
    browser.open(show_page)
    browser.click("#text .special")
    assert "A special token" in browser.text("#panel")
    place = browser.run("chips.findIndex((chip) => chip.textContent === ',')")
    browser.click("#text .token", place)
    assert "A single byte" in browser.text("#panel")
    write_show_page(trained, "", tmp_path / "empty.html")
    browser.open(tmp_path / "empty.html")
    browser.press("Tab")
    browser.press("ArrowRight")
    assert browser.text("#text") == "The text is empty."
    write_show_page(trained, "the" * 3000, tmp_path / "long.html", limit=1000)
    browser.open(tmp_path / "long.html", 400)
    assert "of 9,000 bytes" in browser.text("#notice")
    browser.click("#text .token")
    assert "longer than 120 bytes" in browser.text("#panel")


# --- The page about a tokenizer --------------------------------------------------------------


@pytest.mark.parametrize("query", ["girl", " the", "␣the", "#300", r"\xc3", "ïve", "HER", "7"])
def test_search_finds_tokens(browser, explore_page, trained, query):
    browser.open(explore_page)
    browser.click("#query")
    browser.write(query)
    found = set(browser.run("found.map((token) => tokens.id[token])"))
    wanted = query.replace("␣", " ").encode().replace(rb"\xc3", b"\xc3").lower()
    expected = {number for number, token in trained.vocab.items() if wanted in token.lower()}
    if query.startswith("#"):
        expected = {300}
    elif query.isdigit():
        expected |= {int(query)}
        assert browser.run("tokens.id[found[0]]") == int(query)
    assert found == expected
    noun = "token" if len(expected) == 1 else "tokens"
    assert browser.text("#found") == f"{len(expected)} {noun}"
    assert browser.run("results.children.length") == min(100, len(expected))
    browser.press("Enter")
    assert browser.run("chosenToken === found[0]")
    browser.run("search()")  # drawn anew, the row is still marked
    assert browser.run("Array.from(results.querySelectorAll('[aria-current=true]'), "
                       "(row) => Number(row.dataset.token))") == [browser.run("chosenToken")]


def test_nothing_found(browser, explore_page):
    browser.open(explore_page)
    browser.click("#query")
    browser.write("</script>")
    assert browser.text("#found") == "No token found"


def test_the_list_is_drawn_as_it_is_scrolled(browser, explore_page):
    browser.open(explore_page)
    assert browser.run("results.children.length") == 100
    browser.run("results.scrollTop = 1e6; new Promise((done) => setTimeout(done, 200))")
    assert browser.run("results.children.length") == 200
    browser.run("byId('order').value = 'long'; byId('order').dispatchEvent(new Event('change'))")
    sizes = browser.run("found.map((token) => tokens.bytes[token].length)")
    assert sizes == sorted(sizes, reverse=True)


def test_the_tree_of_a_token(browser, explore_page, trained):
    browser.open(explore_page)
    token = b" there"
    browser.click("#query")
    browser.write(f"#{trained.id_of(token)}")
    browser.click("#results button")
    assert browser.text("#panel h2") == "Token ␣there"
    explanation = trained.explain(token.decode())[0]
    nodes = browser.run("Array.from(document.querySelectorAll('#panel .tree .node .rank'), "
                        "(rank) => Number(rank.textContent.slice(1)))")
    assert sorted(nodes) == sorted(explanation.ranks)
    # Into a token that it is a part of.
    uses = [left + right for left, right in trained.merges if b" the" in (left, right)]
    browser.run(f"chooseToken(tokens.id.indexOf({trained.id_of(b' the')}))")
    shown = browser.run("Array.from(document.querySelectorAll('.links button'), "
                        "(button) => button.textContent)")
    assert shown == list(map(label, uses))
    browser.click(".links button")
    assert browser.text("#panel h2") == f"Token {label(uses[0])}"


def test_lengths(browser, explore_page, trained):
    browser.open(explore_page)
    rows = browser.run("Array.from(document.querySelectorAll('#lengths button'), "
                       "(row) => Array.from(row.querySelectorAll('span'), (s) => s.textContent))")
    sizes = [len(token) for number, token in trained.vocab.items()
             if number not in trained.special_tokens.values()]
    assert rows[0] == ["1 byte", "256"]
    assert rows[4] == ["5 bytes", str(sizes.count(5))]
    assert sum(int(number.replace(",", "")) for _, number in rows) == len(sizes)
    browser.click("#lengths button", 4)
    assert set(browser.run("found.map((token) => tokens.bytes[token].length)")) == {5}
    assert browser.run("found.length") == sizes.count(5)
    browser.click("#any-length")
    assert browser.run("found.length") == trained.vocab_size


def test_the_slider_goes_through_training(browser, explore_page, trained):
    browser.open(explore_page)
    text = "Once upon a time there was a girl"
    browser.run(f"byId('input').value = {in_script(text)}; "
                "byId('input').dispatchEvent(new Event('input'))")
    browser.click("#slider")  # its middle
    assert 0 < browser.run("count") < len(trained.merges)
    assert browser.run("document.activeElement === slider")
    browser.press("Home")
    assert browser.run("count") == 0
    seen = []
    while not browser.run("byId('next').disabled"):
        browser.click("#next")
        count = browser.run("count")
        seen.append(count)
        shown = browser.run("tokensAfter(encoded, count).map((token) => tokens.bytes[token])")
        smaller = trained.truncated(257 + count)
        assert [token.encode("latin-1") for token in shown] == ids_of(smaller, text)
        assert browser.run("byId('merged').querySelectorAll('.fresh').length") >= 1
        assert browser.run("byId('merged').textContent") == text
    ranks = {rank for word in trained.explain(text) for rank in word.ranks}
    assert seen == sorted(rank + 1 for rank in ranks)
    browser.press("ArrowLeft")  # the focus has moved to the slider, as the button is disabled
    assert browser.run("count") < seen[-1]
    browser.click("#count")
    browser.run("countInput.select()")
    browser.write("10")
    assert "After 10 of 1,743 merges" in browser.text("#progress")
    shown = browser.run("encoded && tokensAfter(encoded, count).length")
    assert shown == len(ids_of(trained.truncated(267), text))


def test_the_page_encodes_as_python_does(browser, explore_page, trained):
    browser.open(explore_page)
    for text in (TEXT, MORE, "", " ", "a" * 300, "\n" * 9 + "x"):
        ids = browser.run(f"encodeText({in_script(text)}).map((token) => tokens.id[token])")
        assert ids == trained.encode(text)


@pytest.mark.parametrize("pattern", [*PATTERNS, r"[a-z]+|[^a-z]"])
def test_the_page_splits_by_the_tokenizers_pattern(browser, trained, tmp_path, pattern):
    tokenizer = Tokenizer(trained.vocab, trained.merges, ["<|endoftext|>"], pattern=pattern)
    write_explore_page(tokenizer, tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    for text in (TEXT, MORE, "", "HTMLParser's 12345\n \n  x/\n"):
        ids = browser.run(f"encodeText({in_script(text)}).map((token) => tokens.id[token])")
        assert ids == tokenizer.encode(text)
    assert f"by the pattern {pattern_name(tokenizer.pattern)}." in browser.text("#summary")


@pytest.mark.parametrize("pattern", [r"(?<=a)b|.|\n", "[a-z]+"], ids=["look-behind", "gaps"])
def test_a_pattern_that_the_page_can_not_follow(browser, trained, tmp_path, pattern):
    tokenizer = Tokenizer(trained.vocab, trained.merges, pattern=pattern)
    write_explore_page(tokenizer, tmp_path / "page.html", "abthegirl")
    browser.open(tmp_path / "page.html")
    assert "the text can’t be changed here" in browser.text("#own-text")
    ids = browser.run("encoded.map((token) => tokens.id[token])")
    assert ids == tokenizer.encode("abthegirl")


def test_the_page_encodes_as_gpt2_does(browser, real_data, tmp_path):
    folder = real_data / "cs336"
    gpt2 = Tokenizer.from_files(folder / "gpt2_vocab.json", folder / "gpt2_merges.txt", [END])
    write_explore_page(gpt2, tmp_path / "gpt2.html")
    browser.open(tmp_path / "gpt2.html")
    for name in ("multilingual.txt", "code.txt", "web.txt"):
        with open(real_data / "corpora" / name, "rb") as file:
            text = file.read(20_000).decode("utf-8", "ignore")
        ids = browser.run(f"encodeText({in_script(text)}).map((token) => tokens.id[token])")
        assert ids == gpt2.encode(text)


def test_a_long_text_on_the_tokenizer_page(browser, trained, tmp_path):
    write_explore_page(trained, tmp_path / "long.html", "the girl " * 1000)
    browser.open(tmp_path / "long.html", 400)
    assert "the first 3,999 bytes" in browser.text("#own-text")
    assert len(browser.run("byId('input').value")) == 3999


def test_compression(browser, explore_page):
    browser.open(explore_page)
    rows = browser.run("Array.from(document.querySelectorAll('#ratios td'), "
                       "(td) => td.textContent)")
    assert rows[:2] == ["257", "1.00"]
    assert rows[-2] == "2,000"
    assert f"{rows[-1]} bytes per token" in browser.text("#reading")
    browser.run("chart.focus()")
    browser.press("Home")
    assert "With 257 tokens: 1.00 bytes per token" in browser.text("#reading")
    browser.press("ArrowRight")
    assert f"With {rows[2]} tokens: {rows[3]}" in browser.text("#reading")
    browser.point_at("#chart circle", len(rows) // 2 - 1)
    assert "With 2,000 tokens" in browser.text("#reading")


def test_the_tokenizer_page_by_keyboard(browser, explore_page):
    browser.open(explore_page)
    reached = []
    for _ in range(60):
        browser.press("Tab")
        name = browser.run("document.activeElement.id || document.activeElement.className || "
                           "document.activeElement.tagName")
        if name == "BODY":
            break
        reached.append(name)
    for name in ("input", "slider", "count", "query", "order", "steps", "scroll", "chart"):
        assert name in reached
    # One stop for a list of a hundred buttons.
    assert len(reached) < 50
    browser.run("query.focus()")
    browser.press("ArrowDown", 3)
    browser.press("Enter")
    assert browser.run("chosenToken === found[2]")
    browser.press("End")
    browser.press("ArrowDown")
    assert browser.run("results.children.length") == 200
    assert browser.run("document.activeElement === results.children[100].firstChild")
    browser.press("Home")
    browser.press("ArrowUp")
    assert browser.run("document.activeElement === query")


def test_fifty_thousand_tokens(browser, large, tmp_path):
    write_explore_page(large, tmp_path / "large.html")
    browser.open(tmp_path / "large.html", 400)
    assert browser.run("found.length") == large.vocab_size == 50_000
    assert browser.run("document.getElementsByTagName('*').length") < 5000
    browser.click("#query")
    browser.write("xyz")
    assert browser.run("found.map((token) => tokens.id[token])") == [
        number for number, token in large.vocab.items() if b"xyz" in token]


# --- All of them -------------------------------------------------------------------------------


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["show", "explore"])
def test_harmful_tokens_do_no_harm(browser, nasty, trained, tmp_path, kind, width):
    text = "\n".join(token.decode("utf-8", "replace") for token in nasty.vocab.values())
    if kind == "show":
        write_show_page(nasty, text, tmp_path / "page.html", title="</title><b>")
    else:
        write_explore_page(nasty, tmp_path / "page.html", text[:3000], title="</title><b>")
    browser.open(tmp_path / "page.html", width)
    assert browser.text("h1") == "</title><b>"
    if kind == "show":
        assert browser.run("chips.map((chip) => tokens.id[chipTokens[chip.dataset.n]])") == (
            nasty.encode(text))
        browser.click("#text .token", 3)
    else:
        assert browser.run("encoded.map((token) => tokens.id[token])") == nasty.encode(text[:3000])
        browser.run("for (let token = 0; token < tokens.id.length; token++) chooseToken(token)")
        browser.run("chooseToken(tokens.id.indexOf(900))")
        assert "No merge makes it" in browser.text("#panel")
    assert browser.run("document.querySelectorAll('img, b:not(#tip b), script').length") == 2
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_tokens_look_the_same_as_in_python(browser, explore_page, nasty):
    browser.open(explore_page)
    rng = random.Random(5)
    alphabet = ("aZ \n\t\0\x1b\x7f\x85\xa0éß\u0301\u200b\u200d\u202e\u2028\u3000東\ue000\ufeff🙂"
                "\U000e0001")
    tokens = [*nasty.vocab.values(), *(bytes([a, b]) for a in range(0, 256, 3) for b in range(256))]
    for _ in range(2000):
        token = "".join(rng.choices(alphabet, k=rng.randrange(1, 6))).encode()
        start = rng.randrange(len(token))
        tokens.append(token[start : rng.randrange(start, len(token)) + 1])
        tokens.append(rng.randbytes(rng.randrange(1, 8)))
    # Python and the browser may follow different versions of Unicode.
    tokens = [token for token in tokens if not any(
        unicodedata.category(c) == "Cn" for c in token.decode("utf-8", "ignore"))]
    asked = in_script([token.decode("latin-1") for token in tokens])
    assert browser.run(f"{asked}.map((token) => appearance(token))") == [
        [list(part) for part in appearance(token)] for token in tokens]
    assert browser.run(f"{asked}.map((token) => label(token))") == list(map(label, tokens))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_usable_at_every_width_and_readable(browser, all_pages, kind, width, dark, tmp_path):
    browser.open(all_pages[kind], width, dark=dark)
    if kind == "show":
        browser.click("#text .token", 1)
    assert browser.run("document.documentElement.scrollWidth") <= width
    # Nothing that can be used lies outside, unless its own box scrolls.
    outside = browser.run("""Array.from(
        document.querySelectorAll("button, input, select, h1, h2, p"))
        .filter((element) => element.offsetParent && !element.closest(".scroll, .gone"))
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
        .map((element) => element.outerHTML)""")
    assert outside == []
    small = browser.run("""Array.from(document.querySelectorAll("button, input, select"))
        .filter((element) => element.offsetParent && element.offsetHeight < 24)
        .map((element) => element.outerHTML)""")
    assert small == []
    assert_readable(browser)
    page = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(light(page)) < 0.1) == dark
    browser.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 5000


@pytest.mark.parametrize("kind", KINDS)
def test_even_a_script_on_the_page_gets_nowhere(browser, all_pages, kind):
    """If a token did get into the page as HTML, the policy would stop it."""
    browser.open(all_pages[kind])
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        reached = browser.run(f"fetch({in_script(address)}).then(() => true, () => false)")
        assert reached is False
        browser.run(f"""document.body.insertAdjacentHTML("beforeend",
            '<img src="{address}" onerror="window.harmed = true">' +
            '<object data="{address}"></object>' +
            '<link rel="stylesheet" href="{address}"><p style="color: red" id="red">')""")
        browser.run("new Promise((done) => setTimeout(done, 300))")
        with pytest.raises(TimeoutError):
            server.accept()
    assert browser.run("window.harmed") is None
    assert browser.run("getComputedStyle(document.getElementById('red')).color") != "rgb(255, 0, 0)"
    assert any("Content Security Policy" in str(problem) for problem in browser.problems)
    browser.problems.clear()  # those were meant to be
    browser.requests[:] = [url for url in browser.requests if url.startswith("file:")]
