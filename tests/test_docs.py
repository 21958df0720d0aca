"""The tables in the docs are those of the saved results, and links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md",
         *sorted((ROOT / "docs").rglob("*.md"))]


def test_tables_are_up_to_date():
    done = subprocess.run([sys.executable, str(ROOT / "benchmarks/render.py"), "--check"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_line_begins_with_a_figure():
    """To Markdown it would begin a block of HTML, and a part of the sentence would be lost."""
    for page in PAGES:
        found = re.search(r"^ *<!--(?: */?value\b.*)?$", page.read_text(encoding="utf-8"), re.M)
        assert found is None, f"{page}: {found[0]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_walk_names_each_file_once():
    page = (ROOT / "docs/walk.md").read_text("utf-8")
    files = re.findall(r"^\d+\. \[`([^`]+)`\]\(\.\./cs336_bpe/([^)]+)\)", page, re.M)
    assert len(files) > 20
    for name, target in files:
        assert name == target
        assert page.count(f"`{name}`") == 1
        assert f"{Path(name).name}</text>" in (ROOT / "docs/figures/walk.svg").read_text("utf-8")


def test_the_citation_names_this_version():
    from cs336_bpe import __version__

    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
