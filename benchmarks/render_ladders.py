"""A plot of each ladder: its rungs from top to bottom, and how fast each one is; see render.py.

A line through a mark is the spread of all runs. A hollow mark rests on an extrapolation, because
the stage was stopped before it had done all of the work.
"""

from rendering import BLUE, GREEN, ORANGE, PLOT_WIDTH, current_name, load, pyplot, save_figure

from cs336_bpe import stages

COLOURS = (BLUE, ORANGE, GREEN)
MARKERS = "os^"


def plot_ladder(ladder, title, label, lines):
    """`lines` are (name, {stage: (middle, all, complete)})."""
    rungs = [stage.name for stage in stages.ladder(ladder)]
    figure, axes = pyplot().subplots(figsize=(PLOT_WIDTH, 1.5 + 0.34 * len(rungs)))
    for (name, values), colour, marker in zip(lines, COLOURS, MARKERS):
        rows = [(y, *values[stage]) for y, stage in enumerate(rungs) if stage in values]
        axes.plot([middle for _, middle, _, _ in rows], [y for y, *_ in rows], color=colour,
                  lw=1, alpha=0.6)
        axes.plot([], [], color=colour, marker=marker, label=name)
        for y, middle, all_of_them, complete in rows:
            axes.plot([min(all_of_them), max(all_of_them)], [y, y], color=colour, lw=3, alpha=0.4)
            axes.plot(middle, y, marker, color=colour, ms=6,
                      fillstyle="full" if complete else "none")
    axes.set_xscale("log")
    axes.set_yticks(range(len(rungs)), [stage.removeprefix("stage").replace("_", " ")
                                        for stage in rungs])
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=0.3)
    axes.grid(axis="y", alpha=0.15)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=len(lines),
                columnspacing=1.2, handletextpad=0.3)
    save_figure(figure, f"{ladder}_ladder", title)


def rows_of(ladder, name):
    """The rows of a saved ladder by the names of today; of those with more workers, the first."""
    found = {}
    for row in load(f"ladder_{name}", ladder)["rows"]:
        if row.get("workers", 1) == 1:
            found[current_name(ladder, row["stage"])] = row
    return found


def train_ladder():
    names = {"built_in": "built-in stories", "tinystories": "TinyStories", "web": "web"}
    plot_ladder("train", "Seconds in the merge loop, stage by stage, on three corpora",
                "seconds in the merge loop (hollow: extrapolated)",
                [(label, {stage: (row["whole_seconds"],
                                  row["all_seconds"] if row["complete"] else [row["whole_seconds"]],
                                  row["complete"])
                          for stage, row in rows_of("train", name).items()})
                 for name, label in names.items()])


def pretokenize_ladder():
    plot_ladder("pretokenize", "MB/s of counting pretokens, stage by stage, on two corpora",
                "MB/s, one worker",
                [(label, {stage: (row["num_bytes"] / row["seconds"] / 1e6,
                                  [row["num_bytes"] / one / 1e6 for one in row["all_seconds"]],
                                  True)
                          for stage, row in rows_of("pretokenize", name).items()})
                 for name, label in {"web": "web", "multilingual": "multilingual"}.items()])


def encode_ladder():
    names = {"gpt2": "web", "multilingual": "multilingual", "stories": "stories"}
    plot_ladder("encode", "MB/s of encoding, stage by stage, on three corpora", "MB/s",
                [(label, {stage: (row["bytes_per_second"] / 1e6,
                                  [one / 1e6 for one in row["all_bytes_per_second"]], True)
                          for stage, row in rows_of("encode", name).items()})
                 for name, label in names.items()])


def decode_ladder():
    ways = {"text": "list to text", "list": "list to bytes", "array": "array to bytes"}
    rows = rows_of("decode", "web")
    plot_ladder("decode", "Millions of tokens per second of decoding, stage by stage, in three "
                "ways", "million tokens per second, web text",
                [(label, {stage: (row["num_tokens"] / row["medians"][way] / 1e6,
                                  [row["num_tokens"] / one / 1e6
                                   for one in row["all_seconds"][way]], True)
                          for stage, row in rows.items()})
                 for way, label in ways.items()])


MAKERS = ()
PLOTS = (train_ladder, pretokenize_ladder, encode_ladder, decode_ladder)
