"""`convert`: a tokenizer from one format to another."""

import argparse
import os
from typing import get_args

from cs336_bpe.commands.console import add_common, print_result
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.inputs import add_missing_parts, pattern_of, read_specials
from cs336_bpe.commands.streams import add_out, the_output
from cs336_bpe.formats.loading import FILES, recognise_and_load, save_model
from cs336_bpe.rules import RoleName
from cs336_bpe.tokenizer import Tokenizer

NAMES = {"tokenizer.json": "huggingface", ".tiktoken": "tiktoken", ".bpe.json": "own",
         "vocab.json": "gpt2"}
"""How the names of files end, and what that says."""


def configure_convert(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Read a tokenizer of any format and write it in another: our own, GPT-2's vocab.json and "
        "merges.txt, tiktoken's ranks, Hugging Face's tokenizer.json, or a folder for "
        "transformers. What was written is read back and compared, with the other library if it "
        "is installed, before it takes its name.")
    parser.add_argument("source", metavar="IN", help="a folder or a file with a tokenizer")
    add_out(parser, "a file, or a folder (gpt2: always a folder, unless it is called vocab.json)")
    parser.add_argument("--to", choices=list(FILES),
                        help="the format to write; not needed if the name of OUT says it: "
                        f"{', '.join(NAMES)}")
    parser.add_argument("--add-special", action="append", metavar="TOKEN[=ID]",
                        help="a further special token; may be repeated")
    for role in get_args(RoleName):
        parser.add_argument(f"--{role}", metavar="TOKEN",
                            help=f"the special token that is transformers' {role}_token")
    add_missing_parts(parser)
    add_common(parser)


def run_convert(options: argparse.Namespace) -> int:
    out = the_output(options)
    to = options.to or next((format for end, format in NAMES.items() if out.endswith(end)), None)
    if to is None:
        raise UsageError(f"missing: --to, because {out!r} does not say which format it should be")
    found, tokenizer = recognise_and_load(
        options.source, read_specials(options.special),
        pattern=options.pattern and pattern_of(options.pattern))
    model = tokenizer.model
    added = read_specials(options.add_special)
    if added:
        model = Tokenizer.from_model(model).with_special_tokens(added).model
    roles = {role: getattr(options, role) for role in get_args(RoleName) if getattr(options, role)}
    files = [os.fspath(file) for file in save_model(model, out, to, roles)]
    lost = ("special tokens", "pattern") if to == "tiktoken" else (
        ("pattern",) if to == "gpt2" else ())
    result = {"from": found.format, "to": to, "vocab_size": len(model.vocab),
              "merges": len(model.merges), "special_tokens": model.special_tokens,
              "pattern": model.pattern, "files": files, "not_in_the_format": list(lost)}
    lines = [f"{found.format} to {to}: {len(model.vocab):,} tokens, "
             f"{len(model.merges):,} merges",
             *(f"wrote {file}" for file in files)]
    if lost:
        lines.append(f"not in the files, because the format has no place for it: "
                     f"{' and '.join(lost)}")
    print_result(options, result, "\n".join(lines), summary=True)
    return 0
