"""The tables and plots of docs/corpora/generated.md and docs/machine/text.md; see render.py."""

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

TOPS = (10, 100, 1_000, 10_000)


def fitted_corpora(kind):
    """Growth, then shares; a cell is "real / generated"."""
    result = load("fit", "corpora")
    one = result["corpora"][kind]
    rows = list(zip(one["sizes"], one["real"], one["generated"]))

    def both(real, made, key, form):
        return " / ".join(form.format(row[key]) for row in (real, made))

    grown = [[f"{size / 1e6:.4g}", both(real, made, "distinct", "{:,}"),
              f"{made['distinct'] / real['distinct'] - 1:+.1%}",
              both(real, made, "bytes_per_pretoken", "{:.2f}"),
              both(real, made, "bytes_per_distinct", "{:.2f}"),
              both(real, made, "byte_pairs", "{:,}")] for size, real, made in rows]
    shares = [[f"{size / 1e6:.4g}", *(both(real, made, f"top_{top}", "{:.1%}") for top in TOPS),
               both(real, made, "once", "{:.1%}")] for size, real, made in rows]
    return "\n".join([
        table(["MB", "distinct pretokens", "difference", "bytes per pretoken",
               "bytes per distinct pretoken", "byte pairs"], grown, left=0), "",
        table(["MB", *(f"top {top:,}" for top in TOPS), "distinct pretokens seen once"], shares,
              left=0), "", source(result)])


COLOURS = dict(zip(("built-in stories", "stories.txt", "web.txt", "code.txt", "multilingual.txt"),
                   ("#56b4e9", BLUE, ORANGE, GREEN, PURPLE)))


def text_laws(_):
    """What the two curves come to, text by text."""
    result = load("laws", "corpora")
    rows = [[name, f"{one['pretokens']:,}", f"{one['distinct']:,}",
             f"{one['each']:,.0f}", f"{one['once'] / one['distinct']:.0%}",
             f"{one['exponent']:.2f}", f"{one['half_of_whole']:.0%}",
             f"{one['two_halves_of_whole']:.0%}"] for name, one in result["corpora"].items()]
    return "\n".join([
        table(["text", "pretokens", "distinct", "each, on average", "seen once", "exponent",
               "distinct in the first half", "in both halves, added up"], rows), "",
        "*Exponent*: over the last factor of ten in size, the number of distinct pretokens grows "
        "as the size to this power. The last two columns are shares of the number in the whole "
        "text.  ", source(result)])


def plot_law(name, title, curve, x_label, y_label):
    figure, axes = pyplot().subplots(figsize=(PLOT_WIDTH, 4.4))
    for text, one in load("laws", "corpora")["corpora"].items():
        axes.plot(*zip(*one[curve]), color=COLOURS[text], lw=2, label=text,
                  ls="--" if text.startswith("built-in") else "-")
    axes.set(xscale="log", yscale="log", xlabel=x_label, ylabel=y_label)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    save_figure(figure, name, title)


def plot_zipf():
    plot_law("zipf", "How often the pretoken of each rank occurs, in five texts", "frequencies",
             "rank of the pretoken, 1 is the most frequent", "how often it occurs")


def plot_heaps():
    plot_law("heaps", "Distinct pretokens by the size of the text, for five texts", "growth",
             "bytes of text", "distinct pretokens")


MAKERS = (fitted_corpora, text_laws)
PLOTS = (plot_zipf, plot_heaps)
