"""What all pages to play with have in common: one row of steps, by keys and by buttons."""

import pytest
from pages_to_play_with import PLAY_PAGES
from readable import assert_readable


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("play")
    for name, write in PLAY_PAGES.items():
        write(folder / f"{name}.html")
    return folder


@pytest.mark.parametrize("name", PLAY_PAGES)
def test_keys_and_buttons(browser, pages, name):
    browser.open(pages / f"{name}.html")
    last = browser.run("lastStep")
    assert last > 2

    def state():
        said = browser.text("#said")
        assert said.startswith(f"{browser.run('now')} / {last}. ")
        assert browser.run("slider.getAttribute('aria-valuetext')") == (
            f"step {browser.run('now')} of {last}")
        assert browser.run("Number(slider.value) === now")
        return browser.run("now")

    assert state() == 0
    for key, expected in [("ArrowLeft", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1),
                          ("End", last), ("ArrowRight", last), ("Home", 0)]:
        browser.press(key)
        assert state() == expected
    assert browser.run("byId('first').disabled && byId('previous').disabled")
    for button, expected in [("next", 1), ("next", 2), ("previous", 1), ("last", last)]:
        browser.click(f"#{button}")
        assert state() == expected
    assert browser.run("byId('last').disabled && document.activeElement === slider")
    browser.press("Home")  # the slider's own key
    assert state() == 0
    browser.press("ArrowRight")
    assert state() == 1
    browser.run("byId('next').focus()")
    browser.press("Control+ArrowRight")  # belongs to the browser
    assert state() == 1
    browser.press("Enter")
    assert state() == 2


@pytest.mark.parametrize("name", PLAY_PAGES)
def test_a_screen_reader_finds_its_way(browser, pages, name):
    browser.open(pages / f"{name}.html")
    assert browser.run("byId('said').getAttribute('aria-live')") == "polite"
    unnamed = browser.run("""Array.from(
        document.querySelectorAll("button, input, select, textarea")).filter((one) =>
            !one.getAttribute("aria-label") && !one.textContent.trim() &&
            !(one.labels && one.labels.length)).map((one) => one.outerHTML)""")
    assert unnamed == []
    pictures = browser.run("""Array.from(document.querySelectorAll("[role=img]"), (one) =>
        one.getAttribute("aria-label"))""")
    assert all(pictures)
    drawn = browser.run("Array.from(document.querySelectorAll('svg'), (one) => "
                        "one.getAttribute('aria-hidden') || one.closest('[aria-hidden]') !== null)")
    assert all(drawn)
    assert browser.run("""Array.from(document.querySelectorAll("section"), (section) =>
        byId(section.getAttribute("aria-labelledby")).tagName)""").count("H2") >= 2


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", PLAY_PAGES)
def test_every_step_fits_and_can_be_read(browser, pages, name, width, dark):
    browser.open(pages / f"{name}.html", width, dark=dark)
    steps = browser.run("""Array.from({length: lastStep + 1}, (_, step) => {
        setStep(step);
        return document.documentElement.scrollWidth;
    })""")
    assert max(steps) <= width
    for step in sorted({0, 1, len(steps) // 2, len(steps) - 2, len(steps) - 1}):
        browser.run(f"setStep({step})")
        assert_readable(browser)
