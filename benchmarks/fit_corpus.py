"""Compare the generated corpora with real ones, size by size.

    python benchmarks/fit_corpus.py                     # prints the tables (generated text only)
    CS336_BPE_DATA=folder python benchmarks/fit_corpus.py --write docs/corpora/generated.md \
        --json fit.json

The real texts are read from corpora/stories.txt and corpora/web.txt in the folder that the
environment variable CS336_BPE_DATA names. Without it, only the generated text is measured.
A larger size begins with the smaller one, in the real as in the generated text.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import regex

from cs336_bpe.corpora import generated as corpus

# GPT-2's pattern, as in cs336_bpe.rules.
PATTERN = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
SIZES = {  # in bytes; the last one is the size of the real file
    "stories": [250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 21_489_654],
    "web": [250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
            98_980_152],
}  # fmt: skip
TOPS = (10, 100, 1_000, 10_000)
Row = dict[str, float]


def measure(counts: Counter[str]) -> Row:
    """What is compared, for the pretokens counted so far."""
    total = sum(counts.values())
    frequencies = sorted(counts.values(), reverse=True)
    encoded = {kind: kind.encode() for kind in counts}
    pairs = {pair for kind in encoded.values() for pair in pairwise(kind)}
    row: Row = {
        "kinds": len(counts),
        "occurrences": total,
        "bytes_per_occurrence": sum(len(encoded[k]) * n for k, n in counts.items()) / total,
        "bytes_per_kind": sum(map(len, encoded.values())) / len(counts),
        "once": sum(n == 1 for n in frequencies) / len(counts),
        "pairs": len(pairs),
    }
    row.update({f"top_{top}": sum(frequencies[:top]) / total for top in TOPS})
    return row


def growth(data: bytes, sizes: Iterable[int]) -> dict[int, Row]:
    """Measure the first bytes of a text at each of the sizes (in increasing order)."""
    counts: Counter[str] = Counter()
    rows: dict[int, Row] = {}
    start = 0
    for size in sizes:
        if size > len(data):
            break
        for document in data[start:size].decode(errors="ignore").split(corpus.END):
            counts.update(PATTERN.findall(document))
        rows[size] = measure(counts)
        start = size
    return rows


def tables(name: str, made: dict[int, Row], real: dict[int, Row]) -> str:
    """Two Markdown tables: growth, then shares. A cell is "real / generated"."""

    def cell(size: int, key: str, form: str) -> str:
        values = [rows[size][key] for rows in (real, made) if size in rows]
        return " / ".join(form.format(value) for value in values)

    what = "real / generated" if real else "generated only"
    out = [f"### {name} ({what})", ""]
    out += ["| MB | kinds | difference | bytes per pretoken | bytes per kind | byte pairs |"]
    out += ["|---:|---:|---:|---:|---:|---:|"]
    for size, row in made.items():
        ratio = f"{row['kinds'] / real[size]['kinds'] - 1:+.1%}" if size in real else ""
        cells = [
            cell(size, "kinds", "{:,.0f}"),
            ratio,
            cell(size, "bytes_per_occurrence", "{:.2f}"),
            cell(size, "bytes_per_kind", "{:.2f}"),
            cell(size, "pairs", "{:,.0f}"),
        ]
        out.append(f"| {size / 1e6:.4g} | " + " | ".join(cells) + " |")
    out += ["", "| MB | " + " | ".join(f"top {top:,}" for top in TOPS) + " | kinds seen once |"]
    out += ["|---:|---:|---:|---:|---:|---:|"]
    for size in made:
        keys = [f"top_{top}" for top in TOPS] + ["once"]
        cells = [cell(size, key, "{:.1%}") for key in keys]
        out.append(f"| {size / 1e6:.4g} | " + " | ".join(cells) + " |")
    return "\n".join(out) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kinds", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--max-mb", type=float, default=100.0, help="leave out larger sizes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="OUT", help="save the numbers")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="renew the tables of this page")
    arguments = parser.parse_args()
    folder = os.environ.get("CS336_BPE_DATA")
    if not folder:
        print("CS336_BPE_DATA is not set: no real text to compare with.", file=sys.stderr)
    result: dict[str, dict[str, dict[int, Row]]] = {}
    text = ""
    for kind in arguments.kinds:
        sizes = [size for size in SIZES[kind] if size <= arguments.max_mb * 1e6]
        real: dict[int, Row] = {}
        if folder:
            with open(Path(folder) / "corpora" / f"{kind}.txt", "rb") as file:
                real = growth(file.read(sizes[-1]), sizes)
        # 3 bytes more: so that a character cut off at the end does not lose the last size
        data = "".join(corpus.stream(kind, sizes[-1] + 3, arguments.seed)).encode()
        made = growth(data, sizes)
        result[kind] = {"real": real, "generated": made}
        text += tables(kind, made, real) + "\n"
    print(text)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if arguments.write:
        page = arguments.write.read_text(encoding="utf-8")
        mark = r"(<!-- generated:corpora -->\n).*(<!-- /generated:corpora -->)"
        page, found = re.subn(mark, lambda m: f"{m[1]}\n{text}{m[2]}", page, flags=re.DOTALL)
        if not found:
            sys.exit(f"{arguments.write} has no <!-- generated:corpora --> marks")
        arguments.write.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
