"""Patterns that are known: found by what they match, not by how they are written."""

from functools import cache

from cs336_bpe.common.built import is_built, say_not_built
from cs336_bpe.patterns.automaton import compile_pattern, why_not
from cs336_bpe.patterns.syntax import Unsupported
from cs336_bpe.rules import GPT2_PATTERN, find_pattern, require_pattern


def is_same(pattern: str, other: str) -> bool:
    """Whether two patterns give the same matches for every text, as far as that can be told.

    >>> is_same(r"\\s+|\\S", r"\\s\\s*|[^\\s]"), is_same("gpt2", "gpt4")
    (True, False)
    """
    pattern, other = require_pattern(pattern), require_pattern(other)
    if pattern == other:
        return True
    try:
        return compile_pattern(pattern) == compile_pattern(other)
    except Unsupported:
        return False


def check_is_gpt2(pattern: str) -> None:
    """For a stage that has GPT-2's pattern written out: refuse any other."""
    if not is_same(pattern, GPT2_PATTERN):
        raise ValueError("this stage has GPT-2's pattern written out and can't run another one; "
                         "use stage02, stage03, or stage06 and later")


def can_compile(pattern: str) -> bool:
    """Whether a pattern can be compiled; if not, a message says why, once.

    None can if the scanner that runs compiled ones is not built.
    """
    if not is_built():
        say_not_built()
        return False
    reason = why_not(find_pattern(pattern))
    if reason is not None:
        _say_once(reason)
    return reason is None


def may_leave_gaps(pattern: str) -> bool:
    """Whether a pattern may leave part of a text unmatched; of a compiled one that is known."""
    source = find_pattern(pattern)
    return why_not(source) is not None or compile_pattern(source).leaves_gaps


@cache
def _say_once(reason: str) -> None:
    import logging

    logging.getLogger("cs336_bpe").warning(
        "the pattern runs through `regex`, which is slow: it has %s", reason)
