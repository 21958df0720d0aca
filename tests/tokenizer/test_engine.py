"""The engine's cache: sizes around its limits, forgetting, memory, and both scanners."""

import os
import random
import string

import pytest
from hypothesis import given, settings
from tokenizer.oracle import PIECES, SPECIALS, broken, tokenizer_and_oracle, tricky

from cs336_bpe import Tokenizer
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.native.scan import use_portable_scanner
from cs336_bpe.rules import BYTES
from cs336_bpe.tokenizer import engine

SMALLEST = engine.SMALLEST_CACHE_BYTES


def with_cache(cache_bytes, **options):
    tokenizer, oracle = tokenizer_and_oracle(**options)
    return Tokenizer(tokenizer.vocab, tokenizer.merges, SPECIALS, cache_bytes=cache_bytes), oracle


@pytest.fixture(params=[False, True], ids=["fastest", "portable"])
def scanner(request):
    use_portable_scanner(request.param)
    yield
    use_portable_scanner(False)


def check(tokenizer, oracle, text):
    expected = oracle.encode(text)
    assert tokenizer.encode(text) == expected
    assert tokenizer.encode_array(text).tolist() == expected
    assert tokenizer.count(text) == len(expected)


@given(text=tricky)
@settings(max_examples=200)
def test_both_scanners(scanner, text):
    check(*tokenizer_and_oracle(), text)


