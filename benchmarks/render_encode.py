"""The tables and the plot of docs/encode; see render.py."""

from statistics import median

from rendering import (
    BLUE,
    GREEN,
    ORANGE,
    PLOT_WIDTH,
    ladder_table,
    load,
    number,
    pyplot,
    save_figure,
    source,
    table,
)

from cs336_bpe.measure import ladders

LADDERS = {"ladder_gpt2": "GPT-2's vocabulary, web text",
           "ladder_multilingual": "GPT-2's vocabulary, multilingual text",
           "ladder_stories": "vocabulary of 10,000, stories"}


def spread(values):
    return f"{min(values):,.0f} to {max(values):,.0f}"


def encoding_ladder(name):
    """A whole ladder on one text."""
    result = load(name, "encode")
    header, *rows = ladders.encoding_table(result["rows"])
    cells = [(*header[:2], "spread", *header[2:])] + [
        (*row[:2], spread(run["all_bytes_per_second"]), *row[2:])
        for row, run in zip(rows, result["rows"])]
    cut = [ladders.number(run) for run in result["rows"] if not run["complete"]]
    return "\n".join([
        f"**{result['title']}** ({result['pretokens']:,} pretokens, {result['kinds']:,} distinct)",
        "", ladder_table(cells), "",
        f"{result['rounds']} rounds, interleaved, each a fresh process; medians. "
        f"{', '.join(cut)} stop after {result['limit']:g} seconds of a round (*bytes done* is the "
        f"least of the rounds); a stage that needs less than a second runs again, with a fresh "
        f"encoder.  ", source(result)])


def encoding_stage(name):
    """One stage and its predecessor, on every text."""
    rows, results = [], []
    for ladder_name, title in LADDERS.items():
        result = load(ladder_name, "encode")
        results.append(result)
        run = ladders.row_of(result["rows"], name)
        before = ladders.predecessor("encode", result["rows"], run)
        row = [title, f"{run['bytes_per_second']:,.0f}", spread(run["all_bytes_per_second"]),
               f"{run['peak_bytes'] / 1e6:,.1f}"]
        if before:
            row[1:1] = [f"{before['bytes_per_second']:,.0f}"]
            row[4:4] = [number(ladders.gain("encode", run, before)) + "x",
                        f"{before['peak_bytes'] / 1e6:,.1f}"]
        rows.append(row)
    header = ["text", "bytes/s", "spread", "peak, MB"]
    if before:
        header = ["text", "before, bytes/s", "this stage, bytes/s", "spread", "gain",
                  "peak before, MB", "peak, MB"]
    return "\n".join([table(header, rows), "",
                      "See [how to read the tables](index.md#how-to-read-the-tables).  ",
                      source(*results)])


def encoding_profile(name):
    result = load("profiles", "encode")
    seen = result["stages"][name]
    rows = [[f"`{row['function']}`", f"{row['share']:.1%}", f"{int(row['calls']):,}"]
            for row in seen["rows"] if row["share"] >= 0.001]
    return "\n".join([
        table(["function", "own time", "calls"], rows), "",
        f"The first {seen['pretokens']:,} pretokens of web text with GPT-2's vocabulary, under "
        f"cProfile, which exaggerates the cost of calls.  ", source(result, texts=["web.txt"])])


def filters(_):
    result = load("filters", "encode")
    cost = result["nanoseconds"]
    rows = [["merges that are looked at", f"{result['merges']:,}"],
            ["whose left token is present", number(result["left_there"])],
            ["whose tokens are both present: stage 02 walks", number(result["both_there"])],
            ["whose pair is present: stage 03 walks", number(result["applied"])]]
    asked = [["`for left, right in merges`, and no question", number(cost["nothing"])],
             ["`left in present and right in present`", number(cost["ask_for_tokens"])],
             ["`pair in present`", number(cost["ask_for_pairs"])]]
    return "\n".join([
        table(["of all merges, for one pretoken", "on average"], rows), "",
        table(["the loop over all merges, ` house`", "ns per merge"], asked), "",
        f"{result['pretokens']:,} pretokens of web text, GPT-2's vocabulary.  ",
        source(result, texts=["web.txt"])])


def warming(_):
    result = load("warming", "encode")
    measured = list(result["rows"][0]["medians"])
    pairs = list(zip(measured, measured[1:]))
    rows = [[f"{row['num_bytes']:,}", f"{row['seen']:.0%}",
             *(f"{row['medians'][stage]:,.0f}" for stage in measured),
             *(number(row["medians"][after] / row["medians"][before]) + "x"
               for before, after in pairs)] for row in result["rows"]]
    header = ["bytes of text", "pretokens seen before", f"{measured[0]}, bytes/s", *measured[1:],
              *(f"{after[-2:]} over {before[-2:]}" for before, after in pairs)]
    return "\n".join([table(header, rows, left=0), "",
                      f"GPT-2's vocabulary, beginnings of web text; medians of "
                      f"{result['rounds']} fresh processes each, interleaved. A slow stage does "
                      f"what it can in two seconds.  ",
                      source(result, texts=["web.txt"])])


