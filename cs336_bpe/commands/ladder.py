"""`ladder`: every rung on the same input, checked against the others, timed."""

import argparse
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cs336_bpe import stages
from cs336_bpe.commands.console import add_common, note, print_result, save_json, write_text
from cs336_bpe.commands.inputs import add_built_in, add_specials, built_in, specials_of
from cs336_bpe.commands.mine import add_mine, is_wanted, run_mine
from cs336_bpe.commands.parser import any_number, whole_number
from cs336_bpe.common.amounts import plural
from cs336_bpe.common.bars import Bar
from cs336_bpe.common.tables import Layout, terminal_width
from cs336_bpe.measure import ladders
from cs336_bpe.measure.encoding import split_text
from cs336_bpe.measure.ladders import JsonRow
from cs336_bpe.measure.machine import describe_machine
from cs336_bpe.pretokenize import count_pretokens
from cs336_bpe.rules import assemble_vocab, check_special_tokens, check_vocab_size

LADDER_BYTES = 2_000_000
LADDER_VOCAB_SIZE = 2_000
ENCODE_BYTES = 2_000_000
ENCODE_SECONDS = 3.0
SMALL_BYTES = 50_000
WIDE = 112  # columns, from which on a table has the ideas in it


def configure_ladder(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run every stage of the pretokenization ladder on the same text and every stage of the "
        "training ladder on the same counts, encode the beginning of the text with every stage of "
        "the encoding ladder and decode it with every stage of the decoding ladder, each in a "
        "fresh process, check that all of them give the same result, and print how much faster "
        "each one is. Takes a minute or two on the built-in "
        "corpus.")
    parser.add_argument("--on", "--corpus", dest="corpus", metavar="FILE",
                        help="a text file of your own")
    add_built_in(parser, "--on", LADDER_BYTES)
    parser.add_argument("--vocab-size", type=whole_number, default=LADDER_VOCAB_SIZE, metavar="N",
                        help=f"size of the vocabulary (default: {LADDER_VOCAB_SIZE:,})")
    add_specials(parser)
    parser.add_argument("--limit", type=any_number, default=10.0, metavar="SECONDS",
                        help="a stage that would take longer does only its first merges, and "
                        "the rest is extrapolated (default: 10); an encoding stage stops after "
                        f"this time or {ENCODE_SECONDS:.0f} seconds, whichever is less")
    add_mine(parser)
    add_common(parser, json_file=True)


def run_ladder(options: argparse.Namespace) -> int:
    specials = check_special_tokens(specials_of(options))
    num_merges = check_vocab_size(options.vocab_size, len(specials))
    with tempfile.TemporaryDirectory() as folder:
        if options.corpus:
            name, path = options.corpus, Path(options.corpus)
        else:
            name = f"built-in {options.built_in}, {options.bytes:,} bytes"
            path = Path(folder, "text")
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(built_in(options.built_in, options.bytes))
        if is_wanted(options):
            return run_mine(options, path, specials)
        results = measure_all(options, name, path, specials, num_merges)
    save_json(options, results)
    if options.json:
        print_result(options, results, "")
    return 0


def measure_all(options: argparse.Namespace, name: str, path: Path, specials: list[str],
                num_merges: int) -> dict[str, Any]:
    """The rows of the four tables, each printed as soon as it is there."""
    counts = count_pretokens(path, specials)
    pretokens = split_text(beginning_of(path), specials)
    if path.stat().st_size < SMALL_BYTES:
        note(options, f"cs336-bpe: note: {plural(path.stat().st_size, 'byte')} of text are too few "
             f"to time; what is faster than what is mostly chance")
    machine = describe_machine()
    seconds = min(options.limit, ENCODE_SECONDS)
    size = f"vocabulary {options.vocab_size:,}"
    with Paper(options) as paper:
        paper.write(f"{name}; {len(counts):,} distinct pretokens", machine)
        runs = ladders.run_counting_ladder(
            path, specials, report=paper.report,
            show=paper.table("Pretokenization: text -> counts", "pretokenize",
                             ladders.counting_table))
        paper.write(
            *ladders.not_built("pretokenize"), *ladders.branches(ladders.counting_table(runs)),
            "All stages give the same counts. Times are until there is a dict of them; training "
            "does not need one, and without it the last stage takes "
            f"{runs[-1]['columns_seconds']:.3f} s.")

        trained = ladders.run_training_ladder(
            counts, num_merges, limit=options.limit, report=paper.report,
            show=paper.table(f"Training: counts -> merges, {size}", "train", ladders.table))
        rows = [row.as_json() for row in trained]
        paper.write(*ladders.not_built("train"), *ladders.footnotes(rows))

        merges = trained[-1].run.merges
        vocab = assemble_vocab([], merges)
        pretoken_bytes = sum(map(len, pretokens))
        encoded = ladders.run_encoding_ladder(
            vocab, merges, pretokens, limit=seconds, report=paper.report,
            show=paper.table(f"Encoding: the first {pretoken_bytes:,} bytes of pretokens -> ids, "
                             f"{size}", "encode", ladders.encoding_table))
        paper.write(
            *ladders.not_built("encode"), *ladders.branches(ladders.encoding_table(encoded)),
            f"All stages give the same ids, as far as each one got in {seconds:g} seconds ('bytes "
            "done'). Each one is a fresh encoder in a fresh process, so a cache of pretokens "
            "starts empty.", *what_encoders_are_given())

        encode = stages.find("encode").load().Encoder(vocab, merges).encode_pretoken
        ids = [number for pretoken in pretokens for number in encode(pretoken)]
        decoded = ladders.run_decoding_ladder(
            vocab, ids, report=paper.report,
            show=paper.table(f"Decoding: {len(ids):,} ids -> text, or bytes; millions of tokens "
                             "per second", "decode", ladders.decoding_table))
        paper.write(*ladders.not_built("decode"), "All stages give the same bytes and the same "
                    "text. Gains are of the column before them.")
    return {"corpus": name, "vocab_size": options.vocab_size, "machine": machine,
            "kinds": len(counts), "encode_seconds": seconds, "pretokenize": runs, "train": rows,
            "encode": encoded, "decode": decoded}


