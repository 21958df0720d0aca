"""The ten rules: what every stage of every ladder agrees on.

A *stage* is one module of a ladder. All stages of a ladder are called in the same way and give
the same result, byte for byte; they differ in one idea each, and so in speed and memory. What
"the same result" means is fixed by these rules.

1. Pattern.     GPT-2's by default, with the Unicode categories that the `regex` package has.
2. Specials.    Special tokens split the text before the pattern sees it; they are never counted
                and never merged with anything. The longest match wins where they overlap.
3. Ties.        Among the most frequent pairs the lexicographically greatest pair of byte strings
                wins: compare the two strings, not their concatenation and not their ids.
                `tie_break="huggingface"` prefers the smallest ids instead, in the order in which
                that library numbers its tokens, so that results can be compared with it.
4. Overlaps.    In `aaa` the pair `(a, a)` counts twice; merging goes from left to right.
5. Ids.         Bytes are ids 0-255, special tokens follow in the order given, then merges. So a
                smaller vocabulary is a prefix of a larger one.
6. Stop.        When the size is reached, or when no pair is left.
7. Counts       are 64-bit. A token may contain any byte, NUL too.
8. Determinism. The same input gives the same result for every stage, number of workers and
                `PYTHONHASHSEED`.
9. Invalid UTF-8 in a file is an error that names the byte offset, unless `errors=` asks for
                what `bytes.decode` does with "replace" or "ignore".
10. Encoding.   The merges are applied to a pretoken in the order in which they were learned, each
                one from left to right: `(a, a)` makes `aa a` of `aaa`.

This room has the parts of the rules that are code: tokens and ids (`tokens`), patterns, the order
among equally frequent pairs (`ties`), what makes a vocabulary consistent (`vocabulary`), the
alphabet in which other libraries write bytes (`alphabet`), checks of arguments (`checks`), and what
a stage has to offer (`contracts`). Import all of it from here.
"""

from cs336_bpe.rules.alphabet import (
    ALPHABET,
    from_printable,
    huggingface_byte_numbers,
    to_printable,
)
from cs336_bpe.rules.checks import (
    MAX_TOTAL,
    check_count,
    check_counts,
    check_errors,
    check_pretoken,
    check_size,
    check_special_tokens,
    check_total,
    check_vocab_size,
    check_workers,
    shown,
)
from cs336_bpe.rules.contracts import (
    CountBlocks,
    CountPretokens,
    EarlyStopWarning,
    IdDecoder,
    LearnMerges,
    PretokenEncoder,
    TextEncoder,
)
from cs336_bpe.rules.patterns import (
    GPT2_PATTERN,
    GPT4_PATTERN,
    GPT4O_PATTERN,
    PATTERNS,
    check_pattern,
    find_pattern,
    pattern_name,
    require_pattern,
)
from cs336_bpe.rules.ties import (
    HuggingFaceOrder,
    LexicographicOrder,
    TieBreak,
    TieOrder,
    check_tie_break,
    tie_order,
)
from cs336_bpe.rules.tokens import BYTES, END_OF_TEXT, Pair, RoleName, Vocab, assemble_vocab
from cs336_bpe.rules.vocabulary import (
    MAX_ID,
    Model,
    TokenIds,
    check_merges,
    check_tokens,
    check_vocab,
    separate_specials,
)

__all__ = [
    "ALPHABET",
    "BYTES",
    "END_OF_TEXT",
    "GPT2_PATTERN",
    "GPT4O_PATTERN",
    "GPT4_PATTERN",
    "MAX_ID",
    "MAX_TOTAL",
    "PATTERNS",
    "CountBlocks",
    "CountPretokens",
    "EarlyStopWarning",
    "HuggingFaceOrder",
    "IdDecoder",
    "LearnMerges",
    "LexicographicOrder",
    "Model",
    "Pair",
    "PretokenEncoder",
    "RoleName",
    "TextEncoder",
    "TieBreak",
    "TieOrder",
    "TokenIds",
    "Vocab",
    "assemble_vocab",
    "check_count",
    "check_counts",
    "check_errors",
    "check_merges",
    "check_pattern",
    "check_pretoken",
    "check_size",
    "check_special_tokens",
    "check_tie_break",
    "check_tokens",
    "check_total",
    "check_vocab",
    "check_vocab_size",
    "check_workers",
    "find_pattern",
    "from_printable",
    "huggingface_byte_numbers",
    "pattern_name",
    "require_pattern",
    "separate_specials",
    "shown",
    "tie_order",
    "to_printable",
]
