"""Every training stage returns what stage 01 returns: whole merge lists, in order."""

import os
import random
import subprocess
import sys
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cs336_bpe import stages
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.train import stage01_recount_everything as definition
from cs336_bpe.train.detour_process_pool import ProcessPoolTrainer

TIE_BREAKS = ["lexicographic", "huggingface"]


def words_over(alphabet, max_size=12):
    return st.lists(st.sampled_from(alphabet), max_size=max_size).map(bytes)


# Tiny alphabets force ties, overlaps, and words that are made of one repeated pair.
tiny_counts = st.one_of(
    st.dictionaries(words_over(b"a"), st.integers(0, 3), max_size=4),
    st.dictionaries(words_over(b"ab"), st.integers(0, 3), max_size=10),
    st.dictionaries(words_over(b"abc"), st.integers(0, 9), max_size=20),
    st.dictionaries(words_over(b"\x00a\x7f\x80\xff", 6), st.integers(0, 2), max_size=20),
    st.dictionaries(st.binary(max_size=8), st.integers(0, 2**40), max_size=20),
)


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@given(counts=tiny_counts)
@example(counts={})
@example(counts={b"": 1, b"a": 2})
def test_tiny_alphabets(train_stage, tie_break, counts):
    expected = definition.learn_merges(counts, 100, tie_break=tie_break)
    assert train_stage.learn_merges(counts, 100, tie_break=tie_break) == expected


