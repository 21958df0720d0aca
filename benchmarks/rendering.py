"""What the makers of tables and plots share."""

import json
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"


def load(name, of="train"):
    return json.loads((RESULTS / f"{of}_{name}.json").read_text(encoding="utf-8"))


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


def new_figure():
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "cs336", "font.size": 10, "svg.fonttype": "path"})
    return plt.subplots(figsize=(8, 4.2))


def save_figure(figure, name):
    for side in ("top", "right"):
        figure.axes[0].spines[side].set_visible(False)
    figure.tight_layout()
    (ROOT / "docs/figures").mkdir(exist_ok=True)
    figure.savefig(ROOT / f"docs/figures/{name}.svg", metadata={"Date": None})
