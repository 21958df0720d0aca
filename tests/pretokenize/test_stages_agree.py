"""Every stage gives the counts of the definition, however the text is cut and shared out."""

import doctest
import io
import os
import random
import threading
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from counting_in_a_process import count_with_tables_of
from hypothesis import given, settings
from hypothesis import strategies as st

from cs336_bpe import count_pretokens, count_pretokens_in, pretokenize, stages, train_bpe
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.measure.process import measure_call
from cs336_bpe.native.scanner import compiled
from cs336_bpe.pretokenize import stage11_threads, stage12_rolling
from cs336_bpe.pretokenize.stage01_whole_text import count_text
from cs336_bpe.pretokenize.stage03_processes import find_chunk_borders
from cs336_bpe.pretokenize.total import Total
from cs336_bpe.rules import GPT2_PATTERN, PATTERNS
from cs336_bpe.text.blocks import BlockReader
from cs336_bpe.text.cuts import Cutter

EOT = "<|endoftext|>"
LADDER = stages.ladder("pretokenize")
STAGES = {stage.number: stage.load().count_pretokens for stage in LADDER}
IN_BLOCKS = [stage.number for stage in LADDER[1:]]
THREADED = [stage.number for stage in LADDER if stage.parallel and stage.compiled]
GPT2_ONLY = [stage.number for stage in LADDER if not (stage.any_pattern or stage.automata)]
AUTOMATA = [stage.number for stage in LADDER if stage.automata]
GPT4_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
SPECIALS = {
    "none": [],
    "one": ["<|endoftext|>"],
    "several": ["<|endoftext|>", "<|pad|>", "[X]"],
    "overlapping": ["<|a|>", "<|a|><|b|>", "|><|", "<"],
    "with white space": ["end of text", "\n\n", " the ", "a b"],
    "regex characters": [".*", "(", "[a-z]+", "\\", "$^"],
    "not ASCII": ["«fin»", "猫", "\u3000", "é "],
    "a letter": ["e", "th"],
}
WORDS = ["the", "end", "of", "text", "a", "b", "'s", "don't", "naïve", "猫猫", "12", "3.5", "--",
         "🙂", "«", "fin", "»", "<|a|>", "<|b|>", "<", "|>", ".*", "(", "\\", "$^", "<|pad|>",
         "<|endoftext|>", "[X]", "é"]
GAPS = [" ", " ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\xa0", "\u3000", "", "\x85", "   \n "]


def random_text(seed, size):
    rng = random.Random(seed)
    return "".join(rng.choice(WORDS) + rng.choice(GAPS) for _ in range(size))


@pytest.fixture(scope="module")
def text_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text(random_text(1, 4000), encoding="utf-8", newline="")
    return path


@cache
def expected_of(path, specials, **options):
    return STAGES["stage01"](path, list(specials), **options)


@pytest.mark.parametrize("specials", SPECIALS.values(), ids=SPECIALS)
@pytest.mark.parametrize("stage", IN_BLOCKS)
def test_block_sizes(text_file, stage, specials):
    expected = expected_of(text_file, tuple(specials))
    for block_bytes in (1, 64, 65, 100, 1000, 4096, 1 << 16, 1 << 26):
        options = {"workers": 1, "block_bytes": block_bytes}
        assert STAGES[stage](text_file, specials, **options) == expected, block_bytes


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("specials", SPECIALS.values(), ids=SPECIALS)
@pytest.mark.parametrize("stage", THREADED)
def test_threads(text_file, stage, workers, specials):
    expected = expected_of(text_file, tuple(specials))
    for block_bytes in (64, 1000, 1 << 20):
        options = {"workers": workers, "block_bytes": block_bytes}
        assert STAGES[stage](text_file, specials, **options) == expected


