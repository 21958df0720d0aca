"""What several commands read: tokenizers, patterns, text files, the built-in corpus."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cs336_bpe.commands.console import Callback, note
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.parser import whole_number
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.corpora import tales
from cs336_bpe.inputs import FORMATS, Corpus
from cs336_bpe.pretokenize import count_pretokens, count_pretokens_in
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import END_OF_TEXT, PATTERNS, find_pattern
from cs336_bpe.tokenizer import Tokenizer, load_tokenizer
from cs336_bpe.train import train_bpe_from_counts

BUILT_IN_BYTES = 2_000_000
BUILT_IN = ("tales", "stories", "web")
"""Texts that are made here. The first has nothing but real words; the others grow as real texts
do, by words that are made up."""


# --- Tokenizers ----------------------------------------------------------------------------


def add_tokenizer(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The options that name a tokenizer."""
    parser.add_argument("-t", "--tokenizer", metavar="PATH", required=required,
                        help="a folder or a file with a tokenizer, of any format")
    add_missing_parts(parser)
    add_unmatched(parser)


def add_missing_parts(parser: argparse.ArgumentParser) -> None:
    """The options for what some formats do not say."""
    parser.add_argument("--special", action="append", metavar="TOKEN[=ID]",
                        help="a special token, if the tokenizer's format does not say which there "
                        "are (GPT-2's, tiktoken's); may be repeated")
    parser.add_argument("--pattern", metavar="NAME|REGEX",
                        help="the pattern, if the format does not have it: "
                        f"{', '.join(PATTERNS)}, or a regular expression (default: gpt2)")


def add_unmatched(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--unmatched", choices=["raise", "keep"], default="raise",
                        help="what to do with text that the pattern does not match: an error, or "
                        "keep it as pretokens (default: raise)")


def load(path: str, options: argparse.Namespace) -> Tokenizer:
    """A tokenizer, with the options of `add_missing_parts`."""
    return load_tokenizer(path, read_specials(options.special),
                          pattern=options.pattern and pattern_of(options.pattern),
                          unmatched=getattr(options, "unmatched", "raise"))


def read_specials(texts: Sequence[str] | None) -> list[str] | Mapping[str, int] | None:
    """
    >>> read_specials(["<|end|>=256", "a=b=300"]), read_specials(["<|end|>"])
    ({'<|end|>': 256, 'a=b': 300}, ['<|end|>'])
    """
    if texts is None:
        return None
    names: list[str] = []
    ids: dict[str, int] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        if equals and name and number.isascii() and number.isdigit():
            ids[name] = int(number[:20])
        else:
            names.append(text)
    if ids and names:
        raise UsageError(f"--special {names[0]} has no id, but another one has; give all or none")
    return ids or names


def pattern_of(name: str) -> str:
    """The pattern of a name, or the regular expression that it is."""
    try:
        return find_pattern(name)
    except ValueError as error:
        raise UsageError(str(error)) from None


