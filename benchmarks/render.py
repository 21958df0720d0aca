"""Write the tables and plots of the docs from the results that were saved. Nothing is typed.

    python benchmarks/render.py            rewrite them
    python benchmarks/render.py --check    say which pages are out of date, and fail if any is

A table stands between `<!-- generated:NAME ARGUMENT -->` and `<!-- /generated -->`, where NAME is a
function below. Plots need matplotlib (`pip install '.[docs]'`) and are only written, not checked.
"""

import json
import math
import re
import statistics
import sys
from pathlib import Path

from cs336_bpe import accounting
from cs336_bpe import ladder as ladders

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
LADDERS = ["ladder_course", "ladder_built_in", "ladder_stories", "ladder_tinystories",
           "ladder_web"]
SHORT = {"ladder_course": "corpus.en, 500", "ladder_built_in": "built-in stories 5 MB, 2,000",
         "ladder_stories": "stories 21 MB, 4,096",
         "ladder_tinystories": "TinyStories-train, 10,000", "ladder_web": "web 100 MB, 32,000"}


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


def ladder(name):
    """A whole ladder on one corpus."""
    result = load(name)
    header, *rows = ladders.table(result["rows"])
    rows = [[row[0], row[6], *row[1:6]] for row in rows]
    corpus = result["corpus"]
    lines = [
        f"**{result['title']}** ({corpus['kinds']:,} kinds of pretokens)", "",
        table([header[0], header[6], *header[1:6]], rows, left=2), "",
        *(f"{note}  " for note in ladders.footnotes(result["rows"])), source(result),
    ]
    return "\n".join(lines)


def stage(name):
    """One stage and its predecessor, on every corpus."""
    rows = []
    machines = set()
    for ladder_name in LADDERS:
        result = load(ladder_name)
        machines.add(result["machine"])
        runs = [row["stage"] for row in result["rows"]]
        at = runs.index(name)
        run, before = result["rows"][at], result["rows"][at - 1] if at else None
        about = "" if before is None or (run["complete"] and before["complete"]) else "~"
        rows.append([
            SHORT[ladder_name],
            ("" if before is None else
             ("" if before["complete"] else "~") + number(before["whole_seconds"])),
            ("" if run["complete"] else "~") + number(run["whole_seconds"]),
            "" if before is None else about + number(run["gain"]) + "x",
            f"{run['num_merges'] / run['seconds']:,.0f}",
            "" if before is None else f"{before['peak_bytes'] / 1e6:,.0f}",
            f"{run['peak_bytes'] / 1e6:,.0f}",
        ])
    header = ["corpus, vocabulary", "before, s", "this stage, s", "gain", "merges/s",
              "peak before, MB", "peak, MB"]
    if before is None:
        rows = [[row[0], row[2], row[4], row[6]] for row in rows]
        header = [header[0], "seconds", header[4], header[6]]
    note = "See [how to read the tables](index.md#how-to-read-the-tables)."
    if any("~" in cell for row in rows for cell in row):
        note = "`~`: extrapolated from the merges that fit into the time limit. " + note
    return "\n".join([table(header, rows), "", note + "  ",
                      f"*{' / '.join(sorted(machines))}. `python benchmarks/run_train.py "
                      f"{' '.join(LADDERS)}`*"])


def profile(name):
    result = load("profiles")
    seen = result["stages"][name]
    rows = [[f"`{row['function']}`", f"{row['share']:.0%}", f"{int(row['calls']):,}"]
            for row in seen["rows"]]
    return "\n".join([
        table(["function", "own time", "calls"], rows), "",
        f"*First {seen['merges']:,} merges on 5 MB of built-in stories, under cProfile (which "
        f"makes calls look dearer than they are). {result['machine']}. `{result['command']}`*"])


