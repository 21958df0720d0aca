"""The tables of docs/train; see render.py."""

from rendering import ladder_table, load, number, source, table

from cs336_bpe.measure import ladders

LADDERS = ["ladder_course", "ladder_built_in", "ladder_stories", "ladder_tinystories",
           "ladder_web"]
SHORT = {"ladder_course": "corpus.en, 500", "ladder_built_in": "built-in stories 5 MB, 2,000",
         "ladder_stories": "stories 21 MB, 4,096",
         "ladder_tinystories": "TinyStories-train, 10,000", "ladder_web": "web 100 MB, 32,000"}


def ladder(name):
    """A whole ladder on one corpus."""
    result = load(name)
    return "\n".join([
        f"**{result['title']}** ({result['corpus']['kinds']:,} distinct pretokens)", "",
        ladder_table(ladders.table(result["rows"])), "",
        *(f"{note}  " for note in ladders.footnotes(result["rows"])), source(result)])


def stage(name):
    """One stage and its predecessor, on every corpus."""
    rows, results = [], []
    for ladder_name in LADDERS:
        result = load(ladder_name)
        results.append(result)
        run = ladders.row_of(result["rows"], name)
        before = ladders.predecessor("train", result["rows"], run)
        rows.append([
            SHORT[ladder_name],
            ("" if before is None else
             ladders.rounded(before["whole_seconds"], before)),
            ladders.rounded(run["whole_seconds"], run),
            "" if before is None else
            ladders.rounded(ladders.gain("train", run, before), run, before) + "x",
            ladders.rounded(ladders.merges_per_second(run), run),
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
    return "\n".join([table(header, rows), "", note + "  ", source(*results)])


def profile(name):
    result = load("profiles")
    seen = result["stages"][name]
    rows = [[f"`{row['function']}`", f"{row['share']:.0%}", f"{int(row['calls']):,}"]
            for row in seen["rows"]]
    return "\n".join([
        table(["function", "own time", "calls"], rows), "",
        f"First {seen['merges']:,} merges on 5 MB of built-in stories, under cProfile, which "
        f"exaggerates the cost of calls.  ", source(result)])


def peers(_):
    result = load("peers")
    medians = result["medians"]
    ours = next(iter(medians))
    rows = []
    for name, values in result["seconds"].items():
        label = f"{name} {result['versions'][name]}" if name in result["versions"] else name
        spread = f"{number(min(values))} to {number(max(values))}"
        rows.append([label, number(medians[name]), spread,
                     number(medians[name] / medians[ours]) + "x"])
    return "\n".join([
        table(["merge phase of", "median, s", "spread", f"times {ours}"], rows), "",
        f"100 MB of web text ({result['corpus']['kinds']:,} distinct pretokens), vocabulary "
        f"{result['vocab_size']:,}, one thread each; five rounds, interleaved, each in a fresh "
        f"process. {ours} includes building its arrays from a Python dict.  ",
        source(result, texts=["web.txt"])])


def pathological(_):
    result = load("pathological")
    base = result["rows"][0]["ns_per_byte"]
    rows = [[row["case"], f"{row['bytes']:,}", f"{row['merges']:,}", number(row["seconds"]),
             number(row["ns_per_byte"]), number(row["ns_per_byte"] / base) + "x",
             number(row["peak_per_byte"])]
            for row in result["rows"]]
    return "\n".join([table(["counts", "bytes", "merges", "seconds", "ns per byte", "of web text's",
                             "peak, bytes per byte"], rows), "",
                      source(result, texts=["web.txt"])])


def memory(_):
    result = load("memory")
    rows = [[row["case"], f"{row['kinds']:,}", f"{row['bytes']:,}", f"{row['merges']:,}",
             number(row["peak_bytes"] / 1e6), number(row["peak_per_byte"]), number(row["seconds"])]
            for row in result["rows"]]
    return "\n".join([table(["counts", "distinct pretokens", "bytes", "merges", "peak, MB",
                             "peak, bytes per byte", "seconds"], rows), "",
                      source(result, texts=["web.txt", "tinystories_train_pretoken_counts.json"])])


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
        table(["min_frequency", "distinct pretokens kept", "text kept", "first merge that differs",
               "tokens shared"], rows, left=0), "",
        "5 MB of built-in stories, vocabulary 4,000.  ", source(result)])


MAKERS = (ladder, stage, profile, peers, pathological, memory, detour, detour_changes)
