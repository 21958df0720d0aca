"""The order of the book: its parts, and the pages of each.

The ladders' pages come from the registry, so a new stage is in the book by itself. A page that no
part names stands at the end of the last part.
"""

from pathlib import Path

from cs336_bpe.stages import STAGES

DOCS = Path(__file__).parent.parent


def rungs(ladder: str) -> list[str]:
    """The pages of a ladder's stages, in order."""
    return [f"{ladder}/{stage.name}" for stage in STAGES if stage.ladder == ladder]


PARTS = {
    "I. A tokenizer from nothing": [
        "start/why_tokens", "start/unicode", "start/training", "start/pretokens",
        "start/encoding", "start/whole_tokenizer", "start/rules", "start/special_tokens",
        "start/exercises"],
    "II. Before you optimize": [
        "machine/measuring", "machine/text", "machine/python", "machine/processor",
        "machine/threads", "machine/structures", "machine/exercises"],
    "III. Training": ["train/index"],
    "IV. Counting": ["pretokenize/index", "patterns/index"],
    "V. Encoding and decoding": ["encode/index", "decode/index"],
    "VI. The published figures": ["published/index"],
    "VII. Experiments": [
        "tokenizer/coursework", "against_others", "tokenizer/speed", "cost/vocabulary_size",
        "corpora/sample", "language_model", "distributed", "what_did_not_help"],
    "VIII. Reference": [
        "installing", "commands/command_line", "tokenizer/tokenizer", "tokenizer/coming_from",
        "tokenizer/shards", "formats/formats", "formats/model", "formats/loading",
        "pages/pages", "corpora/inputs", "corpora/texts", "corpora/generated", "corpora/fetch",
        "benchmarks", "reliability", "judge/enrolled", "walk", "api"],
}
"""The first pages of the parts. Those of `BELOW` follow their chapter."""

BELOW = {
    "train/index": [*rungs("train"), "train/what_did_not_help", "train/exercises"],
    "pretokenize/index": [*rungs("pretokenize"), "pretokenize/cutting", "pretokenize/counts",
                          "pretokenize/scanner", "pretokenize/exercises"],
    "patterns/index": ["patterns/named", "patterns/cuts"],
    "encode/index": [*rungs("encode"), "encode/scan_or_heap",
                     "encode/long_words", "encode/exercises"],
    "decode/index": [*rungs("decode"), "decode/exercises"],
    "published/index": [f"published/{write_up}" for write_up in "abcde"],
}
LAST_PAGES = ["glossary", "bibliography", "addresses"]


def existing(pages: list[str]) -> list[str]:
    """Those of the pages that have been written."""
    return [page for page in pages if (DOCS / f"{page}.md").exists()]


def unnamed() -> list[str]:
    """The pages that no part names."""
    named = {"index", *LAST_PAGES}.union(*PARTS.values(), *BELOW.values())
    pages = [path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")]
    return sorted(page for page in pages if page not in named and page[0] != "_")


def parts() -> dict[str, list[str]]:
    """Every part with its pages, those without a place of their own included."""
    result = {caption: existing(pages) for caption, pages in PARTS.items()}
    result[list(result)[-1]] += [*unnamed(), *existing(LAST_PAGES)]
    return {caption: pages for caption, pages in result.items() if pages}


def toctree(pages: list[str], caption: str = "") -> str:
    """A list of pages as MyST has it, for the side bar and the order of the pages.

    >>> print(toctree(["train/index"], "III. Training"))
    ```{toctree}
    :hidden:
    :caption: III. Training
    /train/index
    ```
    <BLANKLINE>
    """
    lines = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []),
             *(f"/{page}" for page in pages), "```", ""]
    return "\n".join(lines)
