"""Every encoding stage returns what stage 01 returns, and what tiktoken makes of the same ranks."""

import doctest
import itertools
import json
import random
import re
import threading

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from cs336_bpe import GPT2_PATTERN, stages, train_bpe_from_counts
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.encode import stage01_replay_merges as definition
from cs336_bpe.encode import stage06_cached_words, stage09_scanned_pairs
from cs336_bpe.rules import BYTES, MAX_ID, huggingface_byte_numbers

LADDER = stages.ladder("encode")
EOT = "<|endoftext|>"


@pytest.fixture(params=LADDER, ids=lambda stage: stage.name)
def any_stage(request):
    """Each stage; a compiled one that was not built fails here."""
    return request.param.load()


def encoders(vocab, merges):
    """An encoder of every stage but the definition, and one that has a heap for all pretokens."""
    found = {stage.name: stage.load().Encoder(vocab, merges) for stage in LADDER[1:]}
    found["stage09, always a heap"] = stage09_scanned_pairs.Encoder(vocab, merges, heap_from=0)
    found["stage09, never a heap"] = stage09_scanned_pairs.Encoder(vocab, merges, heap_from=10**9)
    return found


def check(vocab, merges, pretokens):
    """All stages agree on these pretokens, each asked twice, and the ids stand for the bytes.

    The second time, a stage with a cache has the answer there.
    """
    expected = [definition.Encoder(vocab, merges).encode_pretoken(word) for word in pretokens]
    assert [b"".join(vocab[i] for i in ids) for ids in expected] == pretokens
    for name, encoder in encoders(vocab, merges).items():
        for word, ids in zip(pretokens, expected):
            assert encoder.encode_pretoken(word) == ids, (name, word)
            assert encoder.encode_pretoken(word) == ids, (name, word)


def numbered(merges, rng=None):
    """A vocab for the merges; with `rng`, ids are in any order and have gaps."""
    tokens = [*BYTES, *(left + right for left, right in merges)]
    ids = range(len(tokens)) if rng is None else rng.sample(range(MAX_ID + 1), len(tokens))
    return dict(zip(ids, tokens))


# --- Tiny alphabets: overlaps ------------------------------------------------------------------


@st.composite
def consistent_merges(draw, alphabet):
    """Any merges that are in order, no two of which make the same token."""
    tokens = [bytes([byte]) for byte in alphabet]
    merges = []
    for left, right in draw(st.lists(st.tuples(*[st.integers(0, 10**6)] * 2), max_size=12)):
        pair = tokens[left % len(tokens)], tokens[right % len(tokens)]
        if pair[0] + pair[1] not in tokens:
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
    return merges


def words_over(alphabet):
    return st.lists(st.lists(st.sampled_from(alphabet), max_size=30).map(bytes), max_size=8)


TINY = [b"a", b"ab", b"abc", b"\x00\xff"]


@pytest.mark.parametrize("alphabet", TINY, ids=repr)
@given(data=st.data(), seed=st.none() | st.integers(0, 1000))
def test_tiny_alphabets(alphabet, data, seed):
    merges = data.draw(consistent_merges(alphabet))
    vocab = numbered(merges, None if seed is None else random.Random(seed))
    check(vocab, merges, data.draw(words_over(alphabet)))


@pytest.mark.parametrize("alphabet", [b"ab", b"abc"], ids=repr)
def test_many_lists_of_merges_that_nobody_would_learn(alphabet):
    rng = random.Random(336)
    for _ in range(300):
        tokens, merges = [bytes([byte]) for byte in alphabet], []
        for _ in range(15):
            pair = rng.choice(tokens[:8]), rng.choice(tokens[:8])
            if pair[0] + pair[1] not in tokens:
                merges.append(pair)
                tokens.append(pair[0] + pair[1])
        check(numbered(merges), merges, [bytes(rng.choices(alphabet, k=12)) for _ in range(8)])


