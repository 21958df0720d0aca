"""`cost`: what a model of GPT-2's kind costs, by part, and what its vocabulary is worth."""

import argparse
from dataclasses import replace
from typing import Any

from cs336_bpe.commands.console import add_common, fitted, note, print_result
from cs336_bpe.commands.errors import UsageError
from cs336_bpe.commands.inputs import add_tokenizer, load
from cs336_bpe.commands.parser import any_number, whole_number
from cs336_bpe.common.amounts import readable_size
from cs336_bpe.common.tables import terminal_width
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.cost import transformer
from cs336_bpe.cost.bytes_per_token import bytes_per_token, doublings
from cs336_bpe.cost.transformer import SHAPES, Shape
from cs336_bpe.cost.vocabulary_size import cheapest, size_costs, sizes_as_text
from cs336_bpe.pretokenize import count_pretokens, count_pretokens_in
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import END_OF_TEXT, Pair
from cs336_bpe.stages import find

NUMBERS = ("vocab_size", "context", "layers", "d_model", "d_ff", "heads")
BUILT_IN_BYTES = 4_000_000
HELD_OUT_BYTES = 500_000
LARGEST = 1 << 17


def configure_cost(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Parameters, bytes and forward FLOPs of a Transformer of GPT-2's kind: the four shapes of "
        "GPT-2 side by side, or one shape by part. With --sizes: training compute for each byte "
        "of text, for vocabularies from small to large, from bytes per token that are measured "
        "with a tokenizer, or with one trained on the built-in corpus.")
    parser.add_argument("--shape", choices=list(SHAPES), help="one of GPT-2's shapes")
    for name in NUMBERS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=whole_number, metavar="N",
                            help=f"{name} instead of the shape's")
    parser.add_argument("--tied", action="store_true", help="one matrix for embedding and head")
    parser.add_argument("--not-gated", action="store_true",
                        help="an FFN of two matrices instead of three")
    parser.add_argument("--released", action="store_true", help="as OpenAI released GPT-2: tied, "
                        "not gated, with biases, norms and positions")
    sizes = parser.add_argument_group("vocabulary sizes")
    sizes.add_argument("--sizes", action="store_true", help="the table of vocabulary sizes")
    add_tokenizer(parser, required=False)
    sizes.add_argument("--on", metavar="FILE", help="a text to measure bytes per token on; with "
                       "--tokenizer (default: built-in text)")
    sizes.add_argument("--counts", metavar="FILE", help="the same from counts that 'count' saved")
    sizes.add_argument("--context-bytes", type=any_number, metavar="N",
                       help="let the model see so many bytes of text, whatever the vocabulary")
    add_common(parser)


def run_cost(options: argparse.Namespace) -> int:
    shapes = {name: changed(shape, options) for name, shape in SHAPES.items()
              if options.shape in (None, name)}
    if options.sizes:
        return print_sizes(options, options.shape or "small")
    if options.tokenizer or options.on or options.counts or options.context_bytes:
        raise UsageError("--tokenizer, --on, --counts and --context-bytes need --sizes")
    if options.shape is None:
        value = {"shapes": {name: transformer.cost(shape).as_json()
                            for name, shape in shapes.items()}}
        print_result(options, value, "\n".join([
            transformer.compare(shapes, head=False, width=terminal_width()), "",
            "The same with the output head, which the published figures leave out:", "",
            transformer.compare(shapes, width=terminal_width())]))
    else:
        one = transformer.cost(shapes[options.shape])
        print_result(options, one.as_json(), "\n".join([
            *fitted([describe(options.shape, one.shape)]), "", one.table(terminal_width())]))
    return 0


def changed(shape: Shape, options: argparse.Namespace) -> Shape:
    """The shape with the numbers that the options have instead."""
    if options.released:
        shape = transformer.as_released(shape)
    numbers = {name: getattr(options, name) for name in NUMBERS
               if getattr(options, name) is not None}
    if "d_model" in numbers and "d_ff" not in numbers:
        numbers["d_ff"] = 4 * numbers["d_model"]
    shape = replace(shape, **numbers)
    return replace(shape, tied=shape.tied or options.tied,
                   gated=shape.gated and not options.not_gated)


def describe(name: str, shape: Shape) -> str:
    return (f"{name}: vocabulary {shape.vocab_size:,}, context {shape.context:,}, {shape.layers} "
            f"layers, d_model {shape.d_model:,}, d_ff {shape.d_ff:,}, {shape.heads} heads")


# --- Vocabulary sizes ----------------------------------------------------------------------


def print_sizes(options: argparse.Namespace, name: str) -> int:
    if (options.on or options.counts) and not options.tokenizer:
        raise UsageError("--on and --counts need --tokenizer")
    if options.vocab_size is not None:
        raise UsageError("--sizes has a row for every size, so it does not go with --vocab-size")
    shape = changed(SHAPES[name], options)
    merges, num_specials, counts, source = merges_and_counts(options)
    first = 256 + num_specials
    sizes = doublings(first, first + len(merges))
    curve = bytes_per_token(merges, counts, sizes, num_specials=num_specials)
    rows = size_costs(shape, curve, context_bytes=options.context_bytes)
    best = cheapest(rows)
    value: dict[str, Any] = {
        "shape": name, "measured_on": source, "text_bytes": counts.num_bytes,
        "sizes": [row.as_json() for row in rows], "cheapest": best.vocab_size}
    print_result(options, value, "\n".join([
        *fitted([describe(name, replace(shape, vocab_size=best.vocab_size)) + " (the cheapest)",
                 f"bytes per token: {source}, {readable_size(counts.num_bytes)}"]), "",
        sizes_as_text(rows, terminal_width())]))
    return 0


def merges_and_counts(options: argparse.Namespace) -> tuple[list[Pair], int, PretokenCounts, str]:
    """Merges, the number of special tokens, the counts to measure on, and what that is."""
    if not options.tokenizer:
        counts = count_pretokens_in(corpus.web(BUILT_IN_BYTES), [END_OF_TEXT])
        merges = find("train").load().learn_merges(counts, LARGEST - 257)
        held_out = count_pretokens_in(corpus.web(HELD_OUT_BYTES, seed=1), [END_OF_TEXT])
        return merges, 1, held_out, "trained on the built-in web corpus, measured on other text"
    tokenizer = load(options.tokenizer, options)
    specials = list(tokenizer.special_tokens)
    if options.counts:
        counts, source = PretokenCounts.load(options.counts), options.counts
    elif options.on:
        if not tokenizer.pattern:
            raise ValueError("this tokenizer cuts text into pretokens in several steps, and files "
                             "are counted with one pattern: leave out --on, or give --counts")
        counts = count_pretokens(options.on, specials, pattern=tokenizer.pattern)
        source = options.on
    else:
        text = corpus.web(HELD_OUT_BYTES, seed=1)
        counts = (count_pretokens_in(text, specials, pattern=tokenizer.pattern)
                  if tokenizer.model.pipeline is None else
                  PretokenCounts(tokenizer.pretoken_counts(text)))
        source = "built-in web corpus"
    if not tokenizer.model.in_order:
        raise ValueError("smaller vocabularies are the first merges of a larger one, and the "
                         "merges of this tokenizer were not learned one after the other")
    if options.counts or options.on:
        note(options, "cs336-bpe: note: if the tokenizer was trained on this text, large "
             "vocabularies look better than they are")
    return list(tokenizer.merges), len(specials), counts, source
