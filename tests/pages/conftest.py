"""A real browser for the tests: headless Chromium, driven by its own protocol over a pipe.

Chromium reads commands from file descriptor 3 and answers on 4, as JSON with a NUL after each, so
no library is needed.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time

import pytest
from tokenizers_to_look_at import large, nasty, trained  # noqa: F401 (fixtures)

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
KEYS = {"Enter": ("\r", 13), "Tab": ("", 9), "Escape": ("", 27), "ArrowRight": ("", 39),
        "ArrowLeft": ("", 37), "ArrowDown": ("", 40), "ArrowUp": ("", 38), "Home": ("", 36),
        "End": ("", 35), " ": (" ", 32)}


# Popen can pass descriptors on, but not renumber them. Both go out of the way first, for one of
# them may be 3 or 4 itself.
LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for end, number in zip(ends, (3, 4)):
    os.dup2(end, number)
    os.close(end)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One tab. Whatever is written to the console, thrown or requested is recorded."""

    def __init__(self, program, folder):
        read_commands, self._commands = os.pipe()
        self._answers, write_answers = os.pipe()
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-dev-shm-usage", "--disable-background-networking",
                   "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(read_commands), str(write_answers), *command],
            pass_fds=(read_commands, write_answers), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        self._buffer = b""
        self._number = 0
        self._session = None
        self.problems, self.requests, self._loaded = [], [], False
        target = next(target for target in self.call("Target.getTargets")["targetInfos"]
                      if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"],
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self._note(answer)

    def _next_message(self, seconds=60):
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._answers, 1 << 16)
            assert data, f"the browser has stopped, with code {self._process.poll()}"
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(parameters["exceptionDetails"])
        elif method == "Runtime.consoleAPICalled":
            self.problems.append(parameters["args"])
        elif method == "Log.entryAdded":
            self.problems.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded = True

    def open(self, path, width=1400, height=900, dark=False):
        """Load a page at a width, in light or dark colours."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        # From a page without anything, so that the pointer of the last test is on no token.
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)
        self._loaded = False
        self.call("Page.navigate", url=path.absolute().as_uri())
        while not self._loaded:
            self._note(self._next_message())
        self.problems.clear()
        self.requests.clear()
        self._loaded = False
        self.call("Page.reload")  # the first load set the size; this one is looked at
        while not self._loaded:
            self._note(self._next_message())

    def run(self, script):
        """The value of an expression on the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).innerText")

    def point_at(self, selector, number=0):
        """Move the pointer over an element, and return where it is."""
        x, y = self.run(f"""(() => {{
            const element = document.querySelectorAll({json.dumps(selector)})[{number}];
            element.scrollIntoView({{block: "center"}});
            const box = element.getClientRects()[0];
            return [box.left + box.width / 2, box.top + box.height / 2];
        }})()""")
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def click(self, selector, number=0):
        x, y = self.point_at(selector, number)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, times=1):
        text, code = KEYS[key]
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text,
                          windowsVirtualKeyCode=code)

    def write(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        self._session = None
        try:
            self.call("Browser.close")
        finally:
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            os.close(self._commands)
            os.close(self._answers)


@pytest.fixture(scope="session")
def shared_browser(tmp_path_factory):
    program = os.environ.get("CS336_BPE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)),
                                                           None)
    if not program:
        pytest.skip("needs a browser: install chromium, or set CS336_BPE_CHROMIUM to one")
    browser = Browser(program, tmp_path_factory.mktemp("chromium"))
    yield browser
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
