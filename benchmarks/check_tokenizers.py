"""Real tokenizers on real text, against the libraries they come from.

    python benchmarks/check_tokenizers.py FOLDER [--megabytes 2 | --full] [--offsets] [NAME ...]

FOLDER has `NAME/tokenizer.json` for each tokenizer, and may have `NAME.tiktoken` with ranks and
`NAME.json` with their pattern and special tokens beside it. CS336_BPE_DATA is the folder of the
tests; its corpora are the texts, of which the beginning is taken, or with --full everything, some
megabytes at a time. For every tokenizer and text: ids with and without special tokens, decoded
text, the same text as a stream, and with --offsets the offsets. Prints a line for each, the totals
at last, and exits with 1 if anything differs.
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
BLOCK = 1 << 22  # bytes


def texts(most):
    """The beginning of each corpus: its name, and blocks of text."""
    folder = Path(os.environ["CS336_BPE_DATA"], "corpora")
    for path in sorted(folder.glob("*.txt")):
        yield path.stem, blocks(path, min(most, path.stat().st_size))


def blocks(path, size):
    """A file in parts that end with a line."""
    with path.open("rb") as file:
        while (left := size - file.tell()) > 0:
            data = file.read(min(BLOCK, left))
            yield (data + (file.readline() if left > BLOCK else b"")).decode("utf-8", "ignore")


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
    """What is not as it should be, the number of ids, and the seconds that they took."""
    expected, with_template, expected_offsets = theirs["ids"](text)
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
    if with_template is not None:
        if ours.encode(text, add_special_tokens=True) != with_template:
            found.append("ids with the template")
        if offsets and ours.encode_with_offsets(
                text, add_special_tokens=True) != (with_template, expected_offsets):
            found.append("offsets")
    return found, len(ids), seconds


def from_tokenizers(path):
    import tokenizers

    library = tokenizers.Tokenizer.from_file(str(path))

    def ids(text):
        encoding = library.encode(text)  # with the template, which takes the text as it is
        added = encoding.special_tokens_mask
        return ([number for number, is_added in zip(encoding.ids, added) if not is_added],
                encoding.ids, encoding.offsets)

    for text in ("", "one two"):
        assert ids(text)[0] == library.encode(text, add_special_tokens=False).ids
    return {"ids": ids, "text": lambda ids: library.decode(ids, skip_special_tokens=False)}


def from_tiktoken(path, settings):
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    library = tiktoken.Encoding(path.stem, pat_str=settings["pattern"],
                                mergeable_ranks=load_tiktoken_bpe(str(path)),
                                special_tokens=settings["special_tokens"])
    return {"ids": lambda text: (library.encode(text, allowed_special="all"), None, None),
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
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--offsets", action="store_true")
    options = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    most = sys.maxsize if options.full else int(options.megabytes * 1e6)
    wrong, total_ids, total_bytes = 0, 0, 0
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
        for corpus, parts in texts(most):
            number, size, seconds, said = 0, 0, 0.0, {}
            for text in parts:
                text = with_specials(text, list(ours.special_tokens))
                found, new, more_seconds = differences(ours, theirs, text, options.offsets)
                number, size = number + new, size + len(text.encode())
                seconds += more_seconds
                said |= dict.fromkeys(found)
            wrong += bool(said)
            total_ids, total_bytes = total_ids + number, total_bytes + size
            print(f"  {corpus:14} {size:>13,} bytes {number:>12,} ids {size / 1e6 / seconds:8.1f} "
                  f"MB/s  {'; '.join(said) or 'equal'}", flush=True)
    print(f"{total_ids:,} ids of {total_bytes:,} bytes; {wrong} texts differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
