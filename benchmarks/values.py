"""Figures for sentences, from saved results; render.py puts them between their marks:

    Stage 05 is <!-- value:gain encode stories cached_words -->11x<!-- /value --> faster.

The words after `value:` are a function below and its arguments. A stage may be named by its number,
or by its idea, which stays when stages are numbered anew. LADDER and NAME are the two parts of a
saved file: `train web` is results/train_ladder_web.json. In an argument, `_` stands for a space.
"""

import statistics

import render_cachegrind
from rendering import load, number

from cs336_bpe.measure import ladders


def rows_of(ladder, name):
    return load(f"ladder_{name}", ladder)["rows"]


def row_of(ladder, name, stage):
    return ladders.row_of(rows_of(ladder, name), stage)


# --- Rows of a ladder --------------------------------------------------------------------------


def gain(ladder, name, stage):
    """How many times faster a stage is than its predecessor: `gain train web pair_index`."""
    rows, row = rows_of(ladder, name), row_of(ladder, name, stage)
    before = ladders.predecessor(ladder, rows, row)
    if before is None:
        raise ValueError(f"{row['stage']} has no predecessor to compare it with")
    return times(ladder, ladders.gain(ladder, row, before), row, before)


def gain_over(ladder, name, stage, other):
    """How many times faster a stage is than any other: `gain_over encode gpt2 lists cached`."""
    row, before = row_of(ladder, name, stage), row_of(ladder, name, other)
    return times(ladder, ladders.gain(ladder, row, before), row, before)


def total_gain(ladder, name, stage):
    """How many times faster a stage is than stage01."""
    return gain_over(ladder, name, stage, "stage01")


def seconds(ladder, name, stage):
    """The seconds of a stage, extrapolated where the table says so."""
    row = row_of(ladder, name, stage)
    return ladders.rounded(row.get("whole_seconds", row["seconds"]), row) + " s"


def speed(ladder, name, stage):
    """MB/s of a stage, or kB/s if it is below one."""
    row = row_of(ladder, name, stage)
    per_second = row.get("bytes_per_second", row["num_bytes"] / row["seconds"])
    return rate(per_second)


def peak(ladder, name, stage):
    """Peak memory of a stage, in MB."""
    return f"{number(row_of(ladder, name, stage)['peak_bytes'] / 1e6)} MB"


def merges_done(name, stage):
    """How many merges a training stage did before its time was up."""
    return f"{row_of('train', name, stage)['num_merges']:,}"


def distinct(ladder, name):
    """The number of distinct pretokens that a ladder ran on."""
    result = load(f"ladder_{name}", ladder)
    for place in (result, result.get("corpus", {}), result["rows"][0]):
        if "kinds" in place:
            return f"{place['kinds']:,}"
    raise ValueError(f"results/{ladder}_ladder_{name}.json does not say how many there were")


def one_new_in(name):
    """Of how many pretokens of an encoding ladder's text one occurs for the first time."""
    result = load(f"ladder_{name}", "encode")
    return f"{result['pretokens'] / result['kinds']:.0f}"


# --- The tokenizer -----------------------------------------------------------------------------

PILE_BYTES = 825e9


def encoding_speed(text, temperature="cold", peer="cs336_bpe"):
    """MB/s to arrays with GPT-2's vocabulary, on one thread: `encoding_speed web warm`."""
    return rate(bytes_per_second(text, temperature, peer))


def minutes_for_the_pile(text):
    """How long 825 GB would take, cold, if all of it were like this text."""
    return f"{PILE_BYTES / bytes_per_second(text, 'cold', 'cs336_bpe') / 60:.0f}"


def bytes_per_second(text, temperature, peer):
    corpus = load("peers", "tokenizer")["arrays"][text]
    times = corpus["seconds"][peer]
    # A peer without a cache has no warm runs: it is always as fast as it is.
    return corpus["num_bytes"] / statistics.median(times[temperature] or times["cold"])


def more_tokens(tokenizer, own, text):
    """By how many percent more tokens a text needs than with the tokenizer trained on its own."""
    rows = {row["tokenizer"]: row["bytes_per_token"] for row in load("coursework", "tokenizer")[
        "rows"]}
    return f"{rows[own][text] / rows[tokenizer][text] - 1:.0%}".replace("%", " %")


# --- The simulated processor -------------------------------------------------------------------


def simulated(ladder, stage, event, name=""):
    """How often an event occurs per pretoken, token or changed place:
    `simulated encode one_store instructions first`. Without the last word it is the last pass."""
    result = load(ladder, "cachegrind")
    row = ladders.row_of(result["rows"], stage)
    counts = render_cachegrind.events_of(row, name or list(render_cachegrind.PASSES[ladder])[-1])
    return number(counts[event] / result["number"])


# --- The language model ------------------------------------------------------------------------


def bits(name, case):
    """Bits per byte of a case, the mean of its seeds: `bits vocabulary bytes_257`."""
    rows = [row for row in load(name, "lm")["rows"] if row["case"] == case.replace("_", " ")]
    return f"{statistics.fmean(row['bits_per_byte'] for row in rows):.2f}"


# --- Everything else ---------------------------------------------------------------------------


def field(file, *path_and_form):
    """Any saved number: `field train_peers medians gigatoken`. The last word may be a format."""
    *path, form = path_and_form if is_form(path_and_form[-1]) else (*path_and_form, "")
    value = find(file, path)
    if form:
        return format(value, form)
    return f"{value:,}" if isinstance(value, int) else number(value)


def median(file, *path):
    """The median of a saved list."""
    return number(statistics.median(find(file, path)))


def ratio(file, *paths):
    """How many times longer one saved time, or the median of a list, is than another.

    The two paths are separated by `by`: `ratio train_peers medians rustbpe by medians stage09`.
    """
    at = paths.index("by")
    one, other = (find(file, path) for path in (paths[:at], paths[at + 1:]))
    one, other = (statistics.median(value) if isinstance(value, list) else value
                  for value in (one, other))
    return f"{number(one / other)}x"


def find(file, path):
    value = load(file.partition("_")[2], file.partition("_")[0])
    for part in path:
        part = part.replace("_", " ") if isinstance(value, dict) and part not in value else part
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError):
            has = range(len(value)) if isinstance(value, list) else list(value)
            raise ValueError(f"{file}.json has no {part!r} here; there are {has}") from None
    return value


def is_form(text):
    return text[0] in ".,+" or text.endswith("%")


def times(ladder, value, *rows):
    """`11x`: a gain to two digits, because a sentence should stay true when figures move a bit."""
    mark = ladders.approximate(*rows) if ladder == "train" else ""  # others compare speeds
    digits = float(f"{value:.1e}")
    return f"{mark}{digits:,.0f}x" if digits >= 10 else f"{mark}{digits:.1f}x"


def rate(bytes_per_second):
    if bytes_per_second >= 1e6:
        return f"{number(bytes_per_second / 1e6)} MB/s"
    return f"{number(bytes_per_second / 1e3)} kB/s"


VALUES = {function.__name__: function for function in (
    gain, gain_over, total_gain, seconds, speed, peak, merges_done, distinct, one_new_in,
    encoding_speed, minutes_for_the_pile, more_tokens, simulated, bits, field, median, ratio)}
