"""The tables of docs/distributed.md; see render.py."""

import statistics

from common import RESULTS
from rendering import load, number, source, table

CORPORA = (("11 GB", 11e9), ("825 GB, as much as the Pile", 825e9), ("15 TB", 15e12))
CORES = (2, 64, 1024)


def rate(room):
    """Bytes per second of one thread, of gigabytes of text: in the slowest run."""
    rows = [row for row in load("large", room)["rows"]
            if row["workers"] == 1 and row["num_bytes"] > 2e9]
    return min(row["num_bytes"] / seconds for row in rows for seconds in all_runs(row))


def all_runs(row):
    return row["seconds"] if isinstance(row["seconds"], list) else [row["seconds"]]


def readable_time(seconds):
    if seconds < 10:  # then it depends on the last task, and on starting
        return "under 10 s"
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{number(seconds / unit)} {name}"
    return f"{number(seconds)} s"


def scale_estimates(_):
    """Sizes of corpora, and what they take, from saved rates."""
    [encoded] = [row for row in load("large", "tokenizer")["rows"] if row["workers"] == 1]
    tokens_per_byte = encoded["num_ids"] / encoded["num_bytes"]
    rows = []
    for name, size in CORPORA:
        for what, room in (("count", "pretokenize"), ("encode", "tokenizer")):
            times = [readable_time(size / rate(room) / cores) for cores in CORES]
            tokens = f"{size * tokens_per_byte / 1e9:,.0f}" if what == "encode" else ""
            rows.append([name, what, *times, tokens])
            name = ""
    header = ["corpus", "", *(f"{cores:,} cores" for cores in CORES), "10⁹ tokens"]
    return "\n".join([
        table(header, rows, left=2), "",
        f"At {rate('pretokenize') / 1e6:,.0f} and {rate('tokenizer') / 1e6:,.0f} MB/s per thread. "
        f"{source(load('large', 'pretokenize'), load('large', 'tokenizer'))}"])


def scale_rates(_):
    """Threads against a pool of processes."""
    result = load("rates", "scale")
    size = result["num_bytes"]
    rows = []
    for kind in dict.fromkeys(row["kind"] for row in result["rows"]):
        some = [row for row in result["rows"] if row["kind"] == kind]
        rows.append([f"{some[0]['workers']} {kind}", *(
            number(size / statistics.median(row[what] for row in some) / 1e6)
            for what in ("count", "encode"))])
    return "\n".join([table(["", "count, MB/s", "encode to shards, MB/s"], rows), "",
                      source(result)])


def scale_distinct(_):
    """Training against the number of distinct pretokens, as far as it was run."""
    results = [load(path.stem.removeprefix("scale_"), "scale")
               for path in sorted(RESULTS.glob("scale_distinct_*.json"))]
    rows = [[f"{result['distinct']:,}", f"{result['bytes'] / 1e6:,.0f} MB",
             f"{result['load_seconds']:.1f} s", f"{result['seconds']:.1f} s",
             f"{result['peak_bytes'] / 1e9:.2f} GB",
             f"{result['peak_bytes'] / result['distinct']:,.0f} bytes"] for result in results]
    return "\n".join([
        table(["distinct pretokens", "their bytes", "load", "train to 32,000", "peak memory",
               "per distinct pretoken"], rows, left=0), "", source(*results)])


def scale_count(_):
    """Counting 10 GB: memory against the number of distinct pretokens."""
    result = load("count_10", "scale")
    rows = [[f"{row['num_bytes'] / 1e9:.0f} GB", f"{row['distinct']:,}", row["workers"],
             f"{row['pretokens']:,}", f"{row['peak_bytes'] / 1e6:,.0f} MB"]
            for row in result["rows"]]
    return "\n".join([table(["text", "distinct pretokens", "threads", "pretokens", "peak memory"],
                            rows), "", source(result)])


def scale_tail(_):
    """What dropping the rare pretokens saves, and what it costs."""
    result = load("tail", "scale")
    whole = result["rows"][0]
    rows = [["all" if row["least"] == 1 else f"{row['least']} times or more",
             f"{row['distinct']:,}", f"{row['share_of_text']:.2%}", f"{row['seconds']:.2f} s",
             f"{row['in_common']:.2%}", f"{row['same_first']:,}",
             f"{row['tokens'] / whole['tokens'] - 1:+.3%}"] for row in result["rows"]]
    return "\n".join([
        table(["pretokens that occur", "distinct", "of the text", "train", "merges in common",
               "the same up to merge", "more tokens"], rows), "", source(result)])


MAKERS = (scale_estimates, scale_rates, scale_count, scale_distinct, scale_tail)
