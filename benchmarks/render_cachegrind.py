"""The tables of simulated instructions, guesses and misses on the index page of each ladder, and
what values.py says of them in sentences; see render.py."""

from rendering import current_name, load, number, source, table

from cs336_bpe import stages

EVENTS = {"instructions": "instructions", "branches": "branches",
          "wrong_guesses": "guessed wrong"}
PASSES = {"train": {"loop": ""}, "pretokenize": {"again": ""}, "decode": {"again": ""},
          "encode": {"first": "New text:", "again": "The same text again, all words known:"}}
TITLES = {
    "train": "Learning {merges:,} merges from the counts of the first {num_bytes:,} bytes; what a "
             "call without a merge costs is taken off.",
    "pretokenize": "Counting the first {num_bytes:,} bytes, with one worker.",
    "encode": "GPT-2's vocabulary, the first {num_bytes:,} bytes, to a list of ids.",
    "decode": "GPT-2's vocabulary, the ids of the first {num_bytes:,} bytes, from a list to text.",
}


def simulated(ladder):
    """Instructions, branches, wrong guesses and misses of the last rungs."""
    result = load(ladder, "cachegrind")
    near, far = sizes(result)
    header = ["stage", "idea", *EVENTS.values(), f"misses of {near}", f"misses of {far}"]
    shown = []
    for name, title in PASSES[ladder].items():
        rows = [[stage.number, stage.idea, *(number(value / result["number"])
                                             for value in events_of(row, name).values())]
                for row in result["rows"] for stage in [stages.find(
                    ladder, current_name(ladder, row["stage"]))]]
        shown += [title, ""] if title else []
        shown += [table(header, rows, left=2), ""]
    title = TITLES[ladder].format(**result)
    return "\n".join([
        *shown, f"Per {result['unit']}; there are {result['number']:,}. {title} Simulated by "
        f"Valgrind {result['valgrind']}, for a processor with AVX2.  ", source(result)])


def events_of(row, name):
    """What is counted in a pass; `loop` is what a whole call takes more than one without a merge.

    >>> events_of({"whole": {"branches": 5}, "without a merge": {"branches": 2}}, "loop")
    {'branches': 3}
    """
    if name == "loop":
        return {event: count - row["without a merge"][event]
                for event, count in row["whole"].items()}
    return row[name]


def sizes(result):
    """How large the caches are that were simulated.

    >>> sizes({"caches": {"D1": "32768,8,64", "LL": "524288,8,64"}})
    ('32 KiB', '512 KiB')
    """
    near, far = (int(result["caches"][cache].partition(",")[0]) for cache in ("D1", "LL"))
    return f"{near // 1024} KiB", f"{far // 1024} KiB"


MAKERS = (simulated,)
