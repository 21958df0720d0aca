"""Links lead to a file and to a heading of it, and every page can be reached from the README."""

import re
from pathlib import Path

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
