"""The tables and the plot of docs/corpora/sample.md; see render.py."""

import statistics

from rendering import (
    BLUE,
    GREEN,
    ORANGE,
    PLOT_WIDTH,
    PURPLE,
    load,
    number,
    pyplot,
    save_figure,
    source,
    table,
)


def sampling():
    return load("", "sampling")


def sampling_cells(corpus):
    """For each fraction and way of sampling: what the runs with different seeds have in common."""
    cells = {}
    for row in corpus["rows"]:
        cells.setdefault((row["fraction"], row["smart"]), []).append(row)
    return {key: {
        "bytes": statistics.mean(row["bytes"] for row in rows),
        "spread": max(row["bytes"] for row in rows) / min(row["bytes"] for row in rows) - 1,
        "bytes_per_token": list(zip(*(row["bytes_per_token"] for row in rows
                                      if "bytes_per_token" in row))),
        "merges": min(row["merges"] for row in rows),
        # The least of what was measured: other programs can only add to it.
        "count": min(min(row["count_seconds"]) for row in rows),
        "merge": min(min(row["merge_seconds"]) for row in rows),
        "train": min(count + merge for row in rows
                     for count, merge in zip(row["count_seconds"], row["merge_seconds"])),
        "kinds": statistics.mean(row["kinds"] for row in rows),
        "sample": min(row["sample_seconds"] for row in rows),
    } for key, rows in sorted(cells.items())}


def sampling_way(fraction, smart):
    if fraction == 1:
        return "all but near-duplicates" if smart else "all"
    return f"{fraction:.0%} {'smart' if smart else 'random'}"


def sampling_table(name):
    result = sampling()
    corpus = result["corpora"][name]
    cells = sampling_cells(corpus)
    whole = cells[1.0, False]
    wanted = max(corpus["vocab_sizes"]) - 257
    rows = []
    for (fraction, smart), cell in cells.items():
        row = [sampling_way(fraction, smart), number(cell["bytes"] / 1e6),
               f"{cell['kinds']:,.0f}"]
        for values, best in zip(cell["bytes_per_token"], whole["bytes_per_token"]):
            mean = statistics.mean(values)
            short = "*" if cell["merges"] < wanted else ""
            row.append(f"{mean:.3f}{short}" + (
                "" if len(values) == 1 else f" ({min(values):.3f} to {max(values):.3f})"))
            row.append(f"{round(1 - mean / best[0], 4) + 0.0:.2%}")  # + 0.0: no "-0.00%"
        row += [number(cell["count"]), number(cell["merge"]), number(cell["train"]),
                number(whole["train"] / cell["train"]) + "x",
                number(cell["sample"]) if cell["sample"] else "",
                number(whole["train"] / (cell["train"] + cell["sample"])) + "x"]
        rows.append(row)
    header = ["trained on", "MB", "distinct pretokens"]
    for size in corpus["vocab_sizes"]:
        header += [f"bytes per token, vocabulary {size:,}", "lost"]
    header += ["counting, s", "merging, s", "both, s", "faster", "sampling, s",
               "faster, sampling included"]
    notes = [f"{name}.txt: {corpus['train_bytes'] / 1e6:.0f} MB to learn from, "
             f"{corpus['held_out_bytes'] / 1e6:.1f} MB held out. Bytes per token: the mean "
             f"(and the least and the greatest) of {result['seeds']} seeds. Times: the least that "
             f"was measured, one thread."]
    short = [cell["merges"] for cell in cells.values() if cell["merges"] < wanted]
    if short:
        notes.append(f"*: the text ran out of pairs after {min(short):,} of {wanted:,} merges, for "
                     f"some seeds.")
    return "\n".join([table(header, rows), "", *(note + "  " for note in notes),
                      source(result, texts=[f"{name}.txt"])])