HARD = {
    "run of one letter": {b"a" * n: n for n in range(1, 40)},
    "even and odd runs with borders": {b"b" + b"a" * n + b"c": 40 - n for n in range(1, 40)},
    "abab": {b"ab" * 9 + b"a": 2, b"ba" * 7: 3, b"abb" * 5: 1},
    "dashes": {b"-" * 64: 5, b"=" * 33: 5, b" " + b"-" * 7: 1},
    "overlap of a pair with itself, twice": {b"aaabaaabaaa": 1, b"aabaab": 1},
    "one token is a prefix of another": {b"ab": 1, b"abc": 1, b"abcd": 1, b"b": 9, b"bcd": 1},
    "prefix ties on the right": {b"xab": 2, b"xabc": 2, b"xa": 2, b"xb": 2, b"xabcd": 2},
    "high bytes": {bytes([b, 255 - b, b]): 3 for b in range(128, 256)},
    "all pairs of equal count": {bytes([a, b]): 1 for a in range(16) for b in range(240, 256)},
    "NUL": {b"\x00" * 5: 2, b"a\x00": 3, b"a": 3, b"a\x00\x00b": 3},
    "words that are one token early": {b"th": 1000, b"the": 10, b"thth": 7},
    "tokens longer than the sort key of eight bytes": {b"abcdefghijkl": 3, b"abcdefghijkm": 3,
                                                        b"abcdefgh": 3, b"abcdefghi\x00": 3},
    "ties beyond eight equal bytes": {b"abcdefghY": 10, b"abcdefghX": 9, b"abcdefghYq": 1,
                                      b"abcdefghXq": 1},
    "ties beyond eight equal bytes, on the right": {b"abcdefghY": 9, b"abcdefghX": 10,
                                                    b"qabcdefghX": 1, b"qabcdefghY": 1},
    "single bytes only": {bytes([b]): b + 1 for b in range(256)},
    "counts above 2^31": {b"ab": 2**31, b"abc": 2**31 + 1, b"bc": 2**31 - 1},
    "counts around 2^32": {b"abab": 2**32 - 2, b"bca": 2**32 - 1, b"cab": 2**32, b"aab": 2**32 + 1},
    "sums above 2^32": {b"ab" + bytes([c]): 2**30 for c in range(99, 120)},
    "counts near 2^60": {b"abcab": 2**60 // 5, b"bcabc": 2**60 // 7, b"cc": 2**60},
    "zero counts": {b"aaaa": 0, b"abab": 1, b"bb": 0},
}


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize("name", HARD)
def test_hard_cases_until_no_pair_is_left(train_stage, tie_break, name):
    expected = hard_merges(name, tie_break)
    assert len(expected) < 10_000
    assert train_stage.learn_merges(HARD[name], 10_000, tie_break=tie_break) == expected


@cache
def hard_merges(name, tie_break):
    """By the definition, once for all stages."""
    return definition.learn_merges(HARD[name], 10_000, tie_break=tie_break)


def test_every_smaller_size_is_a_prefix(any_train_stage):
    counts = HARD["abab"]
    whole = any_train_stage.learn_merges(counts, 100)
    for size in range(len(whole) + 1):
        assert any_train_stage.learn_merges(counts, size) == whole[:size]


@cache
def random_corpus(seed):
    """Counts, and what the definition learns from them."""
    rng = random.Random(seed)
    letters = rng.sample(range(256), 6)
    counts = {bytes(rng.choices(letters, k=rng.randint(1, 15))): rng.randint(1, 50)
              for _ in range(400)}
    return counts, definition.learn_merges(counts, 300)


@pytest.mark.parametrize("seed", range(3))
def test_random_corpora(train_stage, seed):
    counts, expected = random_corpus(seed)
    assert train_stage.learn_merges(counts, 300) == expected


MULTILINGUAL = (
    "Der Zweck heiligt die Mittel nicht. Ça va sans dire, c'est ça. Что ты делаешь, что делаешь? "
    "猫は魚を食べる。猫は寝る。 Το δέντρο και το δάσος. שלום שלום לכולם. नमस्ते दुनिया नमस्ते "
    "안녕하세요 안녕 🙂🙃🙂 naïve café — “quoted” … 1234 12345 \x1c\x85\u3000"
)


@cache
def many_languages(tie_break):
    counts = {}
    for n, word in enumerate(MULTILINGUAL.replace(" ", "\n ").split("\n")):
        counts[word.encode()] = counts.get(word.encode(), 0) + 1 + n % 3
    return counts, definition.learn_merges(counts, 400, tie_break=tie_break)


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_many_languages(train_stage, tie_break):
    counts, expected = many_languages(tie_break)
    assert train_stage.learn_merges(counts, 400, tie_break=tie_break) == expected


def test_built_in_corpus(train_stage, built_in_counts):
    counts, expected = built_in_counts
    assert train_stage.learn_merges(counts, 80) == expected


@pytest.fixture(scope="session")
def built_in_counts(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "web.txt"
    path.write_text(corpus.web(150_000), encoding="utf-8", newline="")
    counts = stages.find("pretokenize").load().count_pretokens(path, ["<|endoftext|>"])
    return counts, definition.learn_merges(counts, 80)


@pytest.mark.parametrize("reuse_pool", [True, False])
@pytest.mark.parametrize("batch_size", [1, 3, 1000])
def test_detour(reuse_pool, batch_size):
    counts = HARD["abab"]
    with ProcessPoolTrainer(reuse_pool=reuse_pool, batch_size=batch_size) as trainer:
        for tie_break in TIE_BREAKS:
            expected = definition.learn_merges(counts, 6, tie_break=tie_break)
            assert trainer.learn_merges(counts, 6, tie_break=tie_break) == expected


def test_detour_min_frequency_is_another_input():
    counts = {b"ab": 3, **{b"cd" + bytes([c]): 1 for c in range(5)}}
    detour = stages.find("train", "detour").load()
    assert detour.learn_merges(counts, 1) == [(b"c", b"d")]
    assert detour.learn_merges(counts, 1, min_frequency=2) == [(b"a", b"b")]


def test_detour_needs_with():
    trainer = ProcessPoolTrainer()
    with pytest.raises(RuntimeError, match="inside `with`"):
        trainer.learn_merges({b"ab": 1}, 1)


HASH_SEED_PROGRAM = """
import sys
from cs336_bpe.corpora import generated as corpus
from cs336_bpe import stages
counts = {}
for word in corpus.stories(20_000).split(" "):
    counts[word.encode()] = counts.get(word.encode(), 0) + 1
for stage in stages.ladder("train"):
    for tie_break in ("lexicographic", "huggingface"):
        print(stage.name, stage.load().learn_merges(counts, 60, tie_break=tie_break))
"""


def test_the_hash_seed_changes_nothing():
    outputs = {
        subprocess.run([sys.executable, "-c", HASH_SEED_PROGRAM], check=True, text=True,
                       capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(outputs) == 1
