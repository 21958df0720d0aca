"""The tables and the plot of docs/benchmarks.md, of a saved run of pytest-benchmark; see render.py.

    python benchmarks/render_runs.py RUN.json FIGURE.svg     the plot of a run of your own
"""

import json
import sys
import textwrap
from pathlib import Path

import equal_work
from rendering import (
    BLUE,
    ORANGE,
    PLOT_WIDTH,
    RESULTS,
    current_name,
    not_measured,
    pyplot,
    save_figure,
    table,
)

from cs336_bpe import stages

RUN = RESULTS / "pytest_run.json"


def read_run(path):
    """The rows of a run that was saved with `--benchmark-save` or `--benchmark-json`, by group."""
    run = json.loads(Path(path).read_text(encoding="utf-8"))
    if not isinstance(run, dict) or "benchmarks" not in run:
        raise SystemExit(f"{path} is not a saved run of pytest-benchmark: it has no 'benchmarks'")
    groups = equal_work.by_group(run["benchmarks"])
    if any("bytes_per_second" not in row["extra_info"] for rows in groups.values() for row in rows):
        raise SystemExit(f"{path} is a run of other benchmarks: a row has no bytes_per_second")
    for row in (row for rows in groups.values() for row in rows):
        info = row["extra_info"]
        now = info["stage"] and current_name(info["ladder"], info["stage"])
        if now != info["stage"]:
            info["stage"], row["name"] = now, now.partition("_")[0]
    return run, groups


def saved_run(ladder):
    """The tables of a ladder's groups."""
    run, groups = read_run(RUN)
    of_ladder = {row["extra_info"]["stage"] for name, rows in groups.items() for row in rows
                 if name.startswith(f"{ladder}:")}
    parts = []
    for name, rows in groups.items():
        if not name.startswith(f"{ladder}:"):
            continue
        header, *lines = equal_work.cells(rows)
        lines = [[line[0], line[-1], *line[1:-1]] for line in lines]
        parts += [f"**{name.partition(': ')[2]}**", "",
                  table([header[0], header[-1], *header[1:-1]], lines, left=2), ""]
        measured = {row["extra_info"]["stage"] for row in rows}
        if left_out := [stage.number for stage in stages.ladder(ladder)
                        if stage.name in of_ladder and stage.name not in measured]:
            parts += [f"Left out, because they would need longer than the budget: "
                      f"{', '.join(left_out)}.", ""]
    parts += not_measured(ladder, filter(None, of_ladder))
    cpu, python = run["machine_info"]["cpu"], run["machine_info"]["python_version"]
    timers = ", ".join(dict.fromkeys(row["options"]["timer"] for row in run["benchmarks"]))
    return "\n".join([*parts, f"*{cpu.get('brand_raw', 'unknown processor')}, {cpu['count']} "
                              f"cores; CPython {python}; timed by {timers}. [Generated text]"
                              f"(@docs/corpora/generated.md). `{run['command']}`. "
                              f"{run['datetime'][:10]}*"])


def draw(path):
    """Bars for the speed of every row, a panel for every group, logarithmic."""
    _, groups = read_run(path)
    heights = [len(rows) + 3.5 for rows in groups.values()]
    figure, panels = pyplot().subplots(len(groups), 1, figsize=(PLOT_WIDTH, 0.26 * sum(heights)),
                                       height_ratios=heights, squeeze=False)
    for axes, (name, rows) in zip(panels[:, 0], groups.items()):
        key, unit = (("merges_per_second", "merges/s") if name.startswith("train")
                     else ("bytes_per_second", "bytes/s"))
        speeds = [row["extra_info"][key] for row in rows]
        colours = [BLUE if row["extra_info"]["stage"] else ORANGE for row in rows]
        axes.barh(range(len(rows)), speeds, color=colours, height=0.7)
        axes.set_yticks(range(len(rows)), [row["name"] for row in rows], fontsize=10)
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlim(left=min(speeds) / 2)
        axes.set_title(textwrap.fill(f"{name} ({unit})", 50), fontsize=10, x=-0.35, loc="left")
        axes.tick_params(axis="x", labelsize=10)
        axes.grid(axis="x", alpha=0.3)
    return figure


def plot_saved_run():
    save_figure(draw(RUN), "pytest_run")


def main(arguments):
    if len(arguments) != 2:
        raise SystemExit("usage: python benchmarks/render_runs.py RUN.json FIGURE.svg")
    figure = draw(arguments[0])
    figure.tight_layout()
    figure.savefig(arguments[1])
    print(f"{arguments[1]}: written")


MAKERS = (saved_run,)
PLOTS = (plot_saved_run,)


if __name__ == "__main__":
    main(sys.argv[1:])