@given(words=st.lists(st.binary(max_size=40), max_size=5))
@example(words=[b"", bytes(range(256)), b"\x00", b"\x00" * 300])
def test_any_bytes(words):
    merges = [(b"\x00", b"\x00"), (b"\x00\x00", b"\x00\x00"), (b"a", b"\x00"), (b"\xff", b"\xfe")]
    check(numbered(merges), merges, words)


def test_all_bytes_and_no_merge():
    check(numbered([]), [], [b"", bytes(range(256)), *BYTES])


def test_merging_goes_from_left_to_right():
    merges = [(b"a", b"a")]
    vocab = numbered(merges)
    assert definition.Encoder(vocab, merges).encode_pretoken(b"aaa") == [256, 97]
    check(vocab, merges, [b"aaa", b"baaab", b"aaaaa"])


def runs_merges():
    """What training makes of runs of one letter: tokens of many lengths."""
    counts = {b"a" * n: 50 - n for n in range(1, 50)}
    return train_bpe_from_counts(counts, 256 + 40, [])


def test_runs_of_one_letter():
    vocab, merges = runs_merges()
    check(vocab, merges, [b"a" * n for n in range(200)] + [b"b" + b"a" * n for n in range(60)])


def test_long_pretokens_on_both_sides_of_the_threshold():
    vocab, merges = runs_merges()
    rng = random.Random(336)
    at = stage09_scanned_pairs.HEAP_FROM
    for alphabet in (b"a", b"ab", b"aaab"):
        sizes = [at - 2, at - 1, at, at + 1, 2 * at, 1000]
        check(vocab, merges, [bytes(rng.choices(alphabet, k=size)) for size in sizes])


# --- Tables of pairs ----------------------------------------------------------------------------


TABLES = [stage for stage in LADDER if stage.number >= "stage11"]  # in C++


def byte_pairs(number):
    """Merges of two bytes each, the first of which are low and the second high."""
    pairs = itertools.product(BYTES[:128], BYTES[128:])
    return list(itertools.islice(pairs, number))


@pytest.mark.parametrize("number", [64, 128, 1024])
def test_as_many_merges_as_a_table_might_have_places(number):
    """A search for a pair that is not there ends at a free place, so there must be one."""
    merges = byte_pairs(number)
    check(numbered(merges), merges, [b"\x00\x80\x05", b"\x05\x00\x80", b"\x00\x80\x00\x81"])


