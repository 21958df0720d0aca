r"""How text is split into pretokens (rule 1): the patterns that people use, and their names.

A pattern is a regular expression for the `regex` package. How a text is cut is what
`regex.finditer` finds; `cs336_bpe.patterns` compiles patterns to tables that find the same.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
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
"""GPT-4's (tiktoken's `cl100k_base`): numbers in groups of three digits, new lines apart."""

_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"  # and what has no case
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

GPT4O_PATTERN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""GPT-4o's (tiktoken's `o200k_base`): a word is cut where an upper-case letter follows a lower-case
one, and a contraction stays with its word."""

_QWEN2_PATTERN = GPT4_PATTERN.replace(r"\p{N}{1,3}", r"\p{N}")

_NANOCHAT_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)

# DeepSeek splits three times: numbers, then runs of Chinese and Japanese, then each of the pieces.
# A character of another piece is the end of the text where that looks ahead. Here it is as one
# pattern; tests/patterns compares its automaton with that of the three in sequence.
_CJK = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]"
_IN_CJK, _NOT_CJK = f"(?={_CJK})", f"(?!{_CJK})"
_DEEPSEEK3_WORDS = r"(?:{0}[^\r\n\p{{L}}\p{{N}}\p{{P}}\p{{S}}])?(?:{0}[\p{{L}}\p{{M}}])+"
_DEEPSEEK3_SYMBOLS = r"(?:{0}[\p{{P}}\p{{S}}])+"
_DEEPSEEK3_OTHERS = r"(?:{0}[^\s\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}](?:(?![\p{{L}}\p{{M}}])|{1}))+"
_DEEPSEEK3_PATTERN = "|".join([
    r"\p{N}{1,3}",
    _DEEPSEEK3_WORDS.format(_IN_CJK),
    _DEEPSEEK3_SYMBOLS.format(_IN_CJK),
    _DEEPSEEK3_OTHERS.format(_IN_CJK, _NOT_CJK),
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+",
    _DEEPSEEK3_WORDS.format(_NOT_CJK),
    " ?" + _DEEPSEEK3_SYMBOLS.format(_NOT_CJK) + r"[\r\n]*",
    rf"\s*[\r\n]+|\s+(?![^\s\p{{N}}{_CJK[1:]})|\s+",
    _DEEPSEEK3_OTHERS.format(_NOT_CJK, _IN_CJK),
])

PATTERNS: Mapping[str, str] = MappingProxyType({
    "gpt2": GPT2_PATTERN,
    "gpt4": GPT4_PATTERN,
    "gpt4o": GPT4O_PATTERN,
    "llama3": GPT4_PATTERN,
    "qwen2": _QWEN2_PATTERN,
    "deepseek3": _DEEPSEEK3_PATTERN,
    "nanochat": _NANOCHAT_PATTERN,
})
"""The patterns that have a name. Wherever a pattern is given, its name can be given instead."""


def find_pattern(pattern: str) -> str:
    """The regular expression of a name; what is not a name is a regular expression itself.

    >>> find_pattern("gpt2") == GPT2_PATTERN, find_pattern(r"\\w+|\\W")
    (True, '\\\\w+|\\\\W')
    >>> find_pattern("gpt3")  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    ValueError: there is no pattern 'gpt3'; there are gpt2, gpt4, gpt4o, llama3, qwen2, deepseek3,
    nanochat, and any regular expression
    """
    if not isinstance(pattern, str):
        raise TypeError(f"pattern is {pattern!r}; it must be a str")
    if pattern in PATTERNS:
        return PATTERNS[pattern]
    if re.fullmatch(r"[\w.-]+", pattern) and not pattern.startswith("."):
        raise ValueError(f"there is no pattern {pattern!r}; there are {', '.join(PATTERNS)}, and "
                         f"any regular expression")
    return pattern


def check_pattern(pattern: str) -> "regex.Pattern[str]":
    """The pattern, or the one of that name, as `regex` compiles it."""
    import regex  # here, because compiled patterns never run through it

    source = find_pattern(pattern)
    try:
        compiled = regex.compile(source)
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} is not a regular expression: {error}") from None
    if compiled.groups:
        raise ValueError(f"pattern {pattern!r} has a capturing group; write (?:...) for (...), "
                         f"so that a match is a pretoken as a whole")
    return compiled


def require_pattern(pattern: str) -> str:
    """The regular expression of a pattern, if it is one. `regex` is asked only if it is not known.

    >>> require_pattern("gpt2") == GPT2_PATTERN
    True
    >>> require_pattern("(a)")
    Traceback (most recent call last):
    ValueError: pattern '(a)' has a capturing group; write (?:...) for (...), so that a match is a \
pretoken as a whole
    """
    source = find_pattern(pattern)
    if source not in PATTERNS.values():
        check_pattern(source)
    return source


def pattern_name(pattern: str) -> str:
    """How a pattern is called in a sentence.

    >>> pattern_name(GPT2_PATTERN), pattern_name("a+|b")
    ('gpt2', "'a+|b'")
    """
    names = [name for name, source in PATTERNS.items() if source == pattern]
    return names[0] if names else repr(pattern)
