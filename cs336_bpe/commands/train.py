"""`train`: text files, saved counts or the built-in corpus to a tokenizer in files."""

import argparse
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cs336_bpe.commands.console import Callback, add_common, fitted, note, print_result, progress_of
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.inputs import (
    BUILT_IN_BYTES,
    add_built_in,
    add_counting,
    built_in,
    count_files,
    pattern_of,
    specials_of,
    times_in_files,
    token_as_json,
)
from cs336_bpe.commands.parser import whole_number
from cs336_bpe.commands.phases import Phases
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.cost.bytes_per_token import num_tokens
from cs336_bpe.encode.trace import readable
from cs336_bpe.formats.loading import FILES, load_model, save_model
from cs336_bpe.inputs import Corpus
from cs336_bpe.pretokenize import UnmatchedWarning, count_pretokens_in
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import (
    END_OF_TEXT,
    EarlyStopWarning,
    Model,
    check_pattern,
    check_special_tokens,
    check_vocab_size,
)
from cs336_bpe.train import train_bpe_from_counts

LONGEST = 5


def configure_train(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Learn a tokenizer from text files, or from the built-in corpus if none is given, and "
        "save it in a folder. Files may be larger than memory.")
    parser.add_argument("files", nargs="*", metavar="FILE",
                        help="text, compressed text, JSON lines or parquet files; folders and "
                        "patterns of these; - for standard input")
    parser.add_argument("--vocab-size", type=whole_number, required=True, metavar="N",
                        help="bytes, special tokens and merges, all together")
    parser.add_argument("-o", "--out", required=True, metavar="DIR",
                        help="a folder; made if needed")
    add_counting(parser)
    parser.add_argument("--counts", metavar="FILE",
                        help="train from counts that 'count' has saved, instead of from text; give "
                        "the same --special and --pattern as then")
    parser.add_argument("--continue-from", metavar="PATH",
                        help="a tokenizer whose merges come first; the others are learned after")
    parser.add_argument("--tie-break", choices=["lexicographic", "huggingface"],
                        default="lexicographic", help="which of equally frequent pairs wins")
    parser.add_argument("--formats", default="own,gpt2", metavar="LIST",
                        help=f"of {', '.join(FILES)}, with commas between (default: own,gpt2)")
    add_built_in(parser, "FILE", BUILT_IN_BYTES)
    add_common(parser)


def run_train(options: argparse.Namespace) -> int:
    formats = check_formats(options.formats)
    if options.files and options.counts:
        raise UsageError("give either text files or --counts; 'count' and 'merge-counts' make one "
                         "file of counts out of many")
    specials = check_special_tokens(specials_of(options))
    check_vocab_size(options.vocab_size, len(specials))
    pattern = pattern_of(options.pattern)
    check_pattern(pattern)
    phases = Phases()
    with output_folder(options.out) as folder:
        with progress_of(options) as progress:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UnmatchedWarning)
                counts, source = read_counts(options, specials, phases, progress)
            notes = [str(warning.message) for warning in caught]
            notes += text_that_looks_special(options, specials)
            model, more = learn(options, counts, specials, pattern, phases, progress)
            notes += more
        with phases.measured("write") as set_work:
            files = [file for format in formats for file in save_model(model, folder, format)]
            set_work(", ".join(file.name for file in files))
    with phases.measured("measure") as set_work:
        tokens = num_tokens(model.merges, counts)
        set_work(f"{tokens:,} tokens")
    result = {
        **source, "pretokens": counts.total, "kinds": len(counts),
        "text_bytes": counts.num_bytes, "tokens": tokens,
        "bytes_per_token": counts.num_bytes / tokens if tokens else None,
        "vocab_size": len(model.vocab), "merges": len(model.merges),
        "special_tokens": specials, "pattern": pattern,
        "longest_tokens": longest_tokens(model), "phases": phases.as_json(),
        "files": [os.fspath(file) for file in files], "notes": notes,
    }
    for line in notes:
        note(options, f"cs336-bpe: note: {line}")
    print_result(options, result, in_words(result, phases), summary=True)
    return 0


def check_formats(text: str) -> list[str]:
    formats = list(dict.fromkeys(text.split(",")))
    for format in formats:
        if format not in FILES:
            raise UsageError(f"--formats has {format!r}; the formats are {', '.join(FILES)}")
    return formats


