"""What the compiler does not take, it refuses by name, and then `regex` runs."""

import logging

import pytest

from cs336_bpe import Tokenizer, count_pretokens_in
from cs336_bpe.patterns import Unsupported, compile_pattern, compile_sequence, known, why_not
from cs336_bpe.pretokenize.stage01_whole_text import count_text
from cs336_bpe.rules import BYTES

REFUSED = {
    r"(?<=a)b": "look-behind",
    r"(?<!a)b": "look-behind",
    r"a\b": "word boundary",
    r"a\B": "word boundary",
    r"\ma": "word boundary",
    r"\Aa": "start of the text",
    r"^a": "start of the text",
    r"\Ga": r"\\G",
    r"a\Kb": r"\\K",
    r"\X": "grapheme",
    r"\R": r"\\R",
    r"\N{DIGIT ONE}": "named character",
    r"(a)\1": "reference to a group",
    r"(?P<n>a)(?P=n)": "named group",
    r"(?P<n>a)": "named group",
    r"(?<n>a)": "named group",
    r"(?>a+)b": "atomic group",
    r"(?|a|b)": "branch reset",
    r"(?i)a": "flag for all that follows",
    r"(?x: a b )": "group of an unknown kind",
    r"(?s:.)": "group of an unknown kind",
    r"(?#x)a": "comment",
    r"(a)?(?(1)b|c)": "condition",
    r"a(?R)?b": "recursion",
    r"a|(*FAIL)": "verb",
    r"(?=ab)a": "look-ahead at more than one character",
    r"(?!ab)a": "look-ahead at more than one character",
    r"(?!a+)b": "look-ahead at more than one character",
    r"(?:ab)++": "possessive quantifier on more than one character",
    r"(?:a|b)*+c": "possessive quantifier on more than one character",
    r"(?:a*)*b": "loop around something that may be empty",
    r"(?:a|)+b": "loop around something that may be empty",
    r"(?:a?|b){0,2}c": "loop around something that may be empty",
    r"(?:a?)?b": "loop around something that may be empty",
    r"a{65}": "more than 64 repetitions",
    r"a{2,100}": "more than 64 repetitions",
    r"a*": "empty string",
    r"a|": "empty string",
    r"(?!a)": "empty string",
    r"[[a-z]x]": r"\[ inside \[",
    r"[[:alpha:]]": r"\[ inside \[",
    r"[a&&b]": "operation on sets",
    r"a$": r"\$ where a newline may follow",
    r"a{x": "not a quantifier",
    r"a(?=b)?": "quantifier on something that takes no character",
    "|".join(f"[{chr(i)}-{chr(i + 1)}]" for i in range(1000, 1600, 2)): "classes of characters",
    r"(?:a|b|ab|ba){2,50}(?:c|ab){3,60}x|[a-c]": "states|entries",
}


@pytest.mark.parametrize("pattern", REFUSED, ids=lambda pattern: pattern[:30])
def test_refused_by_name(pattern):
    with pytest.raises(Unsupported, match=REFUSED[pattern]):
        compile_pattern(pattern)
    assert why_not(pattern)


def test_sequences_that_are_refused():
    for patterns in ([r"ab", "c"], [r"\d{1,3}", r"\d"], ["a+?", "b"], [r"\w+", r"a$"]):
        with pytest.raises(Unsupported):
            compile_sequence(patterns)


def test_the_caller_falls_back_and_says_so_once(caplog):
    pattern = r"(?<=x)y+|[^y]"
    known._say_once.cache_clear()
    with caplog.at_level(logging.WARNING, "cs336_bpe"):
        assert count_pretokens_in("xyyz", [], pattern=pattern) == count_text("xyyz", [], pattern,
                                                                            None)
        tokenizer = Tokenizer(dict(enumerate(BYTES)), [], pattern=pattern)
        assert tokenizer.encode("xyyz") == list(b"xyyz")
    [message] = [record.getMessage() for record in caplog.records]
    assert "runs through `regex`" in message
    assert "look-behind" in message


def test_what_is_not_a_pattern_at_all():
    with pytest.raises(ValueError, match="not a regular expression"):
        count_pretokens_in("a", [], pattern="(a")
    with pytest.raises(ValueError, match="there is no pattern 'gpt3'; there are gpt2"):
        count_pretokens_in("a", [], pattern="gpt3")