@given(data=broken)
@settings(max_examples=200)
def test_both_scanners_and_any_bytes(scanner, data):
    tokenizer, oracle = tokenizer_and_oracle()
    shift = b"x" * (64 - len(data) % 64)  # so that what is broken is at the edge of a block too
    for text in data, shift + data, b"a" * 61 + data + b"b" * 2000:
        assert tokenizer.encode_array(text).tolist() == oracle.encode(
            text.decode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("filler", ["x", " ", "é", "a ", "'s", "\n", "\u3000", "🙂", "1-", "<|"])
def test_every_length_of_text(scanner, filler):
    tokenizer, oracle = tokenizer_and_oracle()
    text = filler * 3_000
    for length in [*range(200), *range(1_015, 1_035), *range(1_080, 1_095), 2_048, 2_900]:
        check(tokenizer, oracle, text[:length])
        check(tokenizer, oracle, text[:length] + "'ll ")
        check(tokenizer, oracle, text[:length] + "<|endoftext|>" + filler)


LENGTHS = [*range(1, 34), 62, 63, 64, 65, *range(125, 132), *range(252, 260), 511, 512, 5_000]


def test_every_length_of_pretoken(scanner):
    tokenizer, oracle = with_cache(SMALLEST)
    rng = random.Random(336)
    for length in LENGTHS:
        words = ["".join(rng.choices("aeolwrtsh", k=length)) for _ in range(5)]
        words += [char * length for char in "a-7\n\0"] + ["é" * (length // 2 + 1)]
        for word in words:
            check(tokenizer, oracle, word)
            check(tokenizer, oracle, f"{word} {word}!{word[:-1]} {word}")


def test_words_that_share_their_first_bytes_or_end_in_nul():
    tokenizer, oracle = tokenizer_and_oracle()
    words = ["\0" * length for length in range(1, 40)]
    words += ["-" * 15 + "\0" * length for length in range(5)]
    words += ["-" * length + "\x0f" for length in range(40)]
    for _ in range(2):
        for word in words:
            check(tokenizer, oracle, word)
            check(tokenizer, oracle, f"{word} a{word}\n{word}b")


@pytest.mark.parametrize("number", [254, 255, 256, 257, 258, 511, 512, 513])
@pytest.mark.parametrize("end", ["", "'", "'s", "'tis", "'l", "'ll", " ", "\n\n", "'s's's", "é"])
def test_batches_of_pretokens(number, end, scanner):
    tokenizer, oracle = tokenizer_and_oracle()
    for word in " a", "'s", "'tis", "a1", "\n-":
        check(tokenizer, oracle, word * number + end)
        check(tokenizer, oracle, word * number + end + " and so on" * 300)


# --- Forgetting -------------------------------------------------------------------------------


def different_words(number, seed=336):
    rng = random.Random(seed)
    letters = string.ascii_letters + "éß日本"
    return " ".join("".join(rng.choices(letters, k=rng.choice([3, 6, 9, 14, 17, 30, 140])))
                    for _ in range(number))


def test_a_table_that_is_often_full():
    tokenizer, oracle = with_cache(SMALLEST)
    text = different_words(15_000) + "".join(random.Random(1).choices(PIECES, k=5_000))
    full, _ = tokenizer_and_oracle()
    expected = full.encode(text)
    assert expected[:3_000] == oracle.encode(text[:20_000])[:3_000]
    cache = tokenizer.coder.engine.new_cache(SMALLEST)
    splitter = tokenizer.coder.choices.all.native
    for _ in range(2):
        engine = tokenizer.coder.engine
        ids = engine.as_list(engine.encode_ids(text, splitter, 4, cache))
        assert ids == expected
        assert tokenizer.encode(text) == expected
    assert cache.times_full > 5
    assert cache.num_bytes <= SMALLEST
    pieces = list(oracle.pretokens(text))
    for _ in range(2):
        ids = tokenizer.coder.engine.encode_pieces(pieces, 4, cache)
        assert tokenizer.coder.engine.as_list(ids) == expected


@pytest.mark.parametrize("cache_bytes", [SMALLEST, SMALLEST + 1, 200_000, 300_000, 1 << 20, 2**70])
def test_any_size_of_table(cache_bytes):
    tokenizer, _ = with_cache(cache_bytes)
    text = corpus.web(300_000) + different_words(3_000)
    assert tokenizer.encode(text) == tokenizer_and_oracle()[0].encode(text)


@pytest.mark.parametrize("width", [0, 2, 4])
def test_many_different_words_stay_within_the_limit(width):
    megabytes = 100 if os.environ.get("CS336_BPE_SLOW") else 20
    limit = 8 << 20
    tokenizer, _ = tokenizer_and_oracle()
    an_engine = tokenizer.coder.engine
    cache = an_engine.new_cache(limit)
    done = number = 0
    while done < megabytes * 1_000_000:
        text = " ".join([f"{number + i:x}w{(number + i) * 7919:o}" for i in range(50_000)])
        number += 50_000
        done += len(text)
        an_engine.encode_ids(text, tokenizer.coder.choices.all.native, width, cache)
        assert cache.num_bytes <= limit
    assert cache.times_full > 1
    assert cache.num_pretokens > 10_000 or cache.times_full > 5


# --- No input is quadratic: these end ---------------------------------------------------------

MERGES = [(b"a", b"b"), (b"a", b"a"), (b"aa", b"aa"), (b"ab", b"ab"), (b"aaaa", b"aaaa"),
          (b" ", b" "), (b"  ", b"  "), (b"1", b"1"), (b"\xf0", b"\x9f"), (b"\xf0\x9f", b"\x98"),
          (b"\xf0\x9f\x98", b"\x80")]
RUNS = ["a", "ab", "1", " ", "\n", "😀", "'", "'s", "\0", "é", "\u3000"]


@pytest.mark.parametrize("run", [*RUNS, "random"])
def test_two_megabytes_of_one_pretoken(run):
    size = 2_000_000
    text = (run * (size // len(run.encode())) if run != "random"
            else "".join(random.Random(1).choices("abcdefgh", k=size)))
    vocab = dict(enumerate([*BYTES, *(left + right for left, right in MERGES)]))
    tokenizer = Tokenizer(vocab, MERGES, ["<e>"])
    ids = tokenizer.encode_array(text)
    assert tokenizer.decode(ids) == text
    if run == "a":
        assert ids.tolist() == [256 + 4] * (size // 8)
    if run == "😀":
        assert ids.tolist() == [256 + 10] * (size // 4)
    assert tokenizer.count(text, specials="none") == len(ids)
