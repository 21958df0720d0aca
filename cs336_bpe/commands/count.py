"""`count` and `merge-counts`: counts of pretokens in files, for many machines and one training."""

import argparse
from typing import Any

from cs336_bpe.commands.cluster import add_cluster, connected
from cs336_bpe.commands.console import add_common, fitted, print_result, progress_of
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.inputs import add_counting, count_files, specials_of, token_as_json
from cs336_bpe.commands.phases import Phases
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.encode.trace import readable
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import check_special_tokens

MOST_FREQUENT = 10


def configure_count(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Count how often each pretoken occurs in text files, and save the counts: all that "
        "training needs to know, and much smaller than the text. 'merge-counts' adds counts up, "
        "and 'train --counts' trains from them.")
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help="text, compressed text, JSON lines or parquet files; folders and "
                        "patterns of these; - for standard input")
    parser.add_argument("-o", "--out", required=True, metavar="OUT.counts", help="where to save")
    add_counting(parser)
    add_cluster(parser)
    parser.add_argument("--checkpoint", metavar="DIR",
                        help="with --dask: a folder to keep what has been counted so far; the same "
                        "command goes on from there")
    add_common(parser)


def run_count(options: argparse.Namespace) -> int:
    specials = check_special_tokens(specials_of(options))
    phases = Phases()
    if options.checkpoint and not options.dask:
        raise UsageError("--checkpoint goes with --dask")
    with (progress_of(options) as progress, connected(options) as cluster,
          phases.measured("count") as set_work):
        if options.checkpoint:
            cluster["checkpoint"] = options.checkpoint
        counts, size = count_files(options.files, options, specials, progress, cluster)
        if size:  # nobody knows that of standard input
            set_work(readable_size(size))
    save(options, counts, phases, {"files": options.files, "bytes": size,
                                   "special_tokens": specials})
    return 0


def configure_merge_counts(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Add up counts that 'count' has saved, perhaps on several machines. They must have been "
        "counted with the same pattern and special tokens, which the files do not say.")
    parser.add_argument("files", nargs="+", metavar="FILE.counts", help="files of counts")
    parser.add_argument("-o", "--out", required=True, metavar="OUT.counts", help="where to save")
    add_common(parser)


def run_merge_counts(options: argparse.Namespace) -> int:
    phases = Phases()
    counts = PretokenCounts()
    with phases.measured("merge") as set_work:
        for file in options.files:
            counts += PretokenCounts.load(file)
        set_work(f"{len(options.files)} files")
    save(options, counts, phases, {"files": options.files})
    return 0


def save(options: argparse.Namespace, counts: PretokenCounts, phases: Phases,
         source: dict[str, Any]) -> None:
    with phases.measured("write") as set_work:
        counts.save(options.out)
        set_work(options.out)
    most = counts.top(MOST_FREQUENT)
    result = {
        **source, "out": options.out, "pretokens": counts.total, "kinds": len(counts),
        "text_bytes": counts.num_bytes, "phases": phases.as_json(),
        "most_frequent": [token_as_json(word) | {"count": count} for word, count in most],
    }
    text = [f"{counts.total:,} pretokens, {len(counts):,} distinct, "
            f"{readable_size(counts.num_bytes)}",
            *fitted(["most frequent: "
                     + ", ".join(f"{readable(word)} {count:,}" for word, count in most)]),
            "", phases.table(), "", f"wrote {options.out}"]
    print_result(options, result, "\n".join(text), summary=True)