def ratios(_):
    result = load("ratios")
    medians = result["medians"]
    rows = [[name, number(medians[name]), f"{number(min(values))} to {number(max(values))}",
             "" if name == "stage09" else number(medians[name] / medians["stage09"]) + "x"]
            for name, values in result["seconds"].items()]
    return "\n".join([table(["stage", "median, s", "spread", "stage09 is faster by"], rows), "",
                      "TinyStories-train, vocabulary 10,000; five rounds, interleaved.  ",
                      source(result)])


def peers(_):
    result = load("peers")
    medians = result["medians"]
    rows = []
    for name, values in result["seconds"].items():
        label = f"{name} {result['versions'][name]}" if name in result["versions"] else name
        spread = f"{number(min(values))} to {number(max(values))}"
        rows.append([label, number(medians[name]), spread,
                     number(medians[name] / medians["stage09"]) + "x"])
    return "\n".join([
        table(["merge phase of", "median, s", "spread", "times stage09"], rows), "",
        f"100 MB of web text ({result['corpus']['kinds']:,} kinds), vocabulary "
        f"{result['vocab_size']:,}, one thread each; five rounds, interleaved, each in a fresh "
        f"process. Stage09 includes building its arrays from a Python dict.  ", source(result)])


def pathological(_):
    result = load("pathological")
    base = result["rows"][0]["ns_per_byte"]
    rows = [[row["case"], f"{row['bytes']:,}", f"{row['merges']:,}", number(row["seconds"]),
             number(row["ns_per_byte"]), number(row["ns_per_byte"] / base) + "x",
             number(row["peak_per_byte"])]
            for row in result["rows"]]
    return "\n".join([table(["counts", "bytes", "merges", "seconds", "ns a byte", "of web text's",
                             "peak, bytes a byte"], rows), "", source(result)])


def memory(_):
    result = load("memory")
    rows = [[row["case"], f"{row['kinds']:,}", f"{row['bytes']:,}", f"{row['merges']:,}",
             number(row["peak_bytes"] / 1e6), number(row["peak_per_byte"]), number(row["seconds"])]
            for row in result["rows"]]
    return "\n".join([table(["counts", "kinds", "bytes", "merges", "peak, MB",
                             "peak, bytes a byte", "seconds"], rows), "", source(result)])


PREDICTED = {"serial (stage01)": "1x",
             "a pool for every merge, tasks of 100 words": "1.5-2x",
             "+ one pool for all merges": "3-4x", "+ tasks of 10,000 words": "5-8x",
             "+ words seen 5 times or more": "8-15x",
             "serial, words seen 5 times or more": "(not predicted)"}


def detour(_):
    result = load("detour")
    medians = result["medians"]
    serial = medians["serial (stage01)"]
    rows = [[name, PREDICTED[name], number(serial / medians[name]) + "x", number(medians[name]),
             f"{number(min(values))} to {number(max(values))}"]
            for name, values in result["seconds"].items()]
    return "\n".join([
        table(["version", "predicted", "measured", "median, s", "spread"], rows), "",
        f"First {result['merges']} merges on 5 MB of built-in stories, two processes on two cores; "
        f"three rounds, interleaved.  ", source(result)])


def detour_changes(_):
    result = load("detour")
    rows = [[row["min_frequency"], f"{row['kinds']:,}", f"{row['text']:.1%}",
             "none" if row["first_difference"] is None else f"{row['first_difference']:,}",
             f"{row['shared']:.1%}"] for row in result["changes"]]
    return "\n".join([
        table(["min_frequency", "kinds kept", "text kept", "first merge that differs",
               "tokens shared"], rows, left=0), "",
        "5 MB of built-in stories, vocabulary 4,000.  ", source(result)])


def counting_ladder(name):
    """The pretokenization ladder on one corpus."""
    result = load(f"ladder_{name}", "pretokenize")
    header, *rows = ladders.counting_table(result["rows"])
    rows = [[row[0], row[6], *row[1:6]] for row in rows]
    return "\n".join([
        f"**{result['title']}** ({result['rows'][0]['kinds']:,} kinds of pretokens)", "",
        table([header[0], header[6], *header[1:6]], rows, left=2), "", source(result)])


