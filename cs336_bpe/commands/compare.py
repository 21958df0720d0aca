"""`compare`: two tokenizers side by side."""

import argparse
from collections.abc import Iterable
from typing import Any

from cs336_bpe.commands.console import add_common, fitted, print_result
from cs336_bpe.commands.inputs import add_missing_parts, built_in, load, token_as_json
from cs336_bpe.commands.streams import TextReader, opened_input
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.common.tables import as_text, terminal_width
from cs336_bpe.encode.trace import readable
from cs336_bpe.rules import Pair
from cs336_bpe.tokenizer import Tokenizer

BUILT_IN = {"tales": 500_000, "web": 500_000}
EXAMPLES = 8


def configure_compare(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compare two tokenizers: the first merge where they differ, the tokens that both have, and "
        "bytes per token on a text (on two built-in ones by default).")
    parser.add_argument("a", metavar="A", help="a folder or a file with a tokenizer")
    parser.add_argument("b", metavar="B", help="another one")
    parser.add_argument("--on", metavar="FILE", help="a text to encode with both; - for standard "
                        "input, if that is not too long to be kept")
    add_missing_parts(parser)
    add_common(parser)


def run_compare(options: argparse.Namespace) -> int:
    a, b = load(options.a, options), load(options.b, options)
    result = {"a": describe(options.a, a), "b": describe(options.b, b), "identical": a == b,
              "same_pattern": a.pattern == b.pattern,
              "same_special_tokens": dict(a.special_tokens) == dict(b.special_tokens),
              "merges": compare_merges(a.merges, b.merges), "tokens": compare_tokens(a, b),
              "texts": measure_texts(options.on, a, b)}
    print_result(options, result, in_words(result))
    return 0


def describe(path: str, tokenizer: Tokenizer) -> dict[str, Any]:
    return {"path": path, "vocab_size": tokenizer.vocab_size, "merges": len(tokenizer.merges),
            "special_tokens": dict(tokenizer.special_tokens), "pattern": tokenizer.pattern}


def compare_merges(a: tuple[Pair, ...], b: tuple[Pair, ...]) -> dict[str, Any]:
    """How many merges are the same from the first on, and the first that differ.

    >>> compare_merges(((b"a", b"b"),), ((b"a", b"b"), (b"c", b"d")))["common_beginning"]
    1
    """
    common = next((place for place, (one, other) in enumerate(zip(a, b)) if one != other),
                  min(len(a), len(b)))

    def pair(merges: tuple[Pair, ...]) -> list[dict[str, Any]] | None:
        return [token_as_json(token) for token in merges[common]] if common < len(merges) else None

    return {"common_beginning": common, "shared": len(set(a) & set(b)),
            "next_in_a": pair(a), "next_in_b": pair(b)}


def compare_tokens(a: Tokenizer, b: Tokenizer) -> dict[str, Any]:
    ids_a, ids_b = ({token: number for number, token in one.vocab.items()} for one in (a, b))
    shared = ids_a.keys() & ids_b.keys()
    return {"shared": len(shared),
            "shared_with_equal_id": sum(ids_a[token] == ids_b[token] for token in shared),
            "only_in_a": only_in(ids_a, ids_b), "only_in_b": only_in(ids_b, ids_a)}


def only_in(ids: dict[bytes, int], others: dict[bytes, int]) -> dict[str, Any]:
    tokens = [token for token in ids if token not in others]
    return {"number": len(tokens), "first": [token_as_json(token, ids[token])
                                             for token in tokens[:EXAMPLES]]}


