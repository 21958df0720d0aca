"""The tables on encoding whole texts; see render.py."""

import statistics

from rendering import load, number, source, table


def speed(num_bytes, seconds):
    return number(num_bytes / statistics.median(seconds) / 1e6)


def spread(num_bytes, seconds):
    return (f"{number(num_bytes / max(seconds) / 1e6)} to {number(num_bytes / min(seconds) / 1e6)}")


def ratio(ours, theirs):
    return number(statistics.median(theirs) / statistics.median(ours)) + "x"


def against_peers(result, kind, title, texts):
    """A table of encoders, text by text."""
    rows = []
    for name, corpus in result[kind].items():
        ours = corpus["seconds"]["cs336_bpe"]
        for peer, times in corpus["seconds"].items():
            if "threads" in peer:  # in encoding_threads
                continue
            row = [title(name), peer]
            for temperature in ("cold", "warm"):
                # tiktoken has no cache: it is always as fast as it is.
                seconds = times[temperature] or times["cold"]
                row += [speed(corpus["num_bytes"], seconds), spread(corpus["num_bytes"], seconds),
                        "" if peer == "cs336_bpe" else ratio(ours[temperature], seconds)]
            rows.append(row)
    versions = ", ".join(f"{peer} {version}" for peer, version in result["versions"].items()
                         if any(peer in row[1] for row in rows))
    twice = " tiktoken keeps no cache, and was run twice." if "tiktoken" in versions else ""
    return "\n".join([
        table(["text", "encoder", "cold, MB/s", "spread", "ours is", "warm, MB/s", "spread",
               "ours is"], rows, left=2), "",
        f"One thread each, every run in a fresh process, interleaved; medians. Cold is the first "
        f"call, warm are those from number {result.get('warm_from', 2)} on; {versions}.{twice}  ",
        source(result, texts=texts)])


def encoding_peers(kind):
    """Arrays or lists with GPT-2's vocabulary, against others; `elsewhere` is another processor."""
    result = load({"strings": "strings", "elsewhere": "elsewhere"}.get(kind, "peers"), "tokenizer")
    kind = "arrays" if kind == "elsewhere" else kind
    return against_peers(result, kind, "{}.txt".format, [f"{name}.txt" for name in result[kind]])


def encoding_small(_):
    """Many short texts, and one, against others."""
    result = load("small", "tokenizer")
    rows = []
    for kind, size, unit in (("batches", result["num_lines"], "line"),
                             ("shorts", result["short_calls"], "call")):
        all_times = result[kind]
        first = next(iter(all_times))
        for peer, times in all_times.items():
            # A loop is compared with our loop, and one call with one call.
            ours = all_times["cs336_bpe, [encode]" if "[" in peer else first]
            row = [f"{size:,} lines" if kind == "batches" else "one short text", peer]
            for temperature in ("cold", "warm"):
                if kind == "shorts" and temperature == "cold":  # the same text again and again
                    row += ["", ""]
                    continue
                seconds = times[temperature]
                row += [number(statistics.median(seconds) / size * 1e9) + f" ns per {unit}",
                        "" if peer.startswith("cs336_bpe") else ratio(ours[temperature], seconds)]
            rows.append(row)
    versions = ", ".join(f"{peer} {version}" for peer, version in result["versions"].items())
    return "\n".join([
        table(["texts", "encoder", "cold", "ours is", "warm", "ours is"], rows, left=2), "",
        f"One thread each, every run in a fresh process, interleaved; medians. The lines have "
        f"{result['num_bytes'] / result['num_lines']:.0f} bytes on average; the short text is "
        f"`{result['short']}`, {result['short_calls']:,} times in a row. *Ours* is our loop for a "
        f"loop, and else the first row. Cold is the first call, warm are those from number "
        f"{result['warm_from']} on; {versions}.  ", source(result, texts=["web.txt"])])


def encoding_today(_):
    """Arrays with today's vocabularies."""
    result = load("today", "tokenizer")
    return against_peers(result, "arrays", lambda name: "{}, {}.txt".format(*name.split()),
                         ["web.txt", "code.txt", "multilingual.txt"])