def threads(_):
    result = load("threads", "pretokenize")
    rows = []
    median = {count: statistics.median(values) for count, values in result["seconds"].items()}
    for count, values in result["seconds"].items():
        spread = f"{number(min(values))} to {number(max(values))}"
        rows.append([count, number(median[count]), spread,
                     number(result["num_bytes"] / median[count] / 1e6),
                     number(median["1"] / median[count]) + "x",
                     number(min(result["seconds"]["1"]) / min(values)) + "x"])
    return "\n".join([table(["threads", "median, s", "spread", "MB/s", "gain (medians)",
                             "gain (least)"], rows, left=0), "", source(result)])


def workers(stage_number):
    result = load("workers", "pretokenize")
    rows = [row for row in result["rows"] if row["stage"].startswith(stage_number)]
    cells = [[row["workers"], number(row["seconds"]),
              number(result["num_bytes"] / row["seconds"] / 1e6),
              number(rows[0]["seconds"] / row["seconds"]) + "x"] for row in rows]
    what = "processes" if stage_number == "stage03" else "threads"
    return "\n".join([table([what, "seconds", "MB/s", "gain"], cells, left=0), "",
                      "100 MB of web text.  ", source(result)])


def end_to_end(_):
    result = load("end_to_end", "pretokenize")
    rows = []
    for name, one in result["corpora"].items():
        for peer, values in one["seconds"].items():
            label = f"{peer} {result['versions'].get(peer, '')}".strip()
            rows.append([f"{name}.txt, {one['num_bytes'] / 1e6:.0f} MB", label,
                         number(one["medians"][peer]),
                         f"{number(min(values))} to {number(max(values))}",
                         number(one["medians"][peer] / one["medians"]["cs336_bpe"]) + "x"])
    header = ["corpus", "trainer", "median, s", "spread", "times ours"]
    note = ("Vocabulary 32,000, one thread each; five rounds (two of tokenizers), interleaved, "
            "each in a fresh process.  ")
    return "\n".join([table(header, rows, left=2), "", note, source(result)])


def large(_):
    result = load("large", "pretokenize")
    rows = [[row["case"], row["workers"], f"{row['num_bytes']:,}", number(row["seconds"]),
             number(row["seconds"] / row["num_bytes"] * 1e9), number(row["peak_bytes"] / 1e6)]
            for row in result["rows"]]
    return "\n".join([table(["file", "threads", "bytes", "seconds", "ns a byte", "peak, MB"], rows),
                      "", "Training to a vocabulary of 10,000, counting and merging.  ",
                      source(result)])


# --- docs/vocabulary_size.md -------------------------------------------------------------------


def vocabulary():
    """The saved result, and for each corpus bytes per token by vocabulary size."""
    result = json.loads((RESULTS / "vocabulary.json").read_text(encoding="utf-8"))
    return result, {name: dict(zip(one["sizes"], one["bytes_per_token"]))
                    for name, one in result["corpora"].items()}


def vocabulary_corpora(_):
    result, _ = vocabulary()
    seen = "bytes_per_token_of_the_training_text"
    rows = [[one["title"], f"{one['documents']:,}", f"{one['held_out_bytes'] / 1e6:.1f}",
             f"{one['kinds']:,}", f"{one['merges']:,}", f"{one['bytes_per_token'][-1]:.2f}",
             f"{one[seen][-1]:.2f}"] for one in result["corpora"].values()]
    header = ["corpus", "documents", "held out, MB", "kinds of pretokens learnt from", "merges",
              "bytes per token with all merges", "the same, text learnt from"]
    return "\n".join([table(header, rows), "", source(result)])


