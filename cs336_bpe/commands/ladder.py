"""`ladder`: every rung on the same input, checked against the others, timed."""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from cs336_bpe import stages
from cs336_bpe.commands.console import add_common, note, print_result, save_json
from cs336_bpe.commands.mine import add_mine, is_wanted, run_mine
from cs336_bpe.common.bars import Bar
from cs336_bpe.common.tables import as_text
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.measure import ladders
from cs336_bpe.measure.encoding import split_text
from cs336_bpe.measure.machine import describe_machine
from cs336_bpe.pretokenize import count_pretokens
from cs336_bpe.rules import assemble_vocab, check_special_tokens, check_vocab_size

LADDER_BYTES = 2_000_000
LADDER_VOCAB_SIZE = 2_000
ENCODE_BYTES = 2_000_000
ENCODE_SECONDS = 3.0


def configure_ladder(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run every stage of the pretokenization ladder on the same text and every stage of the "
        "training ladder on the same counts, encode the beginning of the text with every stage of "
        "the encoding ladder and decode it with every stage of the decoding ladder, each in a "
        "fresh process, check that all of them give the same result, and print how much faster "
        "each one is. Takes a minute or two on the built-in "
        "corpus.")
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
    add_mine(parser)
    add_common(parser, json_file=True)


def run_ladder(options: argparse.Namespace) -> int:
    specials = check_special_tokens(options.special or ["<|endoftext|>"])
    num_merges = check_vocab_size(options.vocab_size, len(specials))
    with tempfile.TemporaryDirectory() as folder:
        if options.corpus:
            name, path = options.corpus, Path(options.corpus)
        else:
            name = f"built-in {options.built_in}, {options.bytes:,} bytes"
            path = Path(folder, "text")
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(corpus.stream(options.built_in, options.bytes))
        if is_wanted(options):
            return run_mine(options, path, specials)
        results = measure_all(options, path, specials, num_merges)
    results = {"corpus": name, "vocab_size": options.vocab_size, "machine": describe_machine(),
               **results}
    save_json(options, results)
    print_result(options, results, in_words(results))
    return 0


def measure_all(options: argparse.Namespace, path: Path, specials: list[str],
                num_merges: int) -> dict[str, Any]:
    """The rows of the four tables."""
    counts = count_pretokens(path, specials)
    pretokens = split_text(beginning_of(path), specials)
    rungs = [stage for name in ("pretokenize", "train", "encode", "decode")
             for stage in ladders.rungs_there(name)]
    on_terminal = sys.stderr.isatty()
    begun = set()
    with Bar(total=len(rungs), unit="stage", disable=options.quiet or not on_terminal) as bar:
        def report(stage: stages.Stage, done: int, total: int) -> None:
            bar.n = rungs.index(stage)
            bar.set_description(f"{stage.ladder} {stage.number} {done:,}/{total:,}")
            if not on_terminal and stage not in begun:
                begun.add(stage)
                note(options, f"{stage.ladder}: {stage.name}")
        seconds = min(options.limit, ENCODE_SECONDS)
        runs = ladders.run_counting_ladder(path, specials, report=report)
        trained = ladders.run_training_ladder(counts, num_merges, limit=options.limit,
                                             report=report)
        merges = trained[-1].run.merges
        vocab = assemble_vocab([], merges)
        encoded = ladders.run_encoding_ladder(vocab, merges, pretokens, limit=seconds,
                                              report=report)
        encode = stages.find("encode").load().Encoder(vocab, merges).encode_pretoken
        ids = [number for pretoken in pretokens for number in encode(pretoken)]
        decoded = ladders.run_decoding_ladder(vocab, ids, report=report)
    return {"kinds": len(counts), "encode_seconds": seconds, "pretokenize": runs,
            "train": [row.as_json() for row in trained], "encode": encoded, "decode": decoded}


def in_words(results: dict[str, Any]) -> str:
    runs, rows, encoded = results["pretokenize"], results["train"], results["encode"]
    lines = [
        f"{results['corpus']}; {results['kinds']:,} distinct pretokens", results["machine"], "",
        "Pretokenization: text -> counts", "", as_text(ladders.counting_table(runs)), "",
        *ladders.not_built("pretokenize"),
        *ladders.branches(ladders.counting_table(runs)),
        "All stages give the same counts. Times are until there is a dict of them; training does "
        "not need",
        f"one, and without it the last stage takes {runs[-1]['columns_seconds']:.3f} s.", "",
        f"Training: counts -> merges, vocabulary {results['vocab_size']:,}", "",
        as_text(ladders.table(rows)), "", *ladders.not_built("train"), *ladders.footnotes(rows), "",
        f"Encoding: the first {encoded[0]['wanted_bytes']:,} bytes of pretokens -> ids, "
        f"vocabulary {results['vocab_size']:,}", "",
        as_text(ladders.encoding_table(encoded)), "", *ladders.not_built("encode"),
        *ladders.branches(ladders.encoding_table(encoded)),
        f"All stages give the same ids, as far as each one got in {results['encode_seconds']:g} "
        "seconds ('bytes done'). Each one is a",
        "fresh encoder in a fresh process, so a cache of pretokens starts empty.",
        *what_encoders_are_given(), "",
        f"Decoding: {results['decode'][0]['num_tokens']:,} ids -> text, or bytes; millions of "
        "tokens per second", "",
        as_text(ladders.decoding_table(results["decode"])), "", *ladders.not_built("decode"),
        "All stages give the same bytes and the same text. The gains after 'list to text' are of "
        "that, and those",
        "after 'array to bytes' of that.",
    ]
    return "\n".join(lines)


def what_encoders_are_given() -> list[str]:
    """Some stages cut the text themselves, and their times are not quite comparable."""
    whole = [stage.number for stage in ladders.rungs_there("encode") if stage.whole_texts]
    if not whole:
        return []
    return [f"Given documents, so that cutting them into pretokens is timed too: "
            f"{', '.join(whole)}. The others", "are given pretokens."]


def beginning_of(path: Path) -> str:
    """The first part of a text file, for the encoding ladder; a character that is cut is left
    out."""
    with path.open("rb") as file:
        return file.read(ENCODE_BYTES).decode("utf-8", "ignore")