@pytest.mark.parametrize("stage", TABLES, ids=lambda stage: stage.name)
def test_many_pairs_with_one_left_part(stage):
    """Of 16,384 pairs half are merged; some others have places and fingerprints of those."""
    merges = byte_pairs(1 << 14)
    tokens = [left + right for left, right in merges]
    merges += [(tokens[0], token) for token in tokens[::2]]
    encoder = stage.load().Encoder(numbered(merges), merges)
    for place, token in enumerate(tokens):
        ids = [256, 256 + place] if place % 2 else [256 + len(tokens) + place // 2]
        assert encoder.encode_pretoken(tokens[0] + token) == ids


# --- Trained vocabularies, and other people's encoder ------------------------------------------


@pytest.fixture(scope="module", params=["stories", "web"])
def trained(request):
    """A vocabulary, its merges, and pretokens of a text that it was not trained on."""
    def split(text):
        return [word.encode() for part in text.split(EOT)
                for word in regex.findall(GPT2_PATTERN, part)]

    make = getattr(corpus, request.param)
    counts = {}
    for word in split(make(100_000)):
        counts[word] = counts.get(word, 0) + 1
    vocab, merges = train_bpe_from_counts(counts, 1_000, [EOT])
    return vocab, merges, sorted(set(split(make(20_000, seed=1))))


def test_trained_vocabularies(trained):
    vocab, merges, words = trained
    check(vocab, merges, words[::10])


def test_ids_in_any_order_with_gaps(trained):
    _, merges, words = trained
    vocab = numbered(merges, random.Random(1))
    assert max(vocab) > MAX_ID // 2
    check(vocab, merges, words[::25])


def test_merges_in_odd_orders(trained):
    """Not as they were learned, but still every one after its parts."""
    _, merges, words = trained
    rng = random.Random(2)
    for _ in range(3):
        waiting, made, shuffled = list(merges), set(BYTES), []
        while waiting:
            pair = rng.choice([pair for pair in waiting if made.issuperset(pair)])
            waiting.remove(pair)
            shuffled.append(pair)
            made.add(pair[0] + pair[1])
        assert shuffled != merges
        check(numbered(shuffled), shuffled, rng.sample(words, 60))


def tiktoken_from(vocab, merges):
    tiktoken = pytest.importorskip("tiktoken")
    tokens = [*BYTES, *(left + right for left, right in merges)]
    ids = {token: number for number, token in vocab.items()}
    encoding = tiktoken.Encoding("ours", pat_str=r"(?s:.)+", special_tokens={},
                                 mergeable_ranks={token: n for n, token in enumerate(tokens)})
    of_rank = [ids[token] for token in tokens]
    return lambda word: [of_rank[rank] for rank in encoding._encode_single_piece(word)]


def test_tiktoken_makes_the_same_of_a_trained_vocabulary(trained):
    vocab, merges, words = trained
    encode = tiktoken_from(vocab, merges)
    expected = [encode(word) for word in words]
    few = {"stage01", "stage02", "stage03"}  # slow: every tenth word
    for stage in LADDER:
        step = 10 if stage.number in few else 1
        encoder = stage.load().Encoder(vocab, merges)
        assert [encoder.encode_pretoken(word) for word in words[::step]] == expected[::step]


@pytest.fixture(scope="module")
def gpt2(real_data):
    """GPT-2's vocabulary, from the printable alphabet that its files are written in."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = {}
    for byte, number in enumerate(huggingface_byte_numbers()):
        printed = printable[number] if number < len(printable) else 256 + number - len(printable)
        alphabet[chr(printed)] = byte

    def to_bytes(text):
        return bytes(alphabet[character] for character in text)

    tokens = json.loads((real_data / "cs336/gpt2_vocab.json").read_text(encoding="utf-8"))
    vocab = {i: EOT.encode() if token == EOT else to_bytes(token) for token, i in tokens.items()}
    lines = (real_data / "cs336/gpt2_merges.txt").read_text(encoding="utf-8").splitlines()
    merges = [tuple(map(to_bytes, line.split(" "))) for line in lines if line[:9] != "#version:"]
    assert len(merges) == 50_000
    return vocab, merges


@pytest.mark.parametrize("name", ["stories", "web", "code", "multilingual"])
def test_gpt2_and_tiktoken_on_real_text(gpt2, real_data, name):
    vocab, merges = gpt2
    encode = tiktoken_from(vocab, merges)
    with (real_data / f"corpora/{name}.txt").open("rb") as file:
        file.seek(5_000_000)
        text = file.read(500_000).decode(errors="ignore")
    words = sorted({word.encode() for word in regex.findall(GPT2_PATTERN, text)})
    random.Random(name).shuffle(words)
    sizes = {"stage01": 20, "stage02": 100, "stage03": 100, "stage04": 3_000, "stage05": 3_000,
             "stage06": 3_000, "stage07": 3_000}
    expected = [encode(word) for word in words]
    for stage in LADDER:
        encoder = stage.load().Encoder(vocab, merges)
        for word, ids in zip(words[:sizes.get(stage.number)], expected):
            assert encoder.encode_pretoken(word) == ids, (stage.name, word)
    long_ones = [b"".join(words[n:n + 40]) for n in range(0, 2_000, 40)]
    heap = stage09_scanned_pairs.Encoder(vocab, merges, heap_from=0)
    scan = stage09_scanned_pairs.Encoder(vocab, merges, heap_from=10**9)
    for word in words[:5_000] + long_ones:
        assert heap.encode_pretoken(word) == scan.encode_pretoken(word) == encode(word), word


# --- Whole texts --------------------------------------------------------------------------------

WHOLE_TEXTS = [stage for stage in LADDER if stage.whole_texts]


def check_texts(vocab, merges, texts):
    """Stages that take whole texts give the ids of their pretokens, twice, as bytes and as str."""
    encode = stage09_scanned_pairs.Encoder(vocab, merges).encode_pretoken
    for text in texts:
        expected = [number for word in regex.findall(GPT2_PATTERN, text)
                    for number in encode(word.encode())]
        for stage in WHOLE_TEXTS:
            encoder = stage.load().Encoder(vocab, merges)
            assert encoder.encode_text(text) == expected, stage.name
            assert encoder.encode_text(text.encode()) == expected, stage.name


def test_there_are_whole_texts():
    assert [stage.whole_texts for stage in LADDER] == sorted(s.whole_texts for s in LADDER)
    assert LADDER[-1].whole_texts


PARTS = ["a", "é", "日本", "🙂", " ", "\n", "\t", "\u3000", "1", "23", "'", "'s", "'ll", "'tis",
         "-", "...", "the", " the", "\0", "a" * 15, "b" * 16, "ab" * 63, "a" * 127, "a" * 128,
         "a" * 255, "b" * 256, "x" * 300]


TEXT_MERGES = [(b"a", b"b"), (b"a", b"a"), (b"aa", b"aa"), (b" ", b"t"), (b"\xe6", b"\x97"),
               (b"b", b"b"), (b"\xff", b"\xff"), (b"\xff", b"a"), (b"a", b"\xff"), (b"'", b"s")]
BROKEN = [b"\xff", b"\xe6", b"\x80"]


@given(parts=st.lists(st.sampled_from(PARTS), max_size=40))
def test_any_texts(parts):
    check_texts(numbered(TEXT_MERGES), TEXT_MERGES, ["".join(parts)])


@given(parts=st.lists(st.sampled_from([part.encode() for part in PARTS] + BROKEN), max_size=30))
def test_any_bytes_as_text(parts):
    """What is not UTF-8 is cut as `surrogateescape` would have it."""
    text = b"".join(parts)
    words = regex.findall(GPT2_PATTERN, text.decode("utf-8", "surrogateescape"))
    vocab = numbered(TEXT_MERGES)
    encode = stage09_scanned_pairs.Encoder(vocab, TEXT_MERGES).encode_pretoken
    expected = [number for word in words
                for number in encode(word.encode("utf-8", "surrogateescape"))]
    for stage in WHOLE_TEXTS:
        encoder = stage.load().Encoder(vocab, TEXT_MERGES)
        assert encoder.encode_text(text) == expected, stage.name


@pytest.mark.parametrize("name", ["stories", "web"])
def test_texts_of_many_batches(trained, name):
    vocab, merges, _ = trained
    text = getattr(corpus, name)(100_000, seed=3).replace(EOT, "\n")
    check_texts(vocab, merges, [text, text[::-1], "", " " * 1000])


@pytest.mark.parametrize("stage", WHOLE_TEXTS, ids=lambda stage: stage.name)
def test_a_text_must_be_bytes_or_str(stage):
    with pytest.raises(TypeError, match="text is a int; it must be bytes or str"):
        stage.load().Encoder(numbered([]), []).encode_text(7)


# --- What an encoder promises besides its results ----------------------------------------------


@pytest.mark.parametrize("wrong", ["low", bytearray(b"low"), memoryview(b"low"), [108], None, 7])
def test_a_pretoken_must_be_bytes(any_stage, wrong):
    encoder = any_stage.Encoder(numbered([]), [])
    message = f"pretoken is {re.escape(repr(wrong))}, a {type(wrong).__name__}; it must be bytes"
    with pytest.raises(TypeError, match=message):
        encoder.encode_pretoken(wrong)


def test_a_vocabulary_that_is_not_consistent_is_refused(any_stage):
    with pytest.raises(ValueError, match=r"merges\[0\] makes b'th', which has no id"):
        any_stage.Encoder(numbered([]), [(b"t", b"h")])
    with pytest.raises(ValueError, match=r"the byte b'\\xff' has no id"):
        any_stage.Encoder(dict(enumerate(BYTES[:255])), [])
    with pytest.raises(ValueError, match=r"merges\[3\] makes b'abc', and so does merges\[2\]"):
        any_stage.Encoder(dict(enumerate([*BYTES, b"ab", b"bc", b"abc"])),
                          [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")])
    with pytest.raises(TypeError, match="vocab is a list"):
        any_stage.Encoder(list(BYTES), [])


def test_changing_the_arguments_or_a_result_changes_nothing(any_stage):
    merges = [(b"a", b"b")]
    vocab = numbered(merges)
    encoder = any_stage.Encoder(vocab, merges)
    first = encoder.encode_pretoken(b"abc")
    assert first == [256, 99]
    assert type(first) is list
    first.append(0)
    merges.clear()
    vocab.clear()
    assert encoder.encode_pretoken(b"abc") == [256, 99]


def test_merges_may_be_lists_and_ids_numpy_integers(any_stage):
    np = pytest.importorskip("numpy")
    vocab = {np.int64(number): token for number, token in numbered([(b"a", b"b")]).items()}
    ids = any_stage.Encoder(vocab, [[b"a", b"b"]]).encode_pretoken(b"ab")
    assert ids == [256]
    assert type(ids[0]) is int


def test_many_threads_share_an_encoder(any_stage, monkeypatch):
    if any_stage is stage06_cached_words:
        monkeypatch.setattr(any_stage, "HALF", 8)  # so that halves are exchanged all the time
    vocab, merges = runs_merges()
    encoder = any_stage.Encoder(vocab, merges)
    words = [b"b" * (n % 3) + b"a" * (n % 50) for n in range(150)] + [b"a" * 3_000]
    rank_heap = stages.find("encode", "stage05").load().Encoder(vocab, merges)
    expected = [rank_heap.encode_pretoken(word) for word in words]
    wrong = []

    def work(seed):
        order = random.Random(seed).sample(range(len(words)), len(words))
        for n in order:
            if encoder.encode_pretoken(words[n]) != expected[n]:
                wrong.append(words[n])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_cache_of_stage06_is_bounded_and_keeps_what_is_in_use(monkeypatch):
    monkeypatch.setattr(stage06_cached_words, "HALF", 100)
    vocab, merges = runs_merges()
    encoder = stage06_cached_words.Encoder(vocab, merges)
    for n in range(1_000):
        encoder.encode_pretoken(b"aaa")
        encoder.encode_pretoken(b"%d" % n)
        assert len(encoder._young) <= 100
        assert len(encoder._old) <= 100
    assert b"aaa" in {**encoder._old, **encoder._young}
    assert b"0" not in {**encoder._old, **encoder._young}
    encoder.encode_pretoken(b"a" * 65)
    assert b"a" * 65 not in encoder._young


def test_heap_from():
    vocab, merges = runs_merges()
    with pytest.raises(ValueError, match="heap_from is -1"):
        stage09_scanned_pairs.Encoder(vocab, merges, heap_from=-1)
    with pytest.raises(TypeError, match="heap_from is '5'"):
        stage09_scanned_pairs.Encoder(vocab, merges, heap_from="5")
    for heap_from in (0, 1, 10**30):
        encoder = stage09_scanned_pairs.Encoder(vocab, merges, heap_from=heap_from)
        assert encoder.encode_pretoken(b"") == []
        assert encoder.encode_pretoken(b"a") == [97]


def test_the_examples_of_compiled_stages():
    for stage in LADDER:
        if stage.compiled:
            result = doctest.testmod(stage.load())
            assert (result.failed, result.attempted > 0) == (0, True)
