"""The patterns that the scanner in C has masks for, as regular expressions.

Their order is that of the numbers in `scan.h`. Whether another pattern is one of them is told by
its automaton, never by how it is written.
"""

from cs336_bpe.patterns import Automaton, compile_pattern
from cs336_bpe.rules import PATTERNS

MASKED_PATTERNS = {
    "gpt2": PATTERNS["gpt2"],
    "cl100k":
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "cl100k_2023": PATTERNS["gpt4"],  # also Llama 3's
    "qwen2": PATTERNS["qwen2"],
    "nanochat": PATTERNS["nanochat"],
    "o200k": PATTERNS["gpt4o"],
}


_PROBE = "It'S 1234x /Ab\n/  \n z\n\n  "
_CUTS = {
    "gpt2": (0, 2, 3, 4, 9, 10, 12, 14, 15, 16, 19, 21),
    "cl100k": (0, 2, 4, 5, 8, 9, 10, 12, 14, 15, 16, 19, 21),
    "cl100k_2023": (0, 2, 4, 5, 8, 9, 10, 12, 14, 15, 16, 19, 21, 23),
    "qwen2": (0, 2, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 19, 21, 23),
    "nanochat": (0, 2, 4, 5, 7, 9, 10, 12, 14, 15, 16, 19, 21, 23),
    "o200k": (0, 4, 5, 8, 9, 10, 12, 14, 15, 16, 19, 21, 23),
}
"""How each of them cuts a text that they all cut differently: a pattern that cuts it in another way
is none of them, and six automata need not be made to know that."""


def number_of_masks(automaton: Automaton) -> int | None:
    """The number of the masks that cut as this automaton does; None if there are none.

    >>> number_of_masks(compile_pattern("'s|'t|'re|'ve|'m|'ll|'d| ?\\\\p{L}+| ?\\\\p{N}+"
    ...                                 "| ?[^\\\\s\\\\p{L}\\\\p{N}]+|\\\\s+(?!\\\\S)|\\\\s+"))
    0
    """
    cuts = tuple(start for start, _ in automaton.matches(_PROBE))
    for number, (name, pattern) in enumerate(MASKED_PATTERNS.items()):
        if cuts == _CUTS[name] and compile_pattern(pattern) == automaton:
            return number
    return None


def name_of_masks(automaton: Automaton) -> str | None:
    """What these masks are called; None if there are none.

    >>> name_of_masks(compile_pattern(PATTERNS["llama3"])), name_of_masks(compile_pattern("a|b"))
    ('cl100k_2023', None)
    """
    number = number_of_masks(automaton)
    return None if number is None else list(MASKED_PATTERNS)[number]
