"""The engine's cache: sizes around its limits, forgetting, memory, and both scanners."""

import mmap
import os
import random
import string
import subprocess
import sys

import pytest
from hypothesis import given, settings
from tokenizer.oracle import PIECES, SPECIALS, Oracle, broken, tokenizer_and_oracle, tricky

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


# --- What small mistakes would change --------------------------------------------------------


def merges_of_letters(number):
    """Merges of two letters each, and then of those."""
    letters = [bytes([byte]) for byte in range(97, 123)]
    pairs = [(left, right) for left in letters for right in letters]
    return [*pairs, *((left + right, left) for left, right in pairs)][:number]


@pytest.mark.parametrize("number", [63, 64, 65, 127, 128, 129, 255, 256, 257, 512, 1024])
def test_any_number_of_merges(number):
    """A table of merges that is quite full would never end the search for one that isn't there."""
    merges = merges_of_letters(number)
    vocab = dict(enumerate([bytes([byte]) for byte in range(256)]
                           + [left + right for left, right in merges]))
    text = " zz zy abab baba zzaz " + "".join(map(chr, range(97, 123))) * 3
    expected = Oracle(vocab, merges, {}).encode(text)
    code = ("import sys, ast; from cs336_bpe import Tokenizer; "
            "vocab, merges, text = ast.literal_eval(sys.stdin.read()); "
            "print(Tokenizer(vocab, merges).encode(text))")
    done = subprocess.run([sys.executable, "-c", code], input=repr((vocab, merges, text)),
                          capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == f"{expected}\n"


def test_pairs_that_share_a_part():
    """A table of merges, most of which begin or end with `a`, and look-ups of as many pairs that do
    and are none: some have the fingerprint of a merge that is near them in the table."""
    letters = [bytes([byte]) for byte in range(98, 123)]
    twos = [(left, right) for left in letters for right in letters]
    threes = [(left + right, last) for left, right in twos if left < right for last in letters]
    made = [left + right for left, right in [*twos, *threes]]
    merges = [*twos, *threes, *((b"a", token) for token in made[::2]),
              *((token, b"a") for token in made[1::2])]
    tokens = [*BYTES, *(left + right for left, right in merges)]
    ids = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(dict(enumerate(tokens)), merges)
    for token in made[::2]:
        assert tokenizer.encode_array(b"a" + token).tolist() == [ids[b"a" + token]], token
        assert tokenizer.encode_array(token + b"a").tolist() == [ids[token], 97], token
    for token in made[1::2]:
        assert tokenizer.encode_array(b"a" + token).tolist() == [97, ids[token]], token
        assert tokenizer.encode_array(token + b"a").tolist() == [ids[token + b"a"]], token


@pytest.mark.parametrize("space", ["\u3000", "\xa0", "\u2003\n", "\n\n\u3000", "\u3000\n\n", " "])
@pytest.mark.parametrize("tail", [60, 64, 70, 130])
def test_the_last_place_to_cut_is_beside_wide_white_space(space, tail):
    tokenizer, oracle = tokenizer_and_oracle()
    text = "lower " * 200 + "x" + space + "y" * tail
    assert tokenizer.encode(text) == oracle.encode(text)


def test_a_cache_that_was_full_is_used_again():
    cache = engine.Cache(engine.SMALLEST_CACHE_BYTES, 255)
    tokenizer = Tokenizer(dict(enumerate(BYTES)), [])
    native = tokenizer.coder.choices.none.native
    encode = tokenizer.coder.engine.encode_ids
    for number in range(100_000):
        if cache.times_full:
            break
        encode(" ".join(f"word{number}x{more}" for more in range(50)), native, 2, cache)
    assert cache.times_full
    words = " ".join(f"again{number}" for number in range(100))
    encode(words, native, 2, cache)
    full = cache.times_full
    for _ in range(5):
        encode(words, native, 2, cache)
    assert cache.times_full == full
    assert cache.num_pretokens >= 100


@pytest.mark.skipif(not hasattr(mmap, "PROT_READ"), reason="needs mmap")
@pytest.mark.parametrize("size", [4096, 8192, 4096 * 17])
def test_nothing_is_read_after_the_end_of_a_mapping(size, tmp_path):
    """The page after the text belongs to nobody: reading from it ends the process."""
    code = """if True:
        import ctypes, mmap, sys
        from cs336_bpe import Tokenizer, count_pretokens_in
        size = int(sys.argv[1])
        whole = mmap.mmap(-1, size + mmap.PAGESIZE)
        whole[:size] = (b"word " * size)[:size]
        at = ctypes.addressof(ctypes.c_char.from_buffer(whole))
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.mprotect(ctypes.c_void_p(at + size), mmap.PAGESIZE, 0) == 0
        view = memoryview(whole)[:size]
        tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], ["<e>"])
        assert len(tokenizer.encode_array(view, workers=1)) == size
        assert sum(count_pretokens_in(view, ["<e>"]).values()) == -(-size // 5)
        print("done")
    """
    done = subprocess.run([sys.executable, "-c", code, str(size)], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.stdout == "done\n", done.stderr