def vocabulary_curve(_):
    result, curves = vocabulary()
    costs = {name: {row.vocab_size: row for row in accounting.size_costs(shape, curves["web"])}
             for name, shape in accounting.SHAPES.items()}
    rows = []
    for size in curves["web"]:
        if size & (size - 1) and size != 257:
            continue
        more = []
        for by_size in costs.values():
            least = accounting.cheapest(list(by_size.values())).flops_per_byte
            more.append(f"+{by_size[size].flops_per_byte / least - 1:.0%}")
        rows.append([f"{size:,}", *(f"{curve[size]:.2f}" if size in curve else ""
                                    for curve in curves.values()), *more])
    header = ["vocabulary", *(f"{name}, bytes per token" for name in curves),
              *(f"{name}, more than its least" for name in costs)]
    note = "The last four columns are the model's compute per byte of the web text.  "
    return "\n".join([table(header, rows, left=0), "", note, source(result)])


CONTEXT_BYTES = 4096


def growth(costs, row):
    """By how many percent bytes per token grow, near a size, when the size grows by one percent."""
    at = costs.index(row)
    before, after = costs[at - 1], costs[at + 1]
    return (math.log(after.bytes_per_token / before.bytes_per_token)
            / math.log(after.vocab_size / before.vocab_size))


def vocabulary_minima(_):
    result, curves = vocabulary()
    rows = []
    for corpus, curve in curves.items():
        for name, shape in accounting.SHAPES.items():
            costs = accounting.size_costs(shape, curve)
            best, near = accounting.cheapest(costs), accounting.nearly_cheapest(costs)
            others = [accounting.size_costs(shape, curve, context_bytes=CONTEXT_BYTES),
                      accounting.size_costs(accounting.as_released(shape), curve)]
            rows.append([
                corpus, name, f"{best.vocab_size:,}",
                f"{near[0].vocab_size:,} to {near[-1].vocab_size:,}",
                accounting.scientific(best.flops_per_byte), f"{best.head_share:.1%}",
                f"{growth(costs, best):.1%}", f"{best.embedding_share:.1%}",
                *(f"{accounting.cheapest(other).vocab_size:,}" for other in others)])
    header = ["corpus", "shape", "cheapest", "at most 1 % dearer", "FLOPs a byte",
              "head, of FLOPs", "growth of bytes per token", "embeddings, of parameters",
              f"cheapest, {CONTEXT_BYTES:,} bytes of context", "cheapest, as released"]
    return "\n".join([table(header, rows, left=2), "", source(result)])


# --- docs/sampling.md --------------------------------------------------------------------------


def sampling():
    return json.loads((RESULTS / "sampling.json").read_text(encoding="utf-8"))


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
    header = ["trained on", "MB", "kinds"]
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
    return "\n".join([table(header, rows), "", *(note + "  " for note in notes), source(result)])


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
    return "\n".join([table(header, rows, left=2), "", source(result)])


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
        f"Of the {real['documents']:,} documents of stories.txt, all that are 0.7 or more alike to "
        f"an earlier one, or that were found.  ", source(result)])


BLOCK = re.compile(r"<!-- generated:(\w+) ?(\S*) -->\n(.*?)<!-- /generated -->", re.DOTALL)
MAKERS = {maker.__name__: maker for maker in (
    ladder, stage, profile, ratios, peers, pathological, memory, detour, detour_changes,
    counting_ladder, threads, workers, end_to_end, large, vocabulary_corpora, vocabulary_curve,
    vocabulary_minima, sampling_table, sampling_claim, near_duplicate_rates,
    near_duplicates_found)}


def rendered(text):
    def fill(match):
        body = MAKERS[match.group(1)](match.group(2))
        argument = f" {match.group(2)}" if match.group(2) else ""
        return f"<!-- generated:{match.group(1)}{argument} -->\n{body}\n<!-- /generated -->"
    return BLOCK.sub(fill, text)


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


