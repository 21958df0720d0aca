"""The tables and the plots of docs/cost/vocabulary_size.md; see render.py."""

import math

from rendering import (
    BLUE,
    GREEN,
    ORANGE,
    PLOT_WIDTH,
    PURPLE,
    load,
    pyplot,
    save_figure,
    source,
    table,
)

from cs336_bpe.common.amounts import scientific
from cs336_bpe.cost import transformer, vocabulary_size


def vocabulary():
    """The saved result, and for each corpus bytes per token by vocabulary size."""
    result = load("", "vocabulary")
    texts = [{"name": f"{name}.txt", "bytes": one["bytes"], "sha256": one["sha256"]}
             for name, one in result["corpora"].items()]
    result = {"texts": texts, **result}
    return result, {name: dict(zip(one["sizes"], one["bytes_per_token"]))
                    for name, one in result["corpora"].items()}


def vocabulary_corpora(_):
    result, _ = vocabulary()
    seen = "bytes_per_token_of_the_training_text"
    rows = [[one["title"], f"{one['documents']:,}", f"{one['held_out_bytes'] / 1e6:.1f}",
             f"{one['kinds']:,}", f"{one['merges']:,}", f"{one['bytes_per_token'][-1]:.2f}",
             f"{one[seen][-1]:.2f}"] for one in result["corpora"].values()]
    header = ["corpus", "documents", "held out, MB", "distinct pretokens learned from", "merges",
              "bytes per token with all merges", "the same, text learned from"]
    return "\n".join([table(header, rows), "", source(result)])


def vocabulary_curve(_):
    result, curves = vocabulary()
    costs = {name: {row.vocab_size: row for row in vocabulary_size.size_costs(shape, curves["web"])}
             for name, shape in transformer.SHAPES.items()}
    rows = []
    for size in curves["web"]:
        if size & (size - 1) and size != 257:
            continue
        more = []
        for by_size in costs.values():
            least = vocabulary_size.cheapest(list(by_size.values())).flops_per_byte
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
        for name, shape in transformer.SHAPES.items():
            costs = vocabulary_size.size_costs(shape, curve)
            best, near = vocabulary_size.cheapest(costs), vocabulary_size.nearly_cheapest(costs)
            others = [vocabulary_size.size_costs(shape, curve, context_bytes=CONTEXT_BYTES),
                      vocabulary_size.size_costs(transformer.as_released(shape), curve)]
            rows.append([
                corpus, name, f"{best.vocab_size:,}",
                f"{near[0].vocab_size:,} to {near[-1].vocab_size:,}",
                scientific(best.flops_per_byte), f"{best.head_share:.1%}",
                f"{growth(costs, best):.1%}", f"{best.embedding_share:.1%}",
                *(f"{vocabulary_size.cheapest(other).vocab_size:,}" for other in others)])
    header = ["corpus", "shape", "cheapest", "at most 1 % more expensive", "FLOPs per byte",
              "head, of FLOPs", "growth of bytes per token", "embeddings, of parameters",
              f"cheapest, {CONTEXT_BYTES:,} bytes of context", "cheapest, as released"]
    return "\n".join([table(header, rows, left=2), "", source(result)])


def vocabulary_axis(axes, plt):
    axes.set_xscale("log", base=2)
    axes.set_xticks([256, 1024, 4096, 16384, 65536, 262144])
    axes.xaxis.set_major_formatter(plt.FuncFormatter(
        lambda size, _: f"{size:.0f}" if size < 1024 else f"{size / 1024:.0f}k"))
    axes.minorticks_off()
    axes.grid(alpha=0.3)


def plot_bytes_per_token():
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(PLOT_WIDTH, 4))
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
    figure, panels = plt.subplots(len(curves), 1, figsize=(PLOT_WIDTH, 5 * len(curves)))
    for axes, (corpus, curve) in zip(panels, curves.items()):
        styles = zip([BLUE, ORANGE, GREEN, PURPLE], ["-", "--", "-.", ":"], "os^D")
        for (name, shape), (colour, line, marker) in zip(transformer.SHAPES.items(), styles):
            costs = vocabulary_size.size_costs(shape, curve)
            best = vocabulary_size.cheapest(costs)
            axes.plot([row.vocab_size for row in costs],
                      [row.flops_per_byte / best.flops_per_byte for row in costs],
                      color=colour, ls=line, lw=1.8, marker=marker, markersize=7,
                      markevery=[costs.index(best)],
                      label=f"{name}: {scientific(best.flops_per_byte)} at "
                            f"{best.vocab_size:,}")
        vocabulary_axis(axes, plt)
        axes.set_title(corpus)
        axes.set_xlim(400, 300_000)
        axes.set_ylim(0.95, 2.05)
        axes.legend(frameon=False, title="least FLOPs per byte, and where", handlelength=4,
                    loc="upper center", bbox_to_anchor=(0.5, -0.16))
        axes.set_xlabel("vocabulary size (k = 1,024)")
        axes.set_ylabel("compute per byte, times the least")
    save_figure(figure, "vocabulary_compute_per_byte")


MAKERS = (vocabulary_corpora, vocabulary_curve, vocabulary_minima)
PLOTS = (plot_bytes_per_token, plot_compute_per_byte)