def measure_texts(path: str | None, a: Tokenizer, b: Tokenizer) -> list[dict[str, Any]]:
    """Bytes per token on a file, or on the built-in texts."""
    if path is None:
        texts = {f"built-in {kind}": "".join(built_in(kind, num_bytes, seed=1))
                 for kind, num_bytes in BUILT_IN.items()}
        return [row(name, len(text.encode()), count(a, [text]), count(b, [text]))
                for name, text in texts.items()]
    if path == "-":
        with opened_input(path) as source:
            text = "".join(TextReader(source, path))
        return [row("standard input", len(text.encode()), count(a, [text]), count(b, [text]))]
    counts = []
    for tokenizer in (a, b):
        with opened_input(path) as source:
            reader = TextReader(source, path)
            counts.append(count(tokenizer, reader))
    return [row(path, reader.offset, *counts)]


def row(name: str, num_bytes: int, tokens_a: int, tokens_b: int) -> dict[str, Any]:
    return {"text": name, "bytes": num_bytes, "tokens_a": tokens_a, "tokens_b": tokens_b,
            "bytes_per_token_a": num_bytes / tokens_a if tokens_a else None,
            "bytes_per_token_b": num_bytes / tokens_b if tokens_b else None}


def count(tokenizer: Tokenizer, parts: Iterable[str]) -> int:
    return sum(len(ids) for ids in tokenizer.encode_arrays(parts))


# --- In words ------------------------------------------------------------------------------


def in_words(result: dict[str, Any]) -> str:
    merges, tokens = result["merges"], result["tokens"]
    lines = []
    for letter in "ab":
        one = result[letter]
        specials = ", ".join(one["special_tokens"]) or "none"
        lines.append(f"{letter.upper()}: {one['path']}: {one['vocab_size']:,} tokens, "
                     f"{one['merges']:,} merges, special tokens: {specials}")
    if result["identical"]:
        lines.append("They are the same: vocabulary, merges, special tokens and pattern.")
    else:
        lines += ["", f"pattern: {'the same' if result['same_pattern'] else 'different'}; special "
                  f"tokens and their ids: "
                  f"{'the same' if result['same_special_tokens'] else 'different'}",
                  f"merges: {merges_in_words(merges)}",
                  f"tokens: {tokens['shared']:,} in both, {tokens['shared_with_equal_id']:,} of "
                  f"them with the same id"]
        for letter in "ab":
            only = tokens[f"only_in_{letter}"]
            first = ", ".join(as_word(token) for token in only["first"])
            more = ", ..." if only["number"] > len(only["first"]) else ""
            if only["number"]:
                lines.append(f"        {only['number']:,} only in {letter.upper()}: {first}{more}")
    return "\n".join([*fitted(lines), "", texts_in_words(result["texts"])])


def merges_in_words(merges: dict[str, Any]) -> str:
    common = merges["common_beginning"]
    following = [merges[f"next_in_{letter}"] for letter in "ab"]
    if following == [None, None]:
        return f"all {common:,} are the same"
    parts = [f"{' + '.join(map(as_word, pair))} in {letter}" if pair else f"not there in {letter}"
             for letter, pair in zip("AB", following)]
    return (f"the same before merge {common:,}, which is {parts[0]} and {parts[1]}; "
            f"{merges['shared']:,} are in both lists")


def as_word(token: dict[str, Any]) -> str:
    return readable(bytes.fromhex(token["bytes"]))


def texts_in_words(texts: list[dict[str, Any]]) -> str:
    cells: list[tuple[str, ...]] = [("text", "size", "tokens A", "tokens B", "bytes/token A",
                                     "bytes/token B", "B has")]
    for text in texts:
        ratios = [text["bytes_per_token_a"], text["bytes_per_token_b"]]
        shown = [f"{ratio:.3f}" if ratio else "" for ratio in ratios]
        gain = text["tokens_b"] / text["tokens_a"] - 1 if text["tokens_a"] else 0.0
        cells.append((text["text"], readable_size(text["bytes"]), f"{text['tokens_a']:,}",
                      f"{text['tokens_b']:,}", *shown,
                      f"{abs(gain):.1%} {'more' if gain > 0 else 'fewer'}" if gain else "equal"))
    return as_text(cells, terminal_width())