def plot_ladders():
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(8, 4.2))
    names = ["ladder_built_in", "ladder_tinystories", "ladder_web"]
    for name, colour, marker in zip(names, [BLUE, ORANGE, GREEN], "os^"):
        rows = load(name)["rows"]
        seconds = [row["whole_seconds"] for row in rows]
        axes.plot(range(1, len(rows) + 1), seconds, color=colour, lw=1.5, label=SHORT[name])
        for x, row in enumerate(rows, 1):
            axes.plot(x, row["whole_seconds"], marker, color=colour,
                      fillstyle="full" if row["complete"] else "none")
    axes.set_yscale("log")
    axes.set_xticks(range(1, 10))
    axes.set_xticklabels([row["stage"].replace("_", "\n") for row in load(names[0])["rows"]],
                         fontsize=8)
    axes.set_ylabel("seconds in the merge loop")
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False, title="corpus, vocabulary (hollow: extrapolated)")
    save_figure(figure, "train_ladder")


def vocabulary_axis(axes, plt):
    axes.set_xscale("log", base=2)
    axes.set_xticks([256, 1024, 4096, 16384, 65536, 262144])
    axes.xaxis.set_major_formatter(plt.FuncFormatter(
        lambda size, _: f"{size:.0f}" if size < 1024 else f"{size / 1024:.0f}k"))
    axes.minorticks_off()
    axes.grid(alpha=0.3)


def plot_bytes_per_token():
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(7, 3.8))
    _, curves = vocabulary()
    places = {"multilingual": (0, 7), "web": (0, -14), "stories": (-4, 8)}
    for (name, curve), colour, marker in zip(curves.items(), [BLUE, ORANGE, GREEN], "os^"):
        axes.plot(curve.keys(), curve.values(), color=colour, lw=1.5, marker=marker, markersize=4)
        axes.annotate(name, list(curve.items())[-1], places[name], textcoords="offset points",
                      ha="right", color=colour, weight="bold")
    vocabulary_axis(axes, plt)
    axes.set_ylim(0.9, 5.4)
    axes.set_xlabel("vocabulary size (k = 1,024)")
    axes.set_ylabel("bytes per token, held-out text")
    save_figure(figure, "vocabulary_bytes_per_token")


def plot_compute_per_byte():
    plt = pyplot()
    _, curves = vocabulary()
    figure, panels = plt.subplots(1, len(curves), figsize=(9.5, 5), sharey=True)
    for axes, (corpus, curve) in zip(panels, curves.items()):
        styles = zip([BLUE, ORANGE, GREEN, PURPLE], ["-", "--", "-.", ":"], "os^D")
        for (name, shape), (colour, line, marker) in zip(accounting.SHAPES.items(), styles):
            costs = accounting.size_costs(shape, curve)
            best = accounting.cheapest(costs)
            axes.plot([row.vocab_size for row in costs],
                      [row.flops_per_byte / best.flops_per_byte for row in costs],
                      color=colour, ls=line, lw=1.8, marker=marker, markersize=7,
                      markevery=[costs.index(best)],
                      label=f"{name}: {accounting.scientific(best.flops_per_byte)} at "
                            f"{best.vocab_size:,}")
        vocabulary_axis(axes, plt)
        axes.set_title(corpus)
        axes.set_xlim(400, 300_000)
        axes.set_ylim(0.95, 2.05)
        axes.set_xlabel("vocabulary size (k = 1,024)")
        axes.legend(frameon=False, fontsize=8.5, title="least FLOPs a byte, and where",
                    title_fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, -0.15),
                    handlelength=4)
    panels[0].set_ylabel("compute per byte, times the shape's least")
    save_figure(figure, "vocabulary_compute_per_byte")


def plot_sampling():
    plt = pyplot()
    result = sampling()
    figure, panels = plt.subplots(1, 2, figsize=(9, 4.8))
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
        axes.legend(frameon=False, fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, -0.17),
                    ncols=2)
    save_figure(figure, "sampling")


def main(check):
    stale = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        before = path.read_text(encoding="utf-8")
        after = rendered(before)
        if after != before:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(after, encoding="utf-8")
    print("out of date:" if check else "rewritten:", ", ".join(stale) or "none")
    if not check:
        plot_ladders()
        plot_bytes_per_token()
        plot_compute_per_byte()
        plot_sampling()
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
