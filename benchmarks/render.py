"""Write the tables, plots and figures of the docs from the results that were saved.

    python benchmarks/render.py            rewrite them
    python benchmarks/render.py --check    say which pages are out of date, and fail if any is

A table stands between `<!-- generated:NAME ARGUMENT -->` and `<!-- /generated -->`, where NAME is a
function in a `render_*.py` of this folder. A figure in a sentence stands between
`<!-- value:NAME ARGUMENTS -->` and `<!-- /value -->`, where NAME is a function in values.py.
Pictures (render_pictures.py) are drawn from the package, and checked like tables. Plots need
matplotlib (`pip install '.[docs]'`) and are only written, not checked.
"""

import importlib
import sys
from pathlib import Path

from rendering import ROOT, rendered
from values import VALUES

ROOMS = [importlib.import_module(path.stem) for path in sorted(Path(__file__).parent.glob(
    "render_*.py"))]
MAKERS = {maker.__name__: maker for room in ROOMS for maker in room.MAKERS}
PICTURES = {draw.__name__: draw for room in ROOMS for draw in getattr(room, "PICTURES", ())}
PLOTS = [plot for room in ROOMS for plot in getattr(room, "PLOTS", ())]


def main(check):
    stale = []
    for path in [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]:
        before = path.read_text(encoding="utf-8")
        try:
            after = rendered(before, MAKERS, VALUES, path)
        except Exception as error:
            raise SystemExit(f"{path.relative_to(ROOT)}: {error}") from error
        if after != before:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(after, encoding="utf-8")
    for name, draw in PICTURES.items():
        path = ROOT / f"docs/figures/{name}.svg"
        drawn = draw()
        if not path.exists() or path.read_text(encoding="utf-8") != drawn:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(drawn, encoding="utf-8")
    print("out of date:" if check else "rewritten:", ", ".join(stale) or "none")
    if not check:
        for plot in PLOTS:
            plot()
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