@contextmanager
def output_folder(path: str) -> Iterator[Path]:
    """A folder to write to. If it was made here and nothing was written to it, it goes again."""
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {path} is a file; give the name of a folder")
    new = not folder.exists()
    try:  # before it is made: Ctrl-C may come right after
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    except BaseException:
        if new:
            with suppress(OSError):
                folder.rmdir()
        raise


def read_counts(options: argparse.Namespace, specials: list[str], phases: Phases,
                progress: Callback | None) -> tuple[PretokenCounts, dict[str, Any]]:
    """The counts, and what they are of."""
    if options.counts:
        with phases.measured("load") as set_work:
            counts = PretokenCounts.load(options.counts)
            set_work(f"{len(counts):,} distinct pretokens")
        return counts, {"source": options.counts, "bytes": None}
    if options.files:
        with phases.measured("count") as set_work:
            counts, size = count_files(options.files, options, specials, progress)
            set_work(readable_size(size))
        names = options.files if len(options.files) <= 3 else [f"{len(options.files)} files"]
        return counts, {"source": ", ".join(names), "bytes": size}
    with phases.measured("generate") as set_work:
        text = "".join(built_in(options.built_in, options.bytes))
        set_work(readable_size(options.bytes))
    with phases.measured("count") as set_work:
        counts = count_pretokens_in(text, specials, workers=options.workers, progress=progress,
                                    pattern=pattern_of(options.pattern))
        set_work(readable_size(options.bytes))
    return counts, {"source": f"built-in {options.built_in}", "bytes": len(text.encode())}


def text_that_looks_special(options: argparse.Namespace, specials: list[str]) -> list[str]:
    """A note, if the files have the usual separator and it is not a special token."""
    files = options.files
    if END_OF_TEXT in specials or not all(map(os.path.isfile, files)):
        return []
    plain = Corpus(files, input_format=options.input_format).plain_files if files else []
    times = times_in_files([source.path for source in plain], END_OF_TEXT.encode())
    if not times:
        return []
    return [f"the text has {END_OF_TEXT} {times:,} times, which is not a special token here, so it "
            f"is learned as text; leave --no-special out"]


def learn(options: argparse.Namespace, counts: PretokenCounts, specials: list[str], pattern: str,
          phases: Phases, progress: Callback | None) -> tuple[Model, list[str]]:
    with warnings.catch_warnings(record=True) as caught, phases.measured("merge") as set_work:
        warnings.simplefilter("always", EarlyStopWarning)
        vocab, merges = train_bpe_from_counts(
            counts, options.vocab_size, specials, tie_break=options.tie_break, progress=progress,
            continue_from=load_model(options.continue_from).merges if options.continue_from else ())
        set_work(f"{len(merges):,} merges, {len(counts):,} distinct pretokens")
    notes = [str(warning.message) for warning in caught]
    return Model(vocab, merges, specials, pattern), notes


def longest_tokens(model: Model) -> list[dict[str, Any]]:
    specials = {token.encode() for token in model.special_tokens}
    tokens = [(number, token) for number, token in model.vocab.items() if token not in specials]
    longest = sorted(tokens, key=lambda item: (-len(item[1]), item[0]))[:LONGEST]
    return [token_as_json(token, number) for number, token in longest]


def in_words(result: dict[str, Any], phases: Phases) -> str:
    of_size = "" if result["bytes"] is None else f", {readable_size(result['bytes'])}"
    specials = ", ".join(result["special_tokens"]) or "none"
    ratio = result["bytes_per_token"]
    longest = ", ".join(readable(bytes.fromhex(token["bytes"]))
                        for token in result["longest_tokens"])
    lines = [
        f"{result['source']}{of_size}: {result['pretokens']:,} pretokens, "
        f"{result['kinds']:,} distinct",
        f"{result['vocab_size']:,} tokens: 256 bytes, {len(result['special_tokens']):,} special "
        f"({specials}), {result['merges']:,} merges",
    ]
    if ratio is not None:
        lines.append(f"{ratio:.3f} bytes per token on this text, special tokens left out")
    lines = fitted([*lines, f"longest tokens: {longest}"])
    lines += ["", phases.table(), "", *(f"wrote {file}" for file in result["files"])]
    return "\n".join(lines)
