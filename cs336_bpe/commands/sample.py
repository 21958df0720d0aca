"""`sample`: some documents of a corpus, chosen at random or 'smart'."""

import argparse

from cs336_bpe.commands.console import add_common, note, print_result, progress_of
from cs336_bpe.commands.inputs import add_input_form
from cs336_bpe.commands.parser import any_number, whole_number
from cs336_bpe.commands.streams import add_out, the_output
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.common.tables import as_text, terminal_width
from cs336_bpe.corpora.sample import SampleReport, sample
from cs336_bpe.corpora.statistics import TextStatistics
from cs336_bpe.rules import END_OF_TEXT


def configure_sample(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Copy some documents of a corpus to another file, chosen at random, or 'smart': without "
        "near-duplicates, and with each length in its share. Text has a separator after each "
        "document; JSON lines and parquet have one document per line or row. The sample is "
        "parquet or JSON lines if its name ends in .parquet or .jsonl, and text otherwise.")
    parser.add_argument("input", metavar="IN", help="the corpus")
    add_out(parser, "the sample")
    amount = parser.add_mutually_exclusive_group(required=True)
    amount.add_argument("--documents", type=whole_number, metavar="N", help="how many documents")
    amount.add_argument("--fraction", type=any_number, metavar="F", help="how much of all, 0 to 1")
    parser.add_argument("--smart", action="store_true",
                        help="drop near-duplicates, and take of each length its share")
    parser.add_argument("--seed", type=whole_number, default=0, metavar="S",
                        help="another seed gives another sample (default: 0)")
    parser.add_argument("--separator", default=END_OF_TEXT, metavar="TEXT",
                        help=f"what stands after each document (default: {END_OF_TEXT})")
    add_input_form(parser)
    add_common(parser)


def run_sample(options: argparse.Namespace) -> int:
    out = the_output(options)
    with progress_of(options) as progress:
        report = sample(options.input, out, documents=options.documents,
                        fraction=options.fraction, smart=options.smart, seed=options.seed,
                        separator=options.separator, column=options.field,
                        input_format=options.input_format, progress=progress)
    if report.note:
        note(options, f"cs336-bpe: note: {report.note}")
    print_result(options, report.as_json(), in_words(report), summary=True)
    return 0


def in_words(report: SampleReport) -> str:
    rows: list[tuple[str, ...]] = [("", "before", f"{'after':>11}")]
    rows += [(name, before, f"{after:>11}") for (name, before), (_, after)
             in zip(figures(report.before), figures(report.after))]
    lines = [as_text(rows, terminal_width()), ""]
    if report.smart:
        lines.append(f"{report.near_duplicates:,} near-duplicates left out")
    lines.append(f"wrote {report.output}")
    return "\n".join(lines)


def figures(statistics: TextStatistics) -> list[tuple[str, str]]:
    lengths = [(f"length, {percent} %", f"{length:,} B")
               for percent, length in statistics.percentiles.items()]
    shares = [(kind.replace("_", " "), f"{share:.1%}")
              for kind, share in statistics.characters.items()]
    return [("documents", f"{statistics.documents:,}"), ("size", readable_size(statistics.bytes)),
            ("empty", f"{statistics.empty:,}"), ("length, mean", f"{statistics.mean:,.0f} B"),
            *lengths, *shares]