def what_encoders_are_given() -> list[str]:
    """Some stages cut the text themselves, and their times are not quite comparable."""
    whole = [stage.number for stage in ladders.rungs_there("encode") if stage.whole_texts]
    if not whole:
        return []
    return [f"Given documents, so that cutting them into pretokens is timed too: "
            f"{', '.join(whole)}. The others are given pretokens."]


# --- Tables that grow ------------------------------------------------------------------------


WIDEST = {"workers": "2", "seconds": "~9,999", "MB/s": "1,234", "x before": "~99.9 (04)",
          "x stage01": "~99,999", "merges/s": "~1,234,567", "bytes/s": "999,999,999",
          "bytes done": "2,000,000", "peak MB": "1,234.5", "list to text": "99.9",
          "list to bytes": "99.9", "array to bytes": "99.9"}
"""What a column has to have room for, because its rows are not known when the first is printed."""
LEFT_OUT = ("spread",)
DECODING_COLUMNS = 5  # those after them are for wide terminals

Cells = tuple[str, ...]


class Paper:
    """Standard output, with a bar under it on a terminal. Silent if the result is JSON."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.on_terminal = sys.stderr.isatty()
        self.rungs = [stage for name in ("pretokenize", "train", "encode", "decode")
                      for stage in ladders.rungs_there(name)]
        self.begun: set[stages.Stage] = set()
        self.width = terminal_width()
        self.after_table = False

    def __enter__(self) -> "Paper":
        self.bar = Bar(total=len(self.rungs), unit="stage", leave=False,
                       disable=self.options.quiet or not self.on_terminal)
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def report(self, stage: stages.Stage, done: int, total: int) -> None:
        self.bar.n = self.rungs.index(stage)
        self.bar.set_description(f"{stage.ladder} {stage.number} {done:,}/{total:,}")
        if not self.on_terminal and stage not in self.begun:
            self.begun.add(stage)
            note(self.options, f"{stage.ladder}: {stage.name}")

    def write(self, *paragraphs: str) -> None:
        """Some paragraphs, between empty lines."""
        lines = [line for text in paragraphs for line in textwrap.wrap(text, self.width)]
        self.lines([*([""] if self.after_table else []), *lines, ""])
        self.after_table = False

    def lines(self, lines: list[str]) -> None:
        if self.options.json == "-":
            return
        self.bar.clear()
        write_text("".join(f"{line}\n" for line in lines))

    def table(self, title: str, ladder: str,
              make: Callable[[list[JsonRow]], list[Cells]]) -> Callable[[JsonRow], None]:
        """Print the head of a table; returns a function that prints a row."""
        rungs = stages.ladder(ladder)
        header = make([])[0]
        widest = tuple(WIDEST.get(name, "") for name in header)
        longest = [(stage.name, *widest[1:-1], stage.idea) for stage in rungs]
        layout = Layout([self.shown(header, row) for row in [header, *longest]], self.width)
        self.write(title)
        self.lines(layout.head())
        rows: list[JsonRow] = []

        def show(row: JsonRow) -> None:
            rows.append(row)
            cells = make(rows)[-1]
            self.after_table = True
            self.lines(layout.row(self.shown(header, (row["stage"], *cells[1:]))))
        return show

    def shown(self, header: Cells, cells: Cells) -> Cells:
        """The cells that are shown: without the idea where a line has no room for it."""
        name, *others = zip(header, cells)
        kept = [cell for title, cell in others if title not in (*LEFT_OUT, "idea")]
        if self.width < WIDE:
            kept = kept[:DECODING_COLUMNS] if "list to text" in header else kept
        else:
            kept.append(cells[-1])
        return (re.sub(r"^stage(?=\d)", "", name[1]).replace("_", " "), *kept)


def beginning_of(path: Path) -> str:
    """The first part of a text file, for the encoding ladder; a character that is cut is left
    out."""
    with path.open("rb") as file:
        return file.read(ENCODE_BYTES).decode("utf-8", "ignore")