@pytest.mark.parametrize("stage", THREADED)
def test_words_of_every_length_in_the_tables_of_several_threads(tmp_path, stage):
    """Each occurs often in every thread's table, and the tables are added up."""
    path = tmp_path / "words.txt"
    words = [letter * length for letter in "abc" for length in (1, 6, 7, 8, 14, 15, 16, 17, 300)]
    path.write_text(" ".join(words * 50), encoding="utf-8")
    expected = STAGES["stage01"](path, [])
    assert expected[b" " + b"a" * 300] == 50
    for workers in (1, 2, 3):
        assert STAGES[stage](path, [], workers=workers, block_bytes=1000) == expected


def in_letters(number):
    return "".join(chr(97 + number // 26**place % 26) for place in range(4))


@pytest.mark.parametrize("stage", THREADED)
@pytest.mark.parametrize("number", [2_000, 3_000, 5_000, 7_000])
def test_many_words_in_the_tables_of_several_threads(tmp_path, stage, number):
    """So many that every place of a table is likely to be in use, the first and the last too."""
    path = tmp_path / "words.txt"
    words = [prefix + in_letters(n) for n in range(number) for prefix in ("", "abcdef", "x" * 20)]
    path.write_text(" ".join(words * 2), encoding="utf-8")
    expected = STAGES["stage01"](path, [])
    assert STAGES[stage](path, [], workers=2, block_bytes=50_000) == expected


@pytest.mark.parametrize("stage", [stage11_threads, stage12_rolling])
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("most", [1, 30, 2_000, 40_000])
def test_tables_that_are_emptied_when_they_are_large(tmp_path, monkeypatch, workers, most, stage):
    """Words of every size, of which each block brings some that others have had too."""
    path = tmp_path / "words.txt"
    rng = random.Random(workers)
    words = [prefix + in_letters(n) for n in range(3_000) for prefix in ("", "abcdef", "x" * 20)]
    path.write_text(" ".join(rng.choices(words, k=30_000)) + EOT + "z", encoding="utf-8")
    expected = STAGES["stage01"](path, [EOT])
    monkeypatch.setattr(stage, "MOST_OWN", most)
    options = {"workers": workers, "block_bytes": 20_000}
    assert stage.count_pretokens(path, [EOT], **options) == expected
    with path.open("ab") as file:
        file.write(b" end\xff")
    with pytest.raises(ValueError, match="not valid UTF-8"):
        stage.count_pretokens(path, [EOT], **options)


def test_what_grows_with_the_distinct_pretokens_is_there_once(tmp_path):
    """Four threads that meet the same 300,000 words, with tables of 25 MB each if nobody empties
    them. (A fresh process measures it, in which the numbers are those of this call alone. It
    can't import this file, whose package pytest made up: what it calls is in a file of its own.)"""
    path = tmp_path / "words.txt"
    rng = random.Random(0)
    words = [f"abc{in_letters(n)}" for n in range(300_000)]
    with path.open("w", encoding="utf-8") as file:
        for _ in range(8):
            rng.shuffle(words)
            file.write(" ".join(words) + " ")
    small, large = (measure_call(count_with_tables_of, path, most) for most in (10_000, 10**9))
    assert small.value == large.value == 300_002  # the first has no space, the last no word
    assert small.peak_bytes < 0.5 * large.peak_bytes


@pytest.mark.parametrize("stage", STAGES)
def test_a_contraction_does_not_look_into_a_special_token(tmp_path, stage):
    path = tmp_path / "text.txt"
    for special, text in [("l>", "it'll>x"), ("e>", "we've> they're>"), ("s>", "it's>")]:
        path.write_text(text + " and so on. " * 20 + text, encoding="utf-8")
        expected = STAGES["stage01"](path, [special])
        assert STAGES[stage](path, [special], workers=1) == expected, special


def test_empty_matches_are_no_pretokens(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("a b c xx e f")
    for stage in ("stage01", "stage02", "stage03"):
        for block_bytes in (3, 1000):
            counts = STAGES[stage](path, [" "], pattern="x*", block_bytes=block_bytes)
            assert counts == {b"xx": 1}, (stage, block_bytes)


@pytest.mark.parametrize("errors", ["strict", "replace", "ignore"])
def test_a_special_token_with_a_space_everywhere(errors):
    """Its ends are places to cut, and they are found without trying all the others."""
    tried = []

    class Counting(Cutter):
        def _is_cut(self, *args):
            tried.append(args)
            return super()._is_cut(*args)

    text = b"a b" * 20_000
    cut = Counting(["a b"], errors=errors).last_cut(text, len(text))
    assert len(text) - 10 < cut <= len(text)
    assert cut % 3 == 0
    assert len(tried) < 200


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("specials", ["none", "overlapping", "with white space"])
def test_processes(text_file, workers, specials):
    expected = expected_of(text_file, tuple(SPECIALS[specials]))
    found = STAGES["stage03"](text_file, SPECIALS[specials], workers=workers, block_bytes=500)
    assert found == expected


@settings(max_examples=200)
@given(seed=st.integers(0, 10**6), specials=st.sampled_from(list(SPECIALS.values())),
       chunks=st.integers(1, 9))
def test_chunk_borders(tmp_path_factory, seed, specials, chunks):
    """Counting the chunks one by one gives the counts of the whole."""
    text = random_text(seed, 120)
    data = text.encode()
    path = tmp_path_factory.getbasetemp() / "chunks.txt"
    path.write_bytes(data)
    with path.open("rb") as file:
        borders = find_chunk_borders(file, len(data), chunks, Cutter(specials))
    assert borders[0] == 0
    assert borders[-1] == len(data)
    assert borders == sorted(set(borders))
    total = count_text("", specials, GPT2_PATTERN, None)
    for start, end in zip(borders, borders[1:]):
        total += count_text(data[start:end].decode(), specials, GPT2_PATTERN, None)
    assert total == count_text(text, specials, GPT2_PATTERN, None)


def test_chunks_are_found_where_there_are_places_to_cut(tmp_path):
    path = tmp_path / "even.txt"
    path.write_text("word " * 100_000, encoding="utf-8")
    size = path.stat().st_size
    with path.open("rb") as file:
        borders = find_chunk_borders(file, size, 8, Cutter(["<|endoftext|>"]))
    sizes = [end - start for start, end in zip(borders, borders[1:])]
    assert len(sizes) == 8
    assert max(sizes) < 1.1 * size / 8


@settings(max_examples=300)
@given(st.data())
def test_every_place_that_a_cutter_finds(data):
    """Property: cut at any place it names, and count both sides apart."""
    specials = data.draw(st.sampled_from(list(SPECIALS.values())))
    pattern = data.draw(st.sampled_from([GPT2_PATTERN, GPT4_PATTERN]))
    text = "".join(data.draw(st.lists(st.sampled_from(WORDS + GAPS), max_size=30)))
    raw = text.encode()
    size = data.draw(st.integers(0, len(raw)))
    cut = Cutter(specials, pattern).last_cut(raw, size)
    assert 0 <= cut <= size
    parts = count_text(raw[:cut].decode(), specials, pattern, None) + count_text(
        raw[cut:].decode(), specials, pattern, None)
    assert parts == count_text(text, specials, pattern, None)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("specials", [[], ["<|endoftext|>"], SPECIALS["overlapping"]])
def test_other_patterns(text_file, workers, specials):
    expected = expected_of(text_file, tuple(specials), pattern=GPT4_PATTERN)
    for block_bytes in (100, 1 << 20):
        found = count_pretokens(text_file, specials, pattern=GPT4_PATTERN, workers=workers,
                                block_bytes=block_bytes)
        assert found == expected
    text = text_file.read_bytes().decode()
    assert count_pretokens_in(text, specials, pattern=GPT4_PATTERN) == expected


GAPS_PATTERN = r"[a-z]{2,3}x?|\s+(?!\S)|\d+"


@pytest.mark.parametrize("pattern", [*PATTERNS, GPT4_PATTERN, GAPS_PATTERN])
@pytest.mark.parametrize("stage", AUTOMATA)
def test_compiled_patterns(text_file, stage, pattern):
    for specials in [[], ["<|endoftext|>"], SPECIALS["overlapping"]]:
        expected = expected_of(text_file, tuple(specials), pattern=pattern)
        for block_bytes in (64, 1000, 1 << 20):
            options = {"workers": 1, "block_bytes": block_bytes, "pattern": pattern}
            assert STAGES[stage](text_file, specials, **options) == expected, block_bytes


def test_native_stages_refuse_other_patterns(text_file):
    for stage in GPT2_ONLY:
        with pytest.raises(ValueError, match="use stage02, stage03, or stage06"):
            STAGES[stage](text_file, [], pattern=GPT4_PATTERN)


def test_several_files(tmp_path):
    for n in range(3):
        (tmp_path / f"{n}.txt").write_text(f"one two{n} one", encoding="utf-8")
    paths = [tmp_path / f"{n}.txt" for n in range(3)]
    counts = count_pretokens(paths, [])
    assert counts == {b"one": 3, b" one": 3, b" two": 3, b"0": 1, b"1": 1, b"2": 1}
    assert train_bpe(paths, 257, [])[1] == [(b"o", b"n")]
    assert count_pretokens([], []) == {}


def test_text_and_bytes():
    assert count_pretokens_in("ab ab", []) == {b"ab": 1, b" ab": 1}
    assert count_pretokens_in(b"ab ab", []) == {b"ab": 1, b" ab": 1}
    assert count_pretokens_in("", []) == {}
    with pytest.raises(ValueError, match=r"lone surrogate, .* at character 1"):
        count_pretokens_in("a\ud800", [])
    for wrong in 5, [5]:
        with pytest.raises(TypeError, match="must be str or bytes"):
            count_pretokens_in(wrong, [])


def test_training_end_to_end_from_either(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text(corpus.web(300_000), encoding="utf-8", newline="")
    expected = train_bpe(path, 1000, ["<|endoftext|>"], workers=1, stage="stage05")
    for workers in (1, 2, 5):
        assert train_bpe(path, 1000, ["<|endoftext|>"], workers=workers) == expected


def test_a_pipe(tmp_path):
    """Something that has no size and can't be searched."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = random_text(5, 3000)
    for stage in LADDER[1:]:
        thread = threading.Thread(target=pipe.write_bytes, args=(text.encode(),))
        thread.start()
        workers = 2 if stage.parallel else 1
        found = STAGES[stage.number](pipe, ["[X]"], block_bytes=1000, workers=workers)
        thread.join()
        assert found == count_text(text, ["[X]"], GPT2_PATTERN, None), stage


# --- Found in review -----------------------------------------------------------------------------


@pytest.mark.parametrize("pad", range(30))
def test_a_special_token_that_begins_in_another_one(tmp_path, pad):
    """At a chunk border, the one before must be seen though it begins far to the left."""
    one, two = "XXXXXXXXXXXX<", "<yyyyyyyyyyyy"
    path = tmp_path / "text.txt"
    path.write_text("q" * pad + " " + "q " * 20 + one + two[1:] + "zzz" + " q" * 21,
                    encoding="utf-8")
    options = {"pattern": r"[a-z]+|[^a-z]"}
    expected = STAGES["stage01"](path, [one, two], **options)
    with path.open("rb") as file:
        cutter = Cutter([one, two], options["pattern"])
        borders = find_chunk_borders(file, path.stat().st_size, 8, cutter)
    data = path.read_bytes()
    total = count_text("", [], GPT2_PATTERN, None)
    for start, end in zip(borders, borders[1:]):
        total += count_text(data[start:end].decode(), [one, two], options["pattern"], None)
    assert total == expected


@pytest.mark.parametrize("errors", ["ignore", "replace"])
def test_a_byte_that_is_left_out_before_a_special_token(tmp_path, errors):
    path = tmp_path / "text.txt"
    path.write_bytes(b"x\xff<a>yz " * 50)
    options = {"pattern": r"[a-z>]+| ", "errors": errors}
    expected = STAGES["stage01"](path, ["x<", "<a>"], **options)
    for block_bytes in (1, 8, 20, 100):
        found = STAGES["stage02"](path, ["x<", "<a>"], block_bytes=block_bytes, **options)
        assert found == expected


def test_short_and_long_special_tokens_leave_blocks_small(tmp_path):
    data = b"one line\n" * 100_000
    cutter = Cutter(["\n", "<|endoftext|>"], r"[a-z]+|[^a-z]")
    reader = BlockReader(io.BytesIO(data), "text", cutter, 5_000, end=len(data))
    buffer = bytearray()
    while reader.read_into(buffer):
        assert len(buffer) < 15_000


def test_many_first_bytes_of_special_tokens(tmp_path):
    """A byte that never occurs is not searched for again and again: this would take minutes."""
    text = "the hen was seen " * 200_000
    specials = ["<|endoftext|>", "end of text", "\x00", "~", "hens"]
    expected = count_pretokens_in(text, [])
    assert count_pretokens_in(text, specials) == expected


def test_paths_that_are_none():
    for wrong in (None, 5, b"corpus.txt", [3], ["a.txt", None]):
        with pytest.raises(TypeError, match="input_path"):
            count_pretokens(wrong, [])


def test_absurd_numbers_of_workers(text_file):
    expected = STAGES["stage01"](text_file, [])
    assert count_pretokens(text_file, [], workers=10**20) == expected
    assert count_pretokens(text_file, [], block_bytes=2**62) == expected


def test_the_product_names_its_stages():
    """Whatever comes last in the registry, what is used has what it is used for."""
    engine = stages.find("pretokenize", pretokenize.ENGINE)
    assert engine.blocks
    assert engine.parallel
    assert engine.automata
    assert stages.find("pretokenize", pretokenize.ANY_PATTERN_STAGE).any_pattern
    for stage in LADDER:
        assert hasattr(stage.load(), "count_blocks") == stage.blocks


@pytest.mark.parametrize("stage", [stage for stage in LADDER if stage.compiled],
                         ids=lambda stage: stage.number)
def test_examples_in_compiled_docstrings(stage):
    """`pytest --doctest-modules` collects no compiled modules."""
    module = stage.load()
    finder = doctest.DocTestFinder()
    runner = doctest.DocTestRunner()
    tests = [*finder.find(module, module.__name__)]
    for name, function in vars(module).items():  # those of Cython are no plain functions
        if getattr(function, "__module__", None) == module.__name__:
            tests += finder.find(function, name, module, module.__dict__)
    for test in tests:
        runner.run(test)
    assert runner.failures == 0
    if hasattr(module, "pretokens"):
        assert runner.tries > 0


def test_threads_that_write_columns_at_the_same_time():
    """A length belongs to its word, in whichever order threads take room for theirs.

    The first letter of a word says how long it is. One round in a hundred was wrong when room for
    bytes and room for lengths were taken one after the other.
    """
    rng = random.Random(1)
    letters = "abcdefghijklmnop"
    words = [letters[length] + "".join(rng.choices("qrstuvwxyz", k=length - 1))
             for length in rng.choices(range(4, 12), k=60_000)]
    text = "\n".join(words).encode()
    table = stage12_rolling.Table(compiled(GPT2_PATTERN), [])
    block = SimpleNamespace(buffer=bytearray(text) + bytes(256), size=len(text), packing=None)
    table.count_block("strict", Total(), block)
    for _ in range(600):
        columns = table.as_counts(4).columns
        lengths = np.frombuffer(columns.lengths, dtype=np.uint64).astype(np.int64)
        first = np.frombuffer(columns.text, dtype=np.uint8)[np.cumsum(lengths) - lengths]
        assert ((first == ord("a") + lengths) | (first == ord("\n"))).all()
