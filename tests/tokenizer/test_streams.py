"""encode_iterable: the ids of the whole text, wherever it is cut, and as early as can be."""

import os
import random
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizer.oracle import (
    GPT4_PATTERN,
    PIECES,
    byte_tokenizer,
    encoded,
    texts,
    tokenizer_and_oracle,
    tricky,
)

from cs336_bpe import GPT2_PATTERN, Tokenizer
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.formats import write_gpt2
from cs336_bpe.native.scanner import compiled
from cs336_bpe.rules import PATTERNS, Model, assemble_vocab
from cs336_bpe.tokenizer.engine import LARGE


def cut_at(text, places):
    places = sorted({min(place, len(text)) for place in places})
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)])]


NOT_COMPILED = r"(?<=x)y| ?\w+|\W"


@pytest.mark.parametrize("pattern", [*PATTERNS, GPT4_PATTERN, NOT_COMPILED])
@given(text=texts.filter(encoded), places=st.lists(st.integers(0, 200)))
@example(text="a\n\nb", places=[])
@example(text="a \n\n\nb\u3000\u3000c", places=[4])
@example(text="<|endoftext|><|endoftext|>", places=[5, 13, 20])
@example(text="<|endoftext|><|endof text", places=[5, 13, 20])
def test_random_cuts(pattern, text, places):
    tokenizer, _ = tokenizer_and_oracle(pattern=pattern)
    parts = cut_at(text, places)
    assert list(tokenizer.encode_iterable(parts)) == tokenizer.encode(text)
    assert list(tokenizer.encode_iterable(parts, specials="none")) == tokenizer.encode(
        text, specials="none")


@pytest.mark.parametrize("kind", ["stories", "web"])
def test_lines_characters_and_pieces_of_any_size(kind):
    tokenizer, oracle = tokenizer_and_oracle()
    rng = random.Random(336)
    text = getattr(corpus, kind)(60_000) + "".join(rng.choices(PIECES, k=10_000))
    expected = oracle.encode(text)
    assert list(tokenizer.encode_iterable(text.splitlines(keepends=True))) == expected
    assert list(tokenizer.encode_iterable(list(text))) == expected
    for size in 2, 7, 100, 5_000, 10**6:
        parts = (text[at : at + size] for at in range(0, len(text), size))
        assert list(tokenizer.encode_iterable(parts)) == expected
    parts = cut_at(text, rng.choices(range(len(text)), k=3_000))
    assert list(tokenizer.encode_iterable(parts)) == expected


@pytest.mark.parametrize("run", ["x", "é", "7", "-", "'", " ", "\n", "\u3000", "<", "<|", "🙂"])
def test_runs_of_one_kind_longer_than_is_looked_at(run):
    tokenizer, _ = tokenizer_and_oracle()
    long = run * (5 * LARGE // len(run.encode()))
    for text in [long, long + "s a", "a" + long + "<|endoftext|>" + long, long + "\n\n<x" + long]:
        expected = tokenizer.encode(text)
        assert list(tokenizer.encode_iterable(iter(text))) == expected
        assert list(tokenizer.encode_iterable([text[:2000], text[2000:2001], text[2001:]])
                    ) == expected


# --- As early as can be -----------------------------------------------------------------------

SPECIALS = ("<|e|>", "<|e|>\n", "'sx", "\n<", "|>")
AFTER = ["", "a", "s", "l", "ll", "e", "1", "-", "'", "'s", " ", " a", "\n", "\n\n", "\n\na",
         "\u3000", "é", "\u0301", "<", ">", "|", "😀",
         *(special[at:] for special in SPECIALS for at in range(len(special)))]
EARLY = ["a", "s", "l", "b", "é", "1", "-", "'", "'s", "'l", "'ll", " ", "\n", "\u3000", "<", "<|",
         "|", "|e|>", "\u0301", *SPECIALS]


def given_before_the_next_part(tokenizer, parts):
    """The ids that come when some parts have been given, and no other was asked for."""
    asked_for_more = False

    def source():
        nonlocal asked_for_more
        yield from parts
        asked_for_more = True
        yield ""

    ids = []
    for number in tokenizer.encode_iterable(source()):
        if asked_for_more:
            break
        ids.append(number)
    return ids


@given(pieces=st.lists(st.sampled_from(EARLY), min_size=1, max_size=8), joined=st.booleans())
@settings(max_examples=400)
@example(pieces=["a", "<"], joined=True)
@example(pieces=["a", "\n", "\n", "<"], joined=True)
@example(pieces=["a", "\n", "\n", "b"], joined=True)
@example(pieces=["'s"], joined=True)
@example(pieces=["-", "<|e|>"], joined=True)
def test_what_no_continuation_can_change_is_given_out(pieces, joined):
    tokenizer, oracle = tokenizer_and_oracle(specials=SPECIALS)
    text = "".join(pieces)
    common = list(oracle.pretokens(text))
    for after in AFTER:
        other = list(oracle.pretokens(text + after))
        same = [mine == theirs for mine, theirs in zip(common, other)]
        common = common[: [*same, False].index(False)]
    expected = [number for part in common
                for number in ([part] if isinstance(part, int) else oracle.encode_pretoken(part))]
    parts = [text] if joined else pieces
    assert given_before_the_next_part(tokenizer, parts) == expected


@pytest.mark.parametrize("char", ["x", "7", "-", "\n", "é"])
@pytest.mark.parametrize("length", [10, 511, 512, 513, 5_000, 100_000])
def test_a_long_pretoken_is_given_out_when_it_ends(char, length):
    tokenizer = byte_tokenizer("<e>")
    word = [char] * length
    for end, number in [(" ", length), ("<e>", length + 1), ("_", length)]:
        if char == "\n" and end == " ":
            continue
        if char == "-" and end == "_":
            continue
        ids = given_before_the_next_part(tokenizer, [*word, end])
        if char == "é":
            number += length
        assert len(ids) == number


def test_nothing_is_asked_for_before_the_first_id():
    tokenizer = byte_tokenizer()
    asked = []
    stream = tokenizer.encode_iterable(asked.append(part) or part for part in ["a b", " c", "d "])
    assert asked == []
    assert next(stream) == ord("a")
    assert asked == ["a b"]
    assert [next(stream), next(stream)] == list(b" b")
    assert asked == ["a b", " c"]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=tricky, after=tricky)