def encoding_threads(_):
    result = load("peers", "tokenizer")
    rows = []
    for name, corpus in result["arrays"].items():
        one = corpus["seconds"]["cs336_bpe"]
        for peer, times in corpus["seconds"].items():
            if not peer.startswith("cs336_bpe"):
                continue
            row = [f"{name}.txt", 2 if "threads" in peer else 1]
            for temperature in ("cold", "warm"):
                seconds = times[temperature]
                row += [speed(corpus["num_bytes"], seconds), spread(corpus["num_bytes"], seconds),
                        ratio(seconds, one[temperature])]
            rows.append(row)
    return "\n".join([table(["text", "threads", "cold, MB/s", "spread", "gain", "warm, MB/s",
                             "spread", "gain"], rows), "",
                      "`encode_array`, in the same runs as above.  ",
                      source(result, texts=[f"{name}.txt" for name in result["arrays"]])])


def encoding_pathological(_):
    result = load("pathological", "tokenizer")
    rows = [[row["case"], *(number(1000 * seconds) for seconds in row["seconds"]),
             *(number(b / a) + "x" for a, b in zip(row["seconds"], row["seconds"][1:])),
             number(row["seconds"][-1] / 4e6 * 1e9),
             " to ".join(number(bound(row["all_seconds"][-1]) / 4e6 * 1e9) for bound in (min, max))]
            for row in result["rows"]]
    return "\n".join([table(["text", "1 MB, ms", "2 MB, ms", "4 MB, ms", "1 to 2", "2 to 4",
                             "ns per byte", "spread"], rows), "",
                      f"Processor time; medians of {result['rounds']}, in turns. The last two "
                      f"columns are of 4 MB.  ", source(result)])


def encoding_cache(_):
    result = load("cache", "tokenizer")
    largest = {}
    for row in result["rows"]:  # the last of a text has the largest cache
        largest[row["text"]] = row["num_bytes"] / row["seconds"]
    rows = [[row["text"], f"{row['cache_bytes'] >> 20}", number(row["used_bytes"] / (1 << 20)),
             row["times_full"], f"{row['num_bytes'] / row['seconds'] / largest[row['text']]:.0%}"]
            for row in result["rows"]]
    header = ["text", "`cache_bytes`, MiB", "used at the end, MiB", "times full",
              "speed, of the one with the largest cache"]
    rounds = result.get("rounds")
    how = f"; medians of {rounds}, in turns" if rounds else ""
    return "\n".join([table(header, rows), "", f"100 MB each, from an empty cache{how}.  ",
                      source(result, texts=["web.txt"])])


def encoding_large(_):
    result = load("large", "tokenizer")
    rows = [[row["workers"], f"{row['num_bytes']:,}", f"{row['num_ids']:,}", number(row["seconds"]),
             number(row["num_bytes"] / row["seconds"] / 1e6), number(row["peak_bytes"] / 1e6)]
            for row in result["rows"]]
    header = ["threads", "bytes", "ids", "seconds", "MB/s", "peak of the process, MB"]
    return "\n".join([table(header, rows, left=0), "",
                      source(result, texts=["CS336_BPE_LARGE"])])


def encoding_workers(_):
    result = load("workers", "tokenizer")
    rows = []
    first = statistics.median(result["rows"][0]["seconds"])
    for count in sorted({row["workers"] for row in result["rows"]}):
        line = [count]
        for how in ("threads", "processes"):
            run = next(row for row in result["rows"]
                       if row["workers"] == count and row["how"] == how)
            middle = statistics.median(run["seconds"])
            line += [number(middle), number(first / middle) + "x"]
        rows.append(line)
    return "\n".join([table(["workers", "threads, s", "against one thread", "processes, s",
                             "against one thread"], rows, left=0), "",
                      "Documents of web.txt to lists of ids, reading the tokenizer included; "
                      "medians of 3.  ", source(result, texts=["web.txt"])])


def coursework(_):
    result = load("coursework", "tokenizer")
    rows = [[row["tokenizer"], f"{row['vocab_size']:,}",
             ", ".join(f"`{text}`" if text.strip(" ") else f"{length} spaces"
                       for text, length in zip(row["longest"], row["lengths"])),
             *(number(row["bytes_per_token"][name]) for name in ("stories", "web"))]
            for row in result["rows"]]
    header = ["trained on", "vocabulary", "longest tokens", "bytes per token, stories",
              "bytes per token, web"]
    return "\n".join([table(header, rows, left=3), "",
                      "Trained on 95 % of the documents, measured on the others.  ",
                      source(result)])


MAKERS = (encoding_peers, encoding_small, encoding_today, encoding_threads, encoding_pathological,
          encoding_cache, encoding_large, encoding_workers, coursework)
