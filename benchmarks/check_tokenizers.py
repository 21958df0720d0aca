"""Real tokenizers on real text, against the libraries they come from.

    python benchmarks/check_tokenizers.py FOLDER [--megabytes 2] [--offsets] [NAME ...]

FOLDER has `NAME/tokenizer.json` for each tokenizer, and may have `NAME.tiktoken` with ranks and
`NAME.json` with their pattern and special tokens beside it. CS336_BPE_DATA is the folder of the
tests; its corpora are the texts. For every tokenizer and text: ids with and without special tokens,
decoded text, the same text as a stream, and with --offsets the offsets. Prints a line for each, and
exits with 1 if anything differs.
"""

import argparse
import json
import os
import sys
import time
import warnings
from pathlib import Path

from cs336_bpe import Tokenizer

SPECIALS_EVERY = 5_000  # characters


def texts(most):
    """The beginning of each corpus."""
    folder = Path(os.environ["CS336_BPE_DATA"], "corpora")
    for path in sorted(folder.glob("*.txt")):
        with path.open("rb") as file:
            yield path.stem, file.read(most).decode("utf-8", "ignore")


def with_specials(text, specials):
    """The text with special tokens put into it, one here and one there."""
    if not specials:
        return text
    pieces = [text[at : at + SPECIALS_EVERY] for at in range(0, len(text), SPECIALS_EVERY)]
    return "".join(piece + specials[number % len(specials)]
                   for number, piece in enumerate(pieces))


def in_parts(text, size=70_001):
    return (text[at : at + size] for at in range(0, len(text), size))


def differences(ours, theirs, text, offsets):
    """What is not as it should be."""
    expected = theirs["ids"](text)
    started = time.process_time()
    ids = ours.encode(text)
    seconds = time.process_time() - started
    found = []
    if ids != expected:
        place = next((at for at, (a, b) in enumerate(zip(ids, expected)) if a != b),
                     min(len(ids), len(expected)))
        found.append(f"ids from {place} on: {ids[place : place + 4]}, "
                     f"not {expected[place : place + 4]}")
    if ours.decode(ids) != theirs["text"](expected):
        found.append("decoded text")
    if list(ours.encode_iterable(in_parts(text))) != expected:
        found.append("ids of a stream")
    if "with_template" in theirs:
        wanted_ids, wanted_offsets = theirs["with_template"](text)
        if ours.encode(text, add_special_tokens=True) != wanted_ids:
            found.append("ids with the template")
        if offsets and ours.encode_with_offsets(
                text, add_special_tokens=True) != (wanted_ids, wanted_offsets):
            found.append("offsets")
    return found, len(ids), seconds


def from_tokenizers(path):
    import tokenizers

    library = tokenizers.Tokenizer.from_file(str(path))

    def with_template(text):
        encoding = library.encode(text)
        return encoding.ids, encoding.offsets

    return {"ids": lambda text: library.encode(text, add_special_tokens=False).ids,
            "text": lambda ids: library.decode(ids, skip_special_tokens=False),
            "with_template": with_template}


def from_tiktoken(path, settings):
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    library = tiktoken.Encoding(path.stem, pat_str=settings["pattern"],
                                mergeable_ranks=load_tiktoken_bpe(str(path)),
                                special_tokens=settings["special_tokens"])
    return {"ids": lambda text: library.encode(text, allowed_special="all"),
            "text": library.decode}


def pairs(folder, names):
    """The name of each tokenizer, ours, and the library's."""
    for path in sorted(folder.glob("*/tokenizer.json")):
        if not names or path.parent.name in names:
            yield path.parent.name, lambda path=path: Tokenizer.load(path), \
                lambda path=path: from_tokenizers(path)
    for path in sorted(folder.glob("*.tiktoken")):
        if path.with_suffix(".json").exists() and (not names or path.stem in names):
            settings = json.loads(path.with_suffix(".json").read_text("utf-8"))
            # OpenAI's patterns have capturing groups, which change no match.
            pattern = settings["pattern"].replace("('s|", "(?:'s|")
            yield path.stem, lambda path=path, settings=settings, pattern=pattern: Tokenizer.load(
                path, settings["special_tokens"], pattern=pattern), \
                lambda path=path, settings=settings: from_tiktoken(path, settings)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--megabytes", type=float, default=2)
    parser.add_argument("--offsets", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    wrong = 0
    for name, load, load_library in pairs(options.folder, options.names):
        started = time.process_time()
        try:
            ours = load()
        except ValueError as error:
            print(f"{name}: refused: {error}", flush=True)
            continue
        seconds = time.process_time() - started
        print(f"{name}: {ours.vocab_size:,} tokens, loaded in {seconds:.2f} s", flush=True)
        theirs = load_library()
        for corpus, text in texts(int(options.megabytes * 1e6)):
            text = with_specials(text, list(ours.special_tokens))
            found, number, seconds = differences(ours, theirs, text, options.offsets)
            wrong += bool(found)
            speed = len(text.encode()) / 1e6 / seconds
            print(f"  {corpus:14} {number:>12,} ids {speed:8.1f} MB/s  "
                  f"{'; '.join(found) or 'equal'}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
