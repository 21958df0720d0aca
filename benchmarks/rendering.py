"""What the makers of tables and plots share, and how a page is filled; see render.py."""

import re
from functools import lru_cache

import common
from common import ROOT

BLOCK = re.compile(r"<!-- generated:(\w+) ?(\S*) -->\n(.*?)<!-- /generated -->", re.DOTALL)


def rendered(text, makers):
    """A page with all its tables made anew."""
    def fill(match):
        name, argument = match.group(1), match.group(2)
        if name not in makers:
            raise ValueError(f"there is no maker of tables {name!r}; there are "
                             f"{', '.join(sorted(makers))}")
        return (f"<!-- generated:{' '.join(filter(None, (name, argument)))} -->\n"
                f"{makers[name](argument)}\n<!-- /generated -->")
    return BLOCK.sub(fill, text)


@lru_cache
def load(name, of="train"):
    """A saved result; do not change it."""
    return common.load(of, name)


def table(header, rows, left=1):
    """A Markdown table: the first `left` columns to the left, the others to the right."""
    rule = ["---" if column < left else "---:" for column in range(len(header))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [header, rule, *rows])


def source(result):
    return f"*{result['machine']}. `{result['command']}`*"


def number(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.{1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4}f}"


BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#e69f00", "#009e73", "#cc79a7"
"""Distinguishable to colour-blind readers (the palette of Okabe and Ito)."""


def pyplot():
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "cs336", "font.size": 10, "svg.fonttype": "path"})
    return plt


def save_figure(figure, name):
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    (ROOT / "docs/figures").mkdir(exist_ok=True)
    figure.savefig(ROOT / f"docs/figures/{name}.svg", metadata={"Date": None})
