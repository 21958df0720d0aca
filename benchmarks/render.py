"""Write the tables and plots of the docs from the results that were saved. Nothing is typed.

    python benchmarks/render.py            rewrite them
    python benchmarks/render.py --check    say which pages are out of date, and fail if any is

A table stands between `<!-- generated:NAME ARGUMENT -->` and `<!-- /generated -->`, where NAME is a
function below or in a `render_*.py`. Plots need matplotlib (`pip install '.[docs]'`) and are
only written, not checked.
"""

import json
import math
import re
import statistics
import sys

import render_encode
import render_sampling
import render_tokenizer
from rendering import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RESULTS,
    ROOT,
    load,
    number,
    pyplot,
    save_figure,
    source,
    table,
)

from cs336_bpe import stages
from cs336_bpe.cost import transformer as accounting
from cs336_bpe.measure import ladders

LADDERS = ["ladder_course", "ladder_built_in", "ladder_stories", "ladder_tinystories",
           "ladder_web"]
SHORT = {"ladder_course": "corpus.en, 500", "ladder_built_in": "built-in stories 5 MB, 2,000",
         "ladder_stories": "stories 21 MB, 4,096",
         "ladder_tinystories": "TinyStories-train, 10,000", "ladder_web": "web 100 MB, 32,000"}


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


def not_measured(name):
    return f"*Not measured yet: `python benchmarks/run_pretokenize.py {name}`*"


def counting_ladder(name):
    """The pretokenization ladder on one corpus."""
    result = load(f"ladder_{name}", "pretokenize")
    header, *rows = ladders.counting_table(result["rows"])
    last = result["rows"][-1]["stage"]
    rows = [[row[0], row[6], *row[1:6]] for row in rows]
    return "\n".join([
        f"**{result['title']}** ({result['rows'][0]['kinds']:,} distinct pretokens)", "",
        table([header[0], header[6], *header[1:6]], rows, left=2), "",
        f"Times are until there is a dict of the counts. Without it, {last[:7]} takes "
        + " and ".join(f"{number(run['columns_seconds'])} s with {run['workers']} thread"
                       + "s" * (run["workers"] > 1)
                       for run in result["rows"] if run["stage"] == last) + ".  ",
        source(result)])


def counting_stage(name):
    """One pretokenization stage and the one that it changes, on every corpus, with one worker."""
    before_name = stages.find("pretokenize", name).predecessor
    rows, sources = [], []
    for corpus in ("web", "multilingual"):
        result = load(f"ladder_{corpus}", "pretokenize")
        sources.append(source(result))
        runs = {run["stage"]: run for run in result["rows"] if run["workers"] == 1}
        if name not in runs:
            sources[-1] = not_measured(f"ladder_{corpus}")
            continue
        run, before = runs[name], runs[before_name]
        rows.append([result["title"], number(before["seconds"]), number(run["seconds"]),
                     number(before["seconds"] / run["seconds"]) + "x",
                     number(run["num_bytes"] / run["seconds"] / 1e6),
                     f"{before['peak_bytes'] / 1e6:,.0f}", f"{run['peak_bytes'] / 1e6:,.0f}"])
    number_before = before_name.partition("_")[0]
    header = ["corpus", f"{number_before}, s", "this stage, s", "gain", "MB/s",
              f"peak of {number_before}, MB", "peak, MB"]
    return "\n".join([table(header, rows), "",
                      "One worker. See [how the tables are made](index.md).  ", *sources])


def ablation(_):
    """The last stage with one part taken away at a time."""
    if not (RESULTS / "pretokenize_ablation.json").exists():
        return not_measured("ablation")
    result = load("ablation", "pretokenize")
    rows = []
    for variant in result["corpora"]["web"]["seconds"]:
        row = [variant]
        for one in result["corpora"].values():
            for count, values in one["seconds"][variant].items():
                whole = one["seconds"]["as it is"][count]
                row.append(f"{number(statistics.median(values))} s, "
                           f"{number(statistics.median(values) / statistics.median(whole))}x")
        rows.append(row)
    header = [result["stage"].partition("_")[0],
              *(f"{name}, {count} thread" + "s" * (count != "1")
                for name, one in result["corpora"].items()
                for count in one["seconds"]["as it is"])]
    return "\n".join([table(header, rows), "",
                      "Medians, interleaved, each run in a fresh process, without a dictionary; "
                      "and how many times that of the whole stage.  ", source(result)])


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


def workers(name):
    result = load("workers", "pretokenize")
    rows = [row for row in result["rows"] if row["stage"] == name]
    if not rows:
        return not_measured("workers")
    cells = [[row["workers"], number(row["seconds"]),
              number(result["num_bytes"] / row["seconds"] / 1e6),
              number(rows[0]["seconds"] / row["seconds"]) + "x",
              f"{row['peak_bytes'] / 1e6:,.0f}"] for row in rows]
    what = "threads" if stages.find("pretokenize", name).compiled else "processes"
    return "\n".join([table([what, "seconds", "MB/s", "gain", "peak, MB"], cells, left=0), "",
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
    header = ["file", "threads", "bytes", "seconds", "ns per byte", "peak, MB"]
    note = "Training to a vocabulary of 10,000, counting and merging.  "
    return "\n".join([table(header, rows), "", note, source(result)])


# --- docs/cost/vocabulary_size.md --------------------------------------------------------------


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


BLOCK = re.compile(r"<!-- generated:(\w+) ?(\S*) -->\n(.*?)<!-- /generated -->", re.DOTALL)
MAKERS = {maker.__name__: maker for maker in (
    ladder, stage, profile, ratios, peers, pathological, memory, detour, detour_changes,
    counting_ladder, counting_stage, ablation, threads, workers, end_to_end, large,
    vocabulary_corpora, vocabulary_curve, vocabulary_minima, *render_encode.MAKERS,
    *render_sampling.MAKERS, *render_tokenizer.MAKERS)}


def rendered(text):
    def fill(match):
        body = MAKERS[match.group(1)](match.group(2))
        argument = f" {match.group(2)}" if match.group(2) else ""
        return f"<!-- generated:{match.group(1)}{argument} -->\n{body}\n<!-- /generated -->"
    return BLOCK.sub(fill, text)


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
        render_encode.plot_crossing()
        render_sampling.plot_sampling()
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
