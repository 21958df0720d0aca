"""Links that leave docs/ lead to the source, which the site shows too."""

import re
from collections.abc import Iterator
from pathlib import Path

from cs336_bpe.stages import STAGES

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
LANGUAGES = {".py": "python", ".pyi": "python", ".pyx": "cython", ".pxd": "cython", ".h": "cpp",
             ".md": "markdown", ".toml": "toml", ".sh": "bash", ".js": "javascript",
             ".json": "json"}
LINK = re.compile(r"\]\((\.\.?/[^)#\s]+)(#[^)\s]*)?\)")


def outside(page: str, target: str) -> str | None:
    """The path of a link's target from the root, if it is not in docs/.

    >>> outside("train/index", "../../cs336_bpe/train/steps.pyx"), outside("walk", "./index.md")
    ('cs336_bpe/train/steps.pyx', None)
    """
    path = (DOCS / page).parent.joinpath(target).resolve()
    if path.is_relative_to(DOCS) or not path.is_relative_to(ROOT):
        return None
    return path.relative_to(ROOT).as_posix()


def rewrite(page: str, text: str) -> str:
    """A page's text, in which links that leave docs/ have the scheme `source:`.

    >>> rewrite("walk", "[the registry](../cs336_bpe/stages.py) and [a page](train/index.md)")
    '[the registry](source:cs336_bpe/stages.py) and [a page](train/index.md)'
    """
    def replaced(match: re.Match[str]) -> str:
        path = outside(page, match[1])
        return match[0] if path is None else f"](source:{path})"

    return LINK.sub(replaced, text)


def linked() -> set[Path]:
    """All files and folders outside docs/ that some page leads to."""
    found = {ROOT / "cs336_bpe" / stage.ladder for stage in STAGES}
    for path in DOCS.rglob("*.md"):
        page = path.relative_to(DOCS).with_suffix("").as_posix()
        for match in LINK.finditer(path.read_text("utf-8")):
            target = outside(page, match[1])
            if target is not None and (ROOT / target).exists():
                found.add(ROOT / target)
    for folder in [path for path in found if path.is_dir()]:
        found |= {path for path in folder.iterdir() if path.suffix in LANGUAGES}
    return found


def address(path: str) -> str:
    """The page of a source."""
    return f"source/{path}"


def pages(highlight) -> Iterator[tuple[str, dict[str, str], str]]:  # type: ignore[no-untyped-def]
    """Name, contents and template of a page for each source that is linked."""
    for path in sorted(linked()):
        name = path.relative_to(ROOT).as_posix()
        if path.is_dir():
            files = [file for file in sorted(path.iterdir()) if file.suffix in LANGUAGES]
            items = "".join(f'<li><a href="{path.name}/{file.name}.html">{file.name}</a></li>'
                            for file in files)
            body = f"<ul>{items}</ul>"
        else:
            body = highlight(path.read_text("utf-8"), LANGUAGES.get(path.suffix, "text"))
        yield address(name), {"title": name, "body": f"<h1>{name}</h1>{body}"}, "page.html"
