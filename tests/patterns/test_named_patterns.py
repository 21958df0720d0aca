"""The patterns that people use: the automaton cuts text as `regex` does."""

import random

import pytest
import regex
from patterns.edge_texts import random_text, starts_without_gaps

from cs336_bpe.corpora import generated
from cs336_bpe.native.scanner import compiled
from cs336_bpe.patterns import compile_pattern, compile_sequence
from cs336_bpe.patterns.compare import difference
from cs336_bpe.rules import GPT4_PATTERN, PATTERNS, find_pattern

SPELLINGS = {  # of the same patterns, and of relatives, as others write them
    "gpt2 handout":
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "gpt2 code": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "gpt2 tiktoken":
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k tiktoken":
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "cl100k in JavaScript":
        r"(?:'s|'S|'t|'T|'re|'rE|'Re|'RE|'ve|'vE|'Ve|'VE|'m|'M|'ll|'lL|'Ll|'LL|'d|'D)"
        r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "nemo":
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
ALL = {**PATTERNS, **SPELLINGS}
DEEPSEEK = [r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
            r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"]


def byte_starts(pattern, text):
    """Where the matches of `regex` start, in bytes."""
    starts, place, last = [], 0, 0
    for match in regex.finditer(pattern, text):
        place += len(text[last : match.start()].encode())
        last = match.start()
        starts.append(place)
    return starts


@pytest.mark.parametrize("name", ALL)
def test_edge_cases(name):
    """1,500 texts; every block alignment and the borders of batches come with long ones."""
    pattern = ALL[name]
    scanner, automaton = compiled(pattern), compile_pattern(pattern)
    rng = random.Random(name)
    for number in range(1500):
        text = random_text(rng, 40 if number % 50 else 2000)
        expected = byte_starts(pattern, text)
        assert scanner.starts(text.encode()) == expected, text
        assert scanner.starts(text.encode(), masks=False) == expected, text
        if number % 10 == 0:
            assert [match.span() for match in regex.finditer(pattern, text)] == list(
                automaton.matches(text))


@pytest.mark.parametrize("template", ["{}", " {}", "a{}b", "1{}2 ", "\n{} ", "!{}'s", "'{}x",
                                      "\u3000{}É"])
@pytest.mark.parametrize("name", ["gpt2", "gpt4", "gpt4o", "deepseek3"])
def test_every_code_point(name, template):
    """All code points between two letters, and every seventh in the other contexts: an automaton
    knows a character by its class alone, so one context shows whether each is of the right class.
    (tests/native/test_masks.py has all of them in more contexts, for the masks.)"""
    pattern = PATTERNS[name]
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    chosen = points[:: 1 if "a" in template else 7]
    text = "".join([template.replace("{}", point) for point in chosen])
    expected = starts_without_gaps(regex.compile(pattern), text)
    assert compiled(pattern).starts(text.encode()) == expected.tolist()


def check_documents(name, text):
    """All of a corpus, in blocks of documents: by masks, and by the automaton."""
    documents = text.split("<|endoftext|>")
    scanner = compiled(PATTERNS[name])
    for first in range(0, len(documents), 200):
        block = "".join(documents[first : first + 200])
        expected = byte_starts(PATTERNS[name], block)
        assert scanner.starts(block.encode()) == expected
        assert scanner.starts(block.encode(), masks=False) == expected


@pytest.mark.parametrize("corpus", ["stories", "web", "multilingual", "code"])
@pytest.mark.parametrize("name", PATTERNS)
def test_real_text(real_data, corpus, name):
    check_documents(name, (real_data / f"corpora/{corpus}.txt").read_bytes().decode())


@pytest.mark.parametrize("corpus", [generated.stories, generated.web])
@pytest.mark.parametrize("name", PATTERNS)
def test_generated_text(corpus, name):
    check_documents(name, corpus(300_000))


def test_equal_patterns_are_found_to_be_equal():
    for name in ("gpt2 handout", "gpt2 code", "gpt2 tiktoken"):
        assert compile_pattern(SPELLINGS[name]) == compile_pattern(PATTERNS["gpt2"])
    assert compile_sequence(DEEPSEEK) == compile_pattern(PATTERNS["deepseek3"])


def test_where_relatives_differ():
    """The newer cl100k keeps a newline and spaces together at the end of a text; in JavaScript the
    long s is not an s."""
    def differ(one, other):
        return difference(compile_pattern(find_pattern(one)), compile_pattern(find_pattern(other)))
    assert differ(GPT4_PATTERN, SPELLINGS["cl100k tiktoken"]) == "\n "
    assert differ(GPT4_PATTERN, SPELLINGS["cl100k in JavaScript"]) == "'ſA"
    assert differ("gpt4", "llama3") is None
    assert differ("gpt4", "qwen2") == "00"
    assert differ("gpt4", "nanochat") == "000"


def test_no_named_pattern_leaves_gaps():
    assert not any(compile_pattern(pattern).leaves_gaps for pattern in ALL.values())


def pass_by_pass(patterns, text):
    pieces = [(0, len(text))] if text else []
    for pattern in patterns:
        found = []
        for begin, end in pieces:
            at = begin
            for match in regex.finditer(pattern, text[begin:end]):
                start, stop = match.start() + begin, match.end() + begin
                if start > at:
                    found.append((at, start))
                found.append((start, stop))
                at = stop
            if at < end:
                found.append((at, end))
        pieces = found
    return pieces


@pytest.mark.parametrize("patterns", [
    DEEPSEEK, [r"\d+", r"\w+|\W"], [r"\p{N}{1,3}", r" ?\p{L}+"],
    [r"[a-z]+", r"[aeiou]+", r"\s+(?!\S)"],
    [r"\s+", r"\s+(?!\S)|\S"], [r"\w+"]], ids=lambda patterns: " ".join(patterns)[:30])
def test_sequences(patterns):
    automaton = compile_sequence(patterns)
    assert not automaton.leaves_gaps
    rng = random.Random(336)
    for _ in range(600):
        text = random_text(rng)
        assert list(automaton.matches(text)) == pass_by_pass(patterns, text), text