def built_in_tokenizer() -> Tokenizer:
    """A small tokenizer for those who have none at hand."""
    # Real words, and the marks, numbers and letters of other scripts that pages of the web have.
    text = tales.tales(BUILT_IN_BYTES) + corpus.web(BUILT_IN_BYTES // 2)
    counts = count_pretokens_in(text, [END_OF_TEXT])
    return Tokenizer(*train_bpe_from_counts(counts, 8_000, [END_OF_TEXT]), [END_OF_TEXT])


# --- Corpora -------------------------------------------------------------------------------


def add_counting(parser: argparse.ArgumentParser) -> None:
    """The options that decide what is counted."""
    add_specials(parser)
    parser.add_argument("--pattern", default="gpt2", metavar="NAME|REGEX",
                        help="how text is cut into pretokens: "
                        f"{', '.join(PATTERNS)}, or a regular expression (default: gpt2)")
    add_reading(parser)
    add_input_form(parser)
    add_documents(parser)


def add_specials(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--special", action="append", metavar="TOKEN",
                        help=f"a special token besides {END_OF_TEXT}; may be repeated")
    parser.add_argument("--no-special", action="store_true",
                        help=f"not {END_OF_TEXT}; only what --special names")


def add_built_in(parser: argparse.ArgumentParser, instead: str, num_bytes: int) -> None:
    """The options for who has no text at hand."""
    parser.add_argument("--built-in", choices=BUILT_IN, default=BUILT_IN[0],
                        help=f"which generated corpus to use without {instead} (default: "
                        f"{BUILT_IN[0]})")
    parser.add_argument("--bytes", type=whole_number, default=num_bytes, metavar="N",
                        help=f"its size (default: {num_bytes:,})")


def built_in(kind: str, num_bytes: int, seed: int = 0) -> Iterator[str]:
    """A built-in corpus, in pieces."""
    if kind == "tales":
        return tales.stream(num_bytes, seed)
    return corpus.stream(kind, num_bytes, seed)


def add_input_form(parser: argparse.ArgumentParser) -> None:
    """The options that say how files are read which are not plain text."""
    parser.add_argument("--input-format", choices=FORMATS, metavar="|".join(FORMATS),
                        help="what the files are, if that is not recognised by their content; "
                        "documents: each file is one document")
    parser.add_argument("--field", "--column", dest="field", default="text", metavar="NAME",
                        help="the field of JSON lines, a.b if it is nested, or the column of "
                        "parquet files that has the text (default: text)")


def add_documents(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--specials-in-documents", action="store_true",
                        help="recognise special tokens in the documents of JSON lines and parquet "
                        "files, where they are text otherwise")


def add_reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=whole_number, metavar="N",
                        help="threads (processes if the pattern can't be compiled); default: one "
                        "for each processor")
    parser.add_argument("--errors", choices=["strict", "replace", "ignore"], default="strict",
                        help="what to do with bytes that are not UTF-8 (default: strict, an error)")


def specials_of(options: argparse.Namespace) -> list[str]:
    default = [] if options.no_special else [END_OF_TEXT]
    return list(dict.fromkeys([*default, *(options.special or [])]))


def find_corpus(files: Sequence[str], options: argparse.Namespace) -> Corpus:
    """The files as a corpus; what they are recognised as is said, unless it is plain text."""
    corpus = Corpus(files, input_format=options.input_format, field=options.field)
    if not corpus.is_plain_text or len(corpus.inputs) > len(files):
        note(options, f"cs336-bpe: reading {corpus.in_words}")
    return corpus


def count_files(files: Sequence[str], options: argparse.Namespace, specials: list[str],
                progress: Callback | None,
                cluster: dict[str, Any] | None = None) -> tuple[PretokenCounts, int]:
    """The counts of several files, and how large these are."""
    corpus = find_corpus(files, options)
    counts = count_pretokens(
        corpus, specials, pattern=pattern_of(options.pattern), errors=options.errors,
        workers=options.workers, progress=progress,
        specials_in_documents=options.specials_in_documents, **(cluster or {}))
    return counts, corpus.size


def times_in_files(files: Sequence[str], token: bytes) -> int:
    """How often some bytes occur in files."""
    times = 0
    for name in files:
        with open(name, "rb") as file:
            rest = b""
            while block := file.read(1 << 24):
                data = rest + block
                times += data.count(token)
                # What may become one, but not one that has been counted.
                rest = data[max(data.rfind(token) + len(token) if token in data else 0,
                                len(data) - len(token) + 1):]
    return times


def token_as_json(token: bytes, number: int | None = None) -> dict[str, Any]:
    """A token as JSON: `text` if it is text, and its bytes in any case.

    >>> token_as_json(b" low", 300)
    {'id': 300, 'bytes': '206c6f77', 'text': ' low'}
    """
    value: dict[str, Any] = {} if number is None else {"id": number}
    value["bytes"] = token.hex()
    try:
        value["text"] = token.decode()
    except UnicodeDecodeError:
        value["text"] = None
    return value
