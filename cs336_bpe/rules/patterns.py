"""How text is split into pretokens (rule 1)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

GPT2_PATTERN = (
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)
"""GPT-2's rule for splitting text into pretokens, for the `regex` package."""

GPT4_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""GPT-4's (tiktoken's `cl100k_base`): numbers in groups of three digits, new lines apart. It runs
through `regex`, so it is slower."""

# The same rule, written as the course's handout and as OpenAI's code have it.
GPT2_PATTERNS = (
    GPT2_PATTERN,
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
)


def is_gpt2(pattern: str) -> bool:
    """Whether the pattern is GPT-2's, in one of the ways in which it is written."""
    return pattern in GPT2_PATTERNS


def check_pattern(pattern: str) -> "regex.Pattern[str]":
    """The pattern, compiled."""
    import regex  # here, because GPT-2's pattern never runs through it

    if not isinstance(pattern, str):
        raise TypeError(f"pattern is {pattern!r}; it must be a str")
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} is not a regular expression: {error}") from None
    if compiled.groups:
        raise ValueError(f"pattern {pattern!r} has a capturing group; write (?:...) for (...), "
                         f"so that a match is a pretoken as a whole")
    return compiled


def require_pattern(pattern: str) -> str:
    """The pattern, if it is one. Unlike `check_pattern`, this compiles it only to find out.

    >>> require_pattern(GPT2_PATTERN) == GPT2_PATTERN
    True
    >>> require_pattern("(a)")
    Traceback (most recent call last):
    ValueError: pattern '(a)' has a capturing group; write (?:...) for (...), so that a match is a \
pretoken as a whole
    """
    if not is_gpt2(pattern):
        check_pattern(pattern)
    return pattern
