"""The command line: `cs336-bpe`, or `python -m cs336_bpe`."""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cs336_bpe import __version__, corpus, count_pretokens, ladder, stages
from cs336_bpe.files import atomic_writer
from cs336_bpe.interface import assemble_vocab, check_special_tokens, check_vocab_size
from cs336_bpe.measure_encoding import split_text
from cs336_bpe.progress import Bar

LADDER_BYTES = 2_000_000
LADDER_VOCAB_SIZE = 2_000
ENCODE_BYTES = 2_000_000
ENCODE_SECONDS = 3.0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="cs336-bpe", description="Byte-level BPE, from the definition to the fastest.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_ladder(commands)
    options = parser.parse_args(arguments)
    try:
        result = options.run(options)
        assert isinstance(result, int)
        return result
    except KeyboardInterrupt:
        print("cs336-bpe: interrupted", file=sys.stderr)
        return 130
    except (OSError, ValueError, TypeError, ImportError, ladder.StagesDisagree) as error:
        if options.debug:
            raise
        print(f"cs336-bpe: {error}", file=sys.stderr)
        return 1


def add_ladder(commands: Any) -> None:
    parser = commands.add_parser(
        "ladder",
        help="run the ladders and print their speedup tables",
        description="Run every stage of the pretokenization ladder on the same text and every "
        "stage of the training ladder on the same counts, encode the beginning of the text with "
        "every stage of the encoding ladder, each in a fresh process, check that all of them give "
        "the same result, and print how much faster each one is. Takes a minute or two on the "
        "built-in corpus.",
        epilog="example: cs336-bpe ladder --corpus my.txt --vocab-size 5000",
    )
    parser.add_argument("--corpus", metavar="FILE", help="a text file of your own")
    parser.add_argument("--built-in", choices=["stories", "web"], default="stories",
                        help="which generated corpus to use without --corpus (default: stories)")
    parser.add_argument("--bytes", type=int, default=LADDER_BYTES, metavar="N",
                        help=f"its size (default: {LADDER_BYTES:,})")
    parser.add_argument("--vocab-size", type=int, default=LADDER_VOCAB_SIZE, metavar="N",
                        help=f"size of the vocabulary (default: {LADDER_VOCAB_SIZE:,})")
    parser.add_argument("--special", action="append", metavar="TOKEN",
                        help="a special token; may be repeated (default: <|endoftext|>)")
    parser.add_argument("--limit", type=float, default=10.0, metavar="SECONDS",
                        help="a stage that would take longer does only its first merges, and "
                        "the rest is extrapolated (default: 10); an encoding stage stops after "
                        f"this time or {ENCODE_SECONDS:.0f} seconds, whichever is less")
    parser.add_argument("--json", metavar="FILE", help="save the results as JSON as well")
    parser.add_argument("--debug", action="store_true", help="show a traceback on errors")
    parser.set_defaults(run=run_ladder)


def run_ladder(options: argparse.Namespace) -> int:
    specials = check_special_tokens(options.special or ["<|endoftext|>"])
    num_merges = check_vocab_size(options.vocab_size, len(specials))
    seconds = min(options.limit, ENCODE_SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        if options.corpus:
            name, path = options.corpus, Path(options.corpus)
        else:
            name = f"built-in {options.built_in}, {options.bytes:,} bytes"
            path = Path(folder, "text")
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(corpus.stream(options.built_in, options.bytes))
        counts = count_pretokens(path, specials)
        pretokens = split_text(beginning_of(path), specials)
        rungs = stages.ladder("pretokenize") + stages.ladder("train") + stages.ladder("encode")
        with Bar(total=len(rungs), unit="stage", disable=not sys.stderr.isatty()) as bar:
            def report(stage: stages.Stage, done: int, total: int) -> None:
                bar.n = rungs.index(stage)
                bar.set_description(f"{stage.ladder} {stage.number} {done:,}/{total:,}")
            runs = ladder.run_counting_ladder(path, specials, report=report)
            trained = ladder.run_training_ladder(
                counts, num_merges, limit=options.limit, report=report)
            rows = [row.as_json() for row in trained]
            merges = trained[-1].run.merges
            encoded = ladder.run_encoding_ladder(
                assemble_vocab([], merges), merges, pretokens, limit=seconds, report=report)

    print(f"{name}; {len(counts):,} kinds of pretokens\n{describe_machine()}\n")
    print("Pretokenization: text -> counts\n")
    print(ladder.as_text(ladder.counting_table(runs)))
    print("\nAll stages give the same counts. Times are until there is a dict of them; training "
          "does not need\none, and without it the last stage takes "
          f"{runs[-1]['columns_seconds']:.3f} s.\n")
    print(f"Training: counts -> merges, vocabulary {options.vocab_size:,}\n")
    print(ladder.as_text(ladder.table(rows)))
    print()
    for note in ladder.footnotes(rows):
        print(note)
    print(f"\nEncoding: the first {encoded[0]['wanted_bytes']:,} bytes of pretokens -> ids, "
          f"vocabulary {options.vocab_size:,}\n")
    print(ladder.as_text(ladder.encoding_table(encoded)))
    print(f"\nAll stages give the same ids, as far as each one got in {seconds:g} seconds "
          "('bytes done'). Each one is a\nfresh encoder in a fresh process, so a memory of "
          "pretokens starts empty. Stages 01 to 06 are given\npretokens; stage07 is given "
          "documents, and its time includes cutting them into pretokens.")
    if options.json:
        save_json(options.json, {
            "corpus": name, "kinds": len(counts), "vocab_size": options.vocab_size,
            "machine": describe_machine(), "pretokenize": runs, "train": rows, "encode": encoded,
        })
    return 0


def beginning_of(path: Path) -> str:
    """The first part of a text file, for the encoding ladder; a character that is cut is left
    out."""
    with path.open("rb") as file:
        return file.read(ENCODE_BYTES).decode("utf-8", "ignore")


def describe_machine() -> str:
    """The processor, the system and the interpreter, in one line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return (f"{model}, {os.cpu_count()} cores; {platform.system()}; "
            f"{platform.python_implementation()} {platform.python_version()}")


def save_json(path: str, value: object) -> None:
    """Write a file that is either complete or not there."""
    with atomic_writer(path) as file:
        file.write((json.dumps(value, indent=1) + "\n").encode())
