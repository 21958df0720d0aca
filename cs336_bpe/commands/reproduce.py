"""`reproduce`: published experiments on this machine, beside what was published."""

import argparse
import os
import sys
import tempfile
from math import ceil
from pathlib import Path
from typing import Any

from cs336_bpe.commands.console import add_common, note, print_result, save_json, write_text
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.common.tables import as_text, terminal_width
from cs336_bpe.measure.machine import describe_machine
from cs336_bpe.pretokenize import count_pretokens
from cs336_bpe.reproduce import digits
from cs336_bpe.reproduce.experiments import about_seconds, choose
from cs336_bpe.reproduce.published import FIGURES
from cs336_bpe.reproduce.report import LEGEND, WIDTH, report, wrapped
from cs336_bpe.reproduce.session import Result, State, load_book, run_session, settings_of
from cs336_bpe.reproduce.texts import COUNTS, ROLES, Lab, load_counts
from cs336_bpe.rules import END_OF_TEXT

STATE = "cs336-bpe-reproduce.json"
DIGITS, EQUAL = "digits", "to the digit"


def configure_reproduce(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    about = [
        "Run published experiments on this machine and print what was published, what the book's "
        "machine gave, what yours gives, and whether the published row holds.", "",
        *(f"  {name:3} {figure.title}" for name, figure in FIGURES.items()),
        "  digits  numbers that no machine changes: do all of them agree?", "",
        "Interrupt it at any time: what is finished is kept, and the same command goes on."]
    parser.description = "\n".join(
        line for text in about for line in (wrapped(text) if text[:2] != "  " else [text[:WIDTH]])
        or [""])
    parser.add_argument("figures", nargs="+", metavar="FIGURE",
                        help="A1 ... E, a letter for all of a write-up, 'all', or 'digits'")
    parser.add_argument("--quick", action="store_true",
                        help="small texts; all of it in under ten minutes")
    parser.add_argument("--data", metavar="FOLDER", default=os.environ.get("CS336_BPE_DATA"),
                        help="a folder with the real texts, under the names that 'fetch' gives "
                        "them (default: $CS336_BPE_DATA); what is not there is generated")
    parser.add_argument("--counts", metavar="FILE", help="for 'digits': the counts of "
                        "TinyStories-train, as 'count' saves them")
    parser.add_argument("--state", metavar="FILE", default=STATE,
                        help=f"where finished experiments are kept (default: {STATE})")
    parser.add_argument("--fresh", action="store_true", help="measure again what is kept")
    add_common(parser, json_file=True)


def run_reproduce(options: argparse.Namespace) -> int:
    data = Path(options.data) if options.data else None
    if data is not None and not data.is_dir():
        raise UsageError(f"--data {options.data} is not a folder")
    if DIGITS in options.figures:
        if len(options.figures) > 1:
            raise UsageError("'digits' is a table of its own; give it alone")
        return run_digits(options, data)
    if options.counts:
        raise UsageError("--counts goes with 'digits'")
    try:
        names = choose(options.figures)
    except ValueError as error:
        raise UsageError(str(error)) from error
    path = Path(options.state)
    state, book = State(path, forget=names if options.fresh else ()), load_book()
    results = []
    steps = Steps(options)
    with tempfile.TemporaryDirectory(prefix="cs336-bpe-") as folder:
        lab = Lab(Path(folder), data, "quick" if options.quick else "full", steps)
        ahead = [name for name in names if state.kept(name, settings_of(lab)) is None]
        note(options, announce(names, ahead, options, path))
        try:
            for result in run_session(names, lab, state, Headings(options, names)):
                results.append(result)
                steps.clear()
                if options.json != "-":
                    write_text(f"{report(result, book.get(result.figure))}\n\n")
        except KeyboardInterrupt:
            steps.clear()
            note(options, "\n".join(wrapped(
                f"{len(results)} of {len(names)} finished and kept in {path}; the same command "
                f"goes on from there")))
            raise
    value = as_value(results, book)
    save_json(options, value)
    print_result(options, value, legend())
    return 0


def announce(names: list[str], ahead: list[str], options: argparse.Namespace, path: Path) -> str:
    """What is going to happen, and how long it takes."""
    minutes = ceil(about_seconds(ahead, options.quick) / 60)
    where = (f"real texts from {options.data} where they are there" if options.data
             else "generated texts; --data FOLDER names real ones")
    kept = len(names) - len(ahead)
    words = (f"{len(ahead)} experiment{'s' * (len(ahead) != 1)}, about {minutes} "
             f"minute{'s' * (minutes != 1)}, on {where}." if ahead else "All of it is finished.")
    if kept:
        words += f" {kept} kept in {path}; --fresh measures again."
    elif ahead:
        words += f" What is finished is kept in {path}."
    return "\n".join(wrapped(words))


def legend() -> str:
    return "\n".join([*wrapped(LEGEND), *wrapped(describe_machine())])


class Steps:
    """What an experiment does now: one line that changes on a terminal, lines elsewhere."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options

    def __call__(self, text: str) -> None:
        if self.options.quiet:
            return
        if sys.stderr.isatty():
            print(f"\r\x1b[K  {text[: WIDTH - 3]}", end="", file=sys.stderr, flush=True)
        else:
            print(f"  {text}", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if sys.stderr.isatty() and not self.options.quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Headings:
    """A line when an experiment begins."""

    def __init__(self, options: argparse.Namespace, names: list[str]) -> None:
        self.options, self.names = options, names

    def __call__(self, name: str, kept: Result | None) -> None:
        if self.options.quiet:
            return
        seconds = about_seconds([name], self.options.quick)
        about = f"kept from {kept.date}" if kept is not None else (
            f"about {seconds} s" if seconds < 100 else f"about {ceil(seconds / 60)} minutes")
        start = "\r\x1b[K" if sys.stderr.isatty() else ""
        print(f"{start}[{self.names.index(name) + 1}/{len(self.names)}] {name}, {about}",
              file=sys.stderr, flush=True)


def as_value(results: list[Result], book: dict[str, Result]) -> dict[str, Any]:
    return {"machine": describe_machine(),
            "figures": {result.figure: result.as_json() for result in results},
            "book": {result.figure: book[result.figure].as_json() for result in results
                     if result.figure in book}}


# --- The digit-exact table -----------------------------------------------------------------


def run_digits(options: argparse.Namespace, data: Path | None) -> int:
    """What no machine changes, from counts or from the file."""
    lab = Lab(Path(), data)
    text = lab.find(ROLES["tinystories-train"].file)
    counts_file = Path(options.counts) if options.counts else lab.find(COUNTS)
    if counts_file is not None:
        counts, source = load_counts(counts_file), counts_file
        size = digits.FILE_BYTES
    elif text is not None:
        note(options, f"counting {text}")
        counts, source = count_pretokens(text, [END_OF_TEXT]), text
        size = text.stat().st_size
    else:
        raise UsageError("'digits' needs TinyStories-train: get it with 'cs336-bpe fetch "
                         "tinystories-train --folder data' and give --data data, or give --counts")
    ours = digits.compute(counts, size)
    rows = digits.compare(ours)
    names = ("what", "published", "ours", "verdict")
    table: list[tuple[str, ...]] = [names]
    table += [(f"{row['figure']}: {row['what']}", *(row[name] for name in names[1:]))
              for row in rows]
    below = wrapped(f"TinyStories-train, vocabulary {digits.VOCAB_SIZE:,}, from {source}")
    for row in rows:
        if row["note"]:
            below += wrapped(f"{row['what']}: {row['note']}")
    save_json(options, ours.as_json())
    print_result(options, ours.as_json(), "\n".join([as_text(table, terminal_width()), "", *below]))
    return 0 if all(row["verdict"] == EQUAL or row["figure"] in digits.KNOWN_TO_DIFFER
                    for row in rows) else 1
