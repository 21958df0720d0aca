"""Links lead to a file and to a heading of it, and every page can be reached from the README.

Addresses outside are in a list, `docs/addresses.md`. Whether they answer is asked by hand.
"""

import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import check_addresses
import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md",
         ROOT / "benchmarks/variants/README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def links(page):
    """(path, anchor) of every link of a page that leads to a file here."""
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not re.match(r"\w+:", link):
            target, _, anchor = link.partition("#")
            yield (page.parent / target).resolve() if target else page, anchor


def anchors(page):
    """The names of a page's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for heading in re.findall(r"^#+ +(.+)$", text, re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for path, anchor in links(page):
        assert path.exists(), path
        if anchor:
            assert anchor in anchors(path), f"{path.name} has no heading #{anchor}"


def test_every_page_can_be_reached():
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached:
            reached.add(page)
            ahead += [path for path, _ in links(page) if path.suffix == ".md"]
    assert set(PAGES) <= reached


def test_every_address_outside_is_in_the_list():
    expected = {address: ", ".join(places) for address, places in check_addresses.named().items()}
    found = {address: places for address, (places, _) in check_addresses.listed().items()}
    assert found == expected


def test_the_list_says_what_is_known_of_each_address():
    known = re.compile(r"not checked|answered on \d{4}-\d\d-\d\d|not fetched; .+")
    for address, (_, checked) in check_addresses.listed().items():
        assert known.fullmatch(checked), address


class Server(BaseHTTPRequestHandler):
    """Has `/page`, refuses HEAD for `/get`, and has nothing else."""

    def do_HEAD(self):
        self.answer(200 if self.path == "/page" else 405)

    def do_GET(self):
        self.answer(200 if self.path in ("/page", "/get") else 404)

    def answer(self, code):
        self.send_response(code)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as running:
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_dead_addresses_are_found(server, tmp_path, monkeypatch, capsys):
    rows = [f"- <{server}/{name}>\n  (README.md): not checked" for name in ("page", "get", "gone")]
    (tmp_path / "addresses.md").write_text("\n".join(rows) + "\n", "utf-8")
    monkeypatch.setattr(check_addresses, "LIST", tmp_path / "addresses.md")
    assert check_addresses.main(["--save"]) == 1
    assert capsys.readouterr().out == f"{server}/gone: 404 Not Found\n3 addresses, 1 dead\n"
    notes = [checked for _, checked in check_addresses.listed().values()]
    assert re.fullmatch(r"answered on [\d-]{10}", notes[0])
    assert notes == [notes[0], notes[0], "not checked"]


def test_an_address_without_a_server_is_dead(server):
    assert check_addresses.trouble(f"{server}/page") == ""
    assert check_addresses.trouble("http://127.0.0.1:1/", seconds=2)
    assert check_addresses.trouble("https://[", seconds=2)
