"""The tables of docs/patterns, of the patterns themselves; see render.py."""

from rendering import table

from cs336_bpe.native.masked_patterns import name_of_masks
from cs336_bpe.patterns import compile_pattern
from cs336_bpe.patterns.nfa import build
from cs336_bpe.patterns.syntax import parse
from cs336_bpe.rules import PATTERNS

OF = {
    "gpt2": "GPT-2, and most of the coursework",
    "gpt4": "GPT-3.5 and GPT-4 (cl100k_base, as first published)",
    "gpt4o": "GPT-4o and later (o200k_base)",
    "llama3": "Llama 3; the same as gpt4",
    "qwen2": "Qwen 2 and 2.5",
    "deepseek3": "DeepSeek V3 and R1: three splits in sequence",
    "nanochat": "nanochat",
}


def named_patterns(_):
    """Every pattern that has a name: whose it is, and the size of its automaton."""
    rows = []
    for name, pattern in PATTERNS.items():
        automaton = compile_pattern(pattern)
        safe = sum(map(sum, automaton.safe))
        rows.append([f"`{name}`", OF[name], len(build(parse(pattern)).states),
                     automaton.num_states, automaton.num_classes,
                     f"{safe} of {automaton.num_classes ** 2}",
                     "yes" if name_of_masks(automaton) else "no"])
    header = ["name", "of", "ordered automaton", "states", "classes", "safe pairs", "masks"]
    return "\n".join([
        table(header, rows, left=2), "",
        "*Ordered automaton*: how many states there are before it is made deterministic.",
        "*Safe pairs*: of all pairs of classes, those between which [every text may be "
        "cut](@docs/patterns/cuts.md). *Masks*: whether the scanner has [bit "
        "masks](@docs/pretokenize/stage09_bit_masks.md) for it."])


MAKERS = (named_patterns,)
