r"""Patterns: a regular expression that splits text, compiled to a table.

    pattern -> tree (syntax) -> ordered automaton (nfa) -> deterministic one (dfa) -> the
    smallest one (simplify) -> where a text may be cut (cuts), and tables for C (tables)

The automaton gives exactly the matches of `regex.finditer`. What can't be compiled is refused with
the reason, and then `regex` itself has to run:

>>> compile_pattern(r"\w+|\W").num_states
3
>>> compile_pattern(r"(?<=a)b")
Traceback (most recent call last):
cs336_bpe.patterns.syntax.Unsupported: a look-behind, at character 0 of '(?<=a)b'
"""

from cs336_bpe.patterns.automaton import Automaton, compile_pattern, why_not
from cs336_bpe.patterns.sequence import compile_sequence
from cs336_bpe.patterns.syntax import Unsupported

__all__ = ["Automaton", "Unsupported", "compile_pattern", "compile_sequence", "why_not"]