def crossing(_):
    result = load("crossing", "encode")
    kinds = list(dict.fromkeys(row["kind"] for row in result["rows"]))
    rows = []
    for length in dict.fromkeys(row["length"] for row in result["rows"]):
        cells = [length]
        for kind in kinds:
            row = next(row for row in result["rows"]
                       if (row["length"], row["kind"]) == (length, kind))
            cells += [number(row["scan"]), number(row["heap"]), number(row["ratio"])]
        rows.append(cells)
    header = ["bytes", *(f"{kind}: {what}" for kind in kinds for what in ("scan", "heap", "ratio"))]
    return "\n".join([
        table(header, rows, left=0), "",
        "Nanoseconds per pretoken, with the call from Python. *ratio* is the heap's time divided "
        "by the scan's, so above 1 the scan is faster. GPT-2's vocabulary; medians of 21, "
        "interleaved, in one process.  ",
        source(result, texts=["web.txt"])])


def passes(name):
    """A stage with a cache and the one before it: text that is new to them, and the same again."""
    result = load("passes", "encode")
    names = list(dict.fromkeys(row["stage"] for row in result["rows"]))
    before = names[names.index(name) - 1]
    cells = {(row["text"], row["stage"]): row for row in result["rows"]}
    rows = []
    for text in dict.fromkeys(row["text"] for row in result["rows"]):
        columns = [text]
        for which in ("first", "second"):
            old, new = ([cells[text, stage]["num_bytes"] / 1e6 / seconds
                         for seconds in cells[text, stage][which]] for stage in (before, name))
            columns += [f"{median(old):,.0f}", f"{median(new):,.0f}", spread(new),
                        f"{number(median(new) / median(old))}x"]
        rows.append(columns)
    header = ["text", "new text: before, MB/s", "this stage", "spread", "gain",
              "again: before, MB/s", "this stage", "spread", "gain"]
    return "\n".join([table(header, rows), "",
                      f"GPT-2's vocabulary, at most 20 MB of each text, as a list of ids; medians "
                      f"of {result['rounds']} fresh processes, interleaved.  ",
                      source(result, texts=[f"{row['text']}.txt" for row in result["rows"]])])


def lengths(_):
    result = load("crossing", "encode")
    limits = [key for key in result["shares"]["web"] if key.isdigit()]
    rows = [[f"{name}.txt", number(row["mean"]), *(f"{row[limit]:.3%}" for limit in limits),
             f"{row['longest']:,}"] for name, row in result["shares"].items()]
    header = ["first 5 MB of", "mean bytes", *(f"{limit} or more" for limit in limits), "longest"]
    return "\n".join([table(header, rows), "",
                      source(result, texts=[f"{name}.txt" for name in result["shares"]])])


def plot_crossing():
    result = load("crossing", "encode")
    figure, axes = pyplot().subplots(figsize=(PLOT_WIDTH, 4.2))
    styles = {"random letters": (BLUE, "o"), "one letter": (ORANGE, "s"),
              "real words": (GREEN, "^")}
    for kind, (colour, marker) in styles.items():
        rows = [row for row in result["rows"] if row["kind"] == kind]
        axes.plot([row["length"] for row in rows], [row["ratio"] for row in rows],
                  marker=marker, color=colour, lw=1.5, label=kind)
    axes.axhline(1, color="black", lw=0.8)
    axes.axvline(result["heap_from"], color="grey", lw=0.8, ls="--")
    axes.annotate(f"the switch: {result['heap_from']}", (result["heap_from"], 2),
                  xytext=(4, 4), textcoords="offset points", color="grey")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_yticks([0.25, 0.5, 1, 2], ["1/4", "1/2", "1", "2"])
    ticks = sorted({row["length"] for row in result["rows"]})[::2]
    axes.set_xticks(ticks, list(map(str, ticks)))
    axes.set_xlabel("bytes in the pretoken")
    axes.set_ylabel("time of the heap / time of the scan")
    axes.legend(frameon=False, title="above 1 the scan is faster")
    save_figure(figure, "encode_crossing")


MAKERS = (encoding_ladder, encoding_stage, encoding_profile, filters, warming, passes, crossing,
          lengths)
PLOTS = (plot_crossing,)
