"""The tables of docs/decode; see render.py."""

import statistics

from rendering import ladder_table, load, number, source, table

from cs336_bpe.measure import ladders
from cs336_bpe.measure.decoding import WAYS

LADDERS = {"ladder_web": "web", "ladder_multilingual": "multilingual"}


def decoding_ladder(name):
    """A whole ladder on one text."""
    result = load(name, "decode")
    return "\n".join([
        f"**{result['title']}** ({result['num_tokens']:,} ids); millions of tokens per second", "",
        ladder_table(ladders.decoding_table(result["rows"])), "",
        f"{result['rounds']} rounds, interleaved, each a fresh process that repeats what is fast; "
        f"medians of processor time.  ", source(result)])


def decoding_stage(name):
    """One stage and its predecessor, on every text and in every way."""
    rows, results = [], []
    for ladder_name, title in LADDERS.items():
        result = load(ladder_name, "decode")
        results.append(result)
        run = ladders.row_of(result["rows"], name)
        before = ladders.predecessor("decode", result["rows"], run)
        for way, words in WAYS.items():
            row = [f"{title}, {words}", number(ladders.million_tokens(run, way)), spread(run, way)]
            if before:
                row[1:1] = [number(ladders.million_tokens(before, way))]
                row.append(number(before["medians"][way] / run["medians"][way]) + "x")
            rows.append(row)
    header = ["text and way", "M tokens/s", "spread"]
    if before:
        header = ["text and way", "before, M tokens/s", "this stage, M tokens/s", "spread", "gain"]
    return "\n".join([table(header, rows), "",
                      "See [how to read the tables](index.md#how-to-read-the-tables).  ",
                      source(*results)])


def spread(run, way):
    speeds = [run["num_tokens"] / seconds / 1e6 for seconds in run["all_seconds"][way]]
    return f"{number(min(speeds))} to {number(max(speeds))}"


def decoding_peers(_):
    """Against other libraries, in each way."""
    result = load("peers", "decode")
    names = list(result["versions"])
    rows = []
    for text, found in result["texts_decoded"].items():
        for way, seconds in found["seconds"].items():
            medians = {peer: statistics.median(values) for peer, values in seconds.items()}
            rows.append([f"{text}.txt", way, *(number(found["num_tokens"] / medians[peer] / 1e6)
                                               for peer in ("cs336_bpe", *names)),
                         *(number(medians[peer] / medians["cs336_bpe"]) + "x" for peer in names)])
    header = ["first 20 MB of", "from", "cs336_bpe, M tokens/s",
              *(f"{peer} {version}" for peer, version in result["versions"].items()),
              *(f"times {peer}" for peer in names)]
    return "\n".join([table(header, rows, left=2), "",
                      f"GPT-2's vocabulary, one thread; {result['rounds']} rounds, interleaved, "
                      f"each a fresh process that decodes {result['calls']} times; medians of "
                      f"processor time.  ", source(result)])


def decoding_large(_):
    result = load("large", "decode")
    rows = [[row["workers"], f"{row['id_bytes'] / 1e9:.2f}", f"{row['num_bytes'] / 1e9:.2f}",
             number(row["seconds"]), number(row["num_ids"] / row["seconds"] / 1e6),
             number(row["peak_bytes"] / 1e6)] for row in result["rows"]]
    header = ["threads", "ids, GB", "text, GB", "seconds", "M tokens/s",
              "peak of the process, MB"]
    return "\n".join([table(header, rows, left=0), "",
                      "`decode_file` with GPT-2's vocabulary; elapsed time, with reading and "
                      "writing.  ", source(result)])


MAKERS = (decoding_ladder, decoding_stage, decoding_peers, decoding_large)
