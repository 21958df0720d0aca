"""The tables of docs/pretokenize; see render.py."""

from statistics import median

from rendering import current_name, ladder_table, load, not_measured, number, source, table

from cs336_bpe import stages
from cs336_bpe.measure import ladders


def spread(values):
    return f"{number(min(values))} to {number(max(values))}"


def ladder_rows(result):
    """The rows of a ladder, with the names that its stages have now."""
    return [{**row, "stage": current_name("pretokenize", row["stage"])} for row in result["rows"]]


def counting_ladder(name):
    """The pretokenization ladder on one corpus."""
    result = load(f"ladder_{name}", "pretokenize")
    runs = ladder_rows(result)
    last = runs[-1]
    return "\n".join([
        f"**{result['title']}** ({runs[0]['kinds']:,} distinct pretokens)", "",
        ladder_table(ladders.counting_table(runs)), "",
        *not_measured("pretokenize", [run["stage"] for run in runs]),
        f"Times include making a dict of the counts. Without it, {ladders.number(last)} takes "
        + " and ".join(
            f"{number(run['columns_seconds'])} s with {run['workers']} thread"
            + "s" * (run["workers"] > 1)
            for run in runs if run["stage"] == last["stage"]) + ".  ",
        source(result)])


def counting_stage(name):
    """One pretokenization stage and the one that it changes, on every corpus, with one worker.

    A corpus on which one of the two has not been measured yet is left out.
    """
    before_name = stages.find("pretokenize", name).predecessor
    rows, results = [], []
    for corpus in ("web", "multilingual"):
        result = load(f"ladder_{corpus}", "pretokenize")
        runs = {run["stage"]: run for run in ladder_rows(result) if run["workers"] == 1}
        if name not in runs or before_name not in runs:
            continue
        results.append(result)
        run, before = runs[name], runs[before_name]
        rows.append([result["title"], number(before["seconds"]), number(run["seconds"]),
                     number(before["seconds"] / run["seconds"]) + "x",
                     number(run["num_bytes"] / run["seconds"] / 1e6),
                     f"{before['peak_bytes'] / 1e6:,.0f}", f"{run['peak_bytes'] / 1e6:,.0f}"])
    if not rows:
        return ("Not measured yet. `python benchmarks/run_pretokenize.py ladder_web "
                "ladder_multilingual` does it.")
    number_before = before_name.partition("_")[0]
    header = ["corpus", f"{number_before}, s", "this stage, s", "gain", "MB/s",
              f"peak of {number_before}, MB", "peak, MB"]
    return "\n".join([table(header, rows), "",
                      "One worker. See [how the tables are made](index.md).  ", source(*results)])


def threads(stage):
    result = load("threads", "pretokenize")
    cells = []
    for row in result["rows"]:
        if row["stage"] != stage:
            continue
        one, two = row["seconds"]["1"], row["seconds"]["2"]
        cells.append([row["text"],
                      *(number(row["num_bytes"] / median(seconds) / 1e6) for seconds in (one, two)),
                      number(median(one) / median(two)) + "x", number(min(one) / min(two)) + "x"])
    return "\n".join([table(["text", "one thread, MB/s", "two threads, MB/s", "gain (medians)",
                             "gain (least)"], cells), "",
                      "9 rounds, interleaved, each run a fresh process; no dictionary is made.  ",
                      source(result)])


def workers(stage):
    result = load("workers", "pretokenize")
    rows = [row for row in result["rows"]
            if ladders.idea_of(row["stage"]) == ladders.idea_of(stage)]
    cells = [[row["workers"], number(row["seconds"]),
              number(result["num_bytes"] / row["seconds"] / 1e6),
              number(rows[0]["seconds"] / row["seconds"]) + "x",
              f"{row['peak_bytes'] / 1e6:,.0f}"] for row in rows]
    what = "processes" if "processes" in rows[0]["stage"] else "threads"
    return "\n".join([table([what, "seconds", "MB/s", "gain", "peak, MB"], cells, left=0), "",
                      "100 MB of web text.  ", source(result, texts=["web.txt"])])


def end_to_end(_):
    result = load("end_to_end", "pretokenize")
    rows = []
    for name, one in result["corpora"].items():
        for peer, values in one["seconds"].items():
            label = f"{peer} {result['versions'].get(peer, '')}".strip()
            rows.append([f"{name}.txt, {one['num_bytes'] / 1e6:.0f} MB", label,
                         number(one["medians"][peer]), spread(values),
                         number(one["medians"][peer] / one["medians"]["cs336_bpe"]) + "x"])
    header = ["corpus", "trainer", "median, s", "spread", "times ours"]
    note = ("Vocabulary 32,000, one thread each; five rounds (two of tokenizers), interleaved, "
            "each in a fresh process.  ")
    return "\n".join([table(header, rows, left=2), "", note,
                      source(result, texts=[f"{name}.txt" for name in result["corpora"]])])


def large(case):
    """Gigabytes; `large all` leaves out what the whole file is compared with."""
    result = load("large", "pretokenize")
    rows = [["the whole file" if row["case"] == "all" else row["case"], row["workers"],
             f"{row['num_bytes']:,}", number(median(row["seconds"])), spread(row["seconds"]),
             number(median(row["seconds"]) / row["num_bytes"] * 1e9),
             number(row["peak_bytes"] / 1e6)]
            for row in result["rows"] if case in ("", row["case"])]
    header = ["file", "threads", "bytes", "seconds", "spread", "ns per byte", "peak, MB"]
    return "\n".join([table(header, rows), "",
                      f"Training to a vocabulary of 10,000, counting and merging; medians of "
                      f"{len(result['rows'][0]['seconds'])} fresh processes, with the file in "
                      f"memory.  ",
                      source(result)])


MAKERS = (counting_ladder, counting_stage, threads, workers, end_to_end, large)
