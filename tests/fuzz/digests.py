"""Digests of results for fixed seeds, to be compared between versions of Python and machines.

    python tests/fuzz/digests.py > one.txt     # in each environment; then compare the files

Rule 8 promises the same bytes everywhere: counts, merges, ids, and every file that is written.
"""

import hashlib
import sys
import tempfile
from pathlib import Path

from cs336_bpe import Tokenizer, count_pretokens, stages, train_bpe_from_counts
from cs336_bpe.common.built import is_built
from cs336_bpe.corpora import generated

SPECIALS = ["<|endoftext|>", "<|endoftext|><|endoftext|>", "日本"]


def digest(data: object) -> str:
    return hashlib.sha256(data if isinstance(data, bytes) else repr(data).encode()).hexdigest()[:24]


def digests(workers: int = 2) -> dict[str, str]:
    """What the package makes of a generated text."""
    text = generated.web(120_000) + generated.stories(60_000) + " naïve 日本語 🙂 don't " * 50
    found = {"the text": digest(text.encode())}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "text.txt"
        source.write_bytes(text.encode())
        counts = count_pretokens(source, SPECIALS, workers=workers, block_bytes=10_000)
        counts.save(folder / "counts")
        for tie_break in "lexicographic", "huggingface":
            vocab, merges = train_bpe_from_counts(counts, 1_000, SPECIALS, tie_break=tie_break)
            found[f"merges, {tie_break}"] = digest(merges)
        tokenizer = Tokenizer(vocab, merges, SPECIALS)
        for format in "own", "gpt2", "tiktoken", "huggingface":
            tokenizer.save(folder / format / "vocab.json", format=format)
        found["ids"] = digest(tokenizer.encode(text))
        found["ids of a stream"] = digest(list(tokenizer.encode_iterable(text.splitlines(True))))
        tokenizer.encode_file(source, folder / "ids.npy", workers=workers)
        tokenizer.encode_file(source, folder / "ids.bin", workers=workers, dtype="uint32")
        tokenizer.decode_file(folder / "ids.npy", folder / "decoded.txt", workers=workers)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                found[path.relative_to(folder).as_posix()] = digest(path.read_bytes())
    return found


def print_all(found: dict[str, str]) -> None:
    for what, value in found.items():
        print(f"{value}  {what}")


def main() -> None:
    if not is_built():
        print_all(digests())
        return
    from cs336_bpe.native.scan import scanner_paths, use_scanner_path

    print(f"# Python {sys.version.split()[0]}, {len(stages.ladder('train'))} stages of training",
          file=sys.stderr)
    first = None
    for path in scanner_paths():
        use_scanner_path(path)
        found = digests()
        if first is None:
            first = found
            print_all(found)
        elif found != first:
            sys.exit(f"the scanner's path {path} gives other results")
    use_scanner_path(None)


if __name__ == "__main__":
    main()