def test_what_is_certain_is_where_pretokens_start(pattern, text, after):
    """Also in a longer text, whatever comes."""
    data = text.encode()
    certain = compiled(pattern).certain_starts(data)
    assert certain == [start for start in compiled(pattern).starts(data + after.encode())
                       if start <= max(certain, default=0) and data]


# --- Bad input, time and memory ---------------------------------------------------------------


def test_bad_parts():
    tokenizer = byte_tokenizer("<e>")
    assert list(tokenizer.encode_iterable("a<e>")) == [97, 256]  # characters are parts too
    for parts in [b"text", 5, None]:
        with pytest.raises(TypeError, match="parts is a"):
            tokenizer.encode_iterable(parts)
    for part in [b"b", 5, None, ["c"]]:
        stream = tokenizer.encode_iterable(["a ", part])
        assert next(stream) == ord("a")
        with pytest.raises(TypeError, match=r"part 1 is .* it must be str"):
            next(stream)
    with pytest.raises(ValueError, match=r"part 1 has a lone surrogate, '\\ud800', at character 2"):
        list(tokenizer.encode_iterable(["a", "bc\ud800"]))


def test_an_error_of_the_source_comes_through():
    def source():
        yield "a b"
        raise OSError("unplugged")

    with pytest.raises(OSError, match="unplugged"):
        list(byte_tokenizer().encode_iterable(source()))


RUNS = [("x", 10**6), (" ", 2 * 10**5), ("\n", 2 * 10**5), ("é", 10**5), ("'", 10**5), ("<", 10**5)]


@pytest.mark.parametrize(("char", "length"), RUNS)
def test_a_long_run_that_comes_character_by_character(char, length):
    """With quadratic time, a word of a megabyte would take hours."""
    tokenizer = byte_tokenizer("<e>", "<<<e>")
    text = char * length
    assert list(tokenizer.encode_iterable(iter(text))) == list(text.encode())


ITERATE = """
import resource, sys
from pathlib import Path
from cs336_bpe import Tokenizer

folder = Path(sys.argv[1])
tokenizer = Tokenizer.from_files(folder / "vocab.json", folder / "merges.txt", ["<|endoftext|>"])
count = 0
with open(folder / "text.txt", encoding="utf-8", newline="") as file:
    status = Path("/proc/self/status").read_text()
    size = 1024 * int(status.split("VmSize:")[1].split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (size + 1_000_000, -1))
    for number in tokenizer.encode_iterable(file):
        count += 1
print(count)
"""


WATCHED = "asan" in os.environ.get("LD_PRELOAD", "")


@pytest.mark.skipif(WATCHED or not sys.platform.startswith("linux"),
                    reason="needs /proc and RLIMIT_AS, and memory that is not watched")
@pytest.mark.parametrize("kind", ["stories", "different"])
def test_a_stream_of_5_mb_needs_less_than_1_mb(kind, tmp_path):
    if kind == "different":
        text = "\n".join(f"{number * 7919} {'word' * (number % 61)}{number:x}"
                         for number in range(35_000))
    else:
        text = corpus.stories(5_000_000)
    (tmp_path / "text.txt").write_text(text, encoding="utf-8", newline="")
    vocab, merges = many_merges(30_000)
    write_gpt2(Model(vocab, merges, ["<|endoftext|>"], GPT2_PATTERN),
               tmp_path / "vocab.json", tmp_path / "merges.txt")
    run = subprocess.run([sys.executable, "-c", ITERATE, tmp_path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    expected = Tokenizer(vocab, merges, ["<|endoftext|>"]).count(text)
    assert int(run.stdout) == expected


def many_merges(num_tokens):
    """A large vocabulary is quickly made from words of two letters, of three, and so on."""
    letters = b"etaoinshrdlucmfwypvbgkqjxz "
    tokens = [bytes([byte]) for byte in letters]
    merges = []
    for left in list(tokens):
        merges.extend((left, right) for right in tokens[:-1])
    twos = [left + right for left, right in merges]
    merges.extend((two, bytes([one])) for two in twos for one in letters[:-1])
    threes = [left + right for left, right in merges if len(left) == 2]
    merges.extend((three, b"e") for three in threes)
    merges = merges[: num_tokens - 257]
    assert len(merges) == num_tokens - 257
    return assemble_vocab(["<|endoftext|>"], merges), merges
