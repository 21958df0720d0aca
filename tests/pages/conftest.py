"""A real browser for the tests: headless Chromium, driven by Playwright.

Playwright's own browsers are not downloaded: the system's Chromium is used (`executable_path`).
Without one of the two, these tests are skipped.
"""

import os
import shutil

import pytest
from tokenizers_to_look_at import large, nasty, trained  # noqa: F401 (fixtures)

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


class Browser:
    """One tab. Whatever is written to the console, thrown or requested is recorded."""

    def __init__(self, page):
        self.page = page
        self.problems, self.requests = [], []
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, path, width=1400, height=900, dark=False):
        """Load a page at a width, in light or dark colours."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        self.page.mouse.move(0, 0)  # so that the pointer of the last test is on no token
        self.page.goto("about:blank")
        self.problems.clear()
        self.requests.clear()
        self.page.goto(path.absolute().as_uri())

    def run(self, script):
        """The value of an expression on the page."""
        return self.page.evaluate(script)

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def point_at(self, selector, number=0):
        """Move the pointer over an element: its first line, if it goes over several."""
        self.page.mouse.move(*self.page.locator(selector).nth(number).evaluate("""(element) => {
            element.scrollIntoView({block: "center"});
            const box = element.getClientRects()[0];
            return [box.left + box.width / 2, box.top + box.height / 2];
        }"""))

    def click(self, selector, number=0):
        self.point_at(selector, number)
        self.page.mouse.down()
        self.page.mouse.up()

    def press(self, key, times=1):
        for _ in range(times):
            self.page.keyboard.press(key)

    def write(self, text):
        self.page.keyboard.insert_text(text)

    def screenshot(self, path):
        self.page.screenshot(path=path)


@pytest.fixture(scope="session")
def shared_browser():
    api = pytest.importorskip("playwright.sync_api", reason="needs cs336-bpe[browser]: playwright")
    program = os.environ.get("CS336_BPE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)),
                                                           None)
    if not program:
        pytest.skip("needs a browser: install chromium, or set CS336_BPE_CHROMIUM to one")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield Browser(browser.new_page())
        browser.close()


@pytest.fixture
def browser(shared_browser):
    """The browser. At the end of each test nothing has gone wrong on the page, and the only
    thing that was ever asked for is the file itself."""
    yield shared_browser
    shared_browser.run("1")  # whatever has happened until now is noted
    assert shared_browser.problems == []
    assert {url.partition(":")[0] for url in shared_browser.requests} <= {"file"}
    assert len(set(shared_browser.requests)) <= 1