def sampling_claim(_):
    result = sampling()
    rows = []
    for name, corpus in result["corpora"].items():
        cells = sampling_cells(corpus)
        whole = cells[1.0, False]
        for smart in (False, True):
            cell = cells[0.3, smart]
            for place, size in enumerate(corpus["vocab_sizes"]):
                mean = statistics.mean(cell["bytes_per_token"][place])
                rows.append([
                    f"{name}.txt, vocabulary {size:,}", sampling_way(0.3, smart),
                    f"{1 - mean / whole['bytes_per_token'][place][0]:.2%}",
                    number(whole["train"] / cell["train"]) + "x",
                    number(whole["train"] / (cell["train"] + cell["sample"])) + "x",
                    f"{cell['spread']:.0%}"])
    rows.insert(0, ["write-up E", "3 M of 10 M documents", "5-10 %", "3.3x", "", ""])
    header = ["corpus", "trained on", "quality lost", "training faster",
              "faster, sampling included", "sizes of the samples differ by"]
    return "\n".join([table(header, rows, left=2), "",
                      source(result, texts=[f"{name}.txt" for name in result["corpora"]])])


def near_duplicate_rates(_):
    result = sampling()
    rows = [[f"{row['likeness']:.2f}", f"{row['pairs']:,}", f"{row['found']:.1%}"]
            for row in result["error_rates"]]
    return "\n".join([table(["alike", "pairs", "found"], rows, left=0), "", source(result)])


def near_duplicates_found(_):
    result = sampling()
    real = result["on_real_text"]
    rows = [[f"{row['document']:,}", f"{row['likeness']:.3f}", "yes" if row["found"] else "no"]
            for row in real["rows"]]
    return "\n".join([
        table(["document", "most alike to an earlier one", "found"], rows, left=0), "",
        f"The rows are the documents of stories.txt, {real['documents']:,} in all, that are 0.7 or "
        f"more alike to an earlier one, or that were found.  ",
        source(result, texts=["stories.txt"])])


def plot_sampling():
    plt = pyplot()
    result = sampling()
    figure, panels = plt.subplots(2, 1, figsize=(PLOT_WIDTH, 9))
    lines = [("web", 0, BLUE), ("web", 1, ORANGE), ("stories", 0, GREEN)]
    for name, place, colour in lines:
        corpus = result["corpora"][name]
        cells = sampling_cells(corpus)
        whole = cells[1.0, False]
        for smart, style, marker in ((False, "-", "o"), (True, "--", "^")):
            chosen = {f: cell for (f, is_smart), cell in cells.items() if is_smart == smart}
            lost = [[100 * (1 - value / whole["bytes_per_token"][place][0])
                     for value in cell["bytes_per_token"][place]] for cell in chosen.values()]
            panels[0].plot([100 * f for f in chosen], [statistics.mean(values) for values in lost],
                           style, marker=marker, markersize=5, color=colour,
                           label=f"{name}, {corpus['vocab_sizes'][place]:,}, "
                                 f"{'smart' if smart else 'random'}")
            panels[0].vlines([100 * f for f in chosen], list(map(min, lost)), list(map(max, lost)),
                             color=colour, lw=1)
    panels[0].vlines(30, 5, 10, color=PURPLE, lw=4, label="write-up E's claim")
    panels[0].set_ylabel("bytes per token lost, %")
    for name, colour in (("web", BLUE), ("stories", GREEN)):
        cells = sampling_cells(result["corpora"][name])
        whole = cells[1.0, False]["train"]
        for what, style, marker in (("train", "-", "o"), ("sample", ":", "s")):
            chosen = {f: cell["train"] + (cell["sample"] if what == "sample" else 0)
                      for (f, smart), cell in cells.items() if not smart}
            panels[1].plot([100 * f for f in chosen], [whole / t for t in chosen.values()], style,
                           marker=marker, markersize=5, color=colour,
                           label=f"{name}, {'with sampling' if what == 'sample' else 'training'}")
    panels[1].plot(30, 3.3, "D", color=PURPLE, label="write-up E's claim")
    panels[1].axhline(1, color="grey", lw=0.8)
    panels[1].set_yscale("log")
    panels[1].set_yticks([0.2, 0.5, 1, 2, 5, 10])
    panels[1].yaxis.set_major_formatter(plt.FuncFormatter(lambda y, _: f"{y:g}x"))
    panels[1].set_ylabel("faster than training on all")
    for axes in panels:
        axes.set_xscale("log")
        axes.set_xticks([1, 3, 10, 30, 100])
        axes.xaxis.set_major_formatter(plt.FuncFormatter(lambda x, _: f"{x:g} %"))
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.set_xlabel("documents trained on")
        axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.17),
                    ncols=2)
    save_figure(figure, "sampling")


MAKERS = (sampling_table, sampling_claim, near_duplicate_rates, near_duplicates_found)
PLOTS = (plot_sampling,)
