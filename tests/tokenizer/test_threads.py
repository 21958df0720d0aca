"""Many threads and one tokenizer."""

import os
import random
import signal
import threading
import time

import numpy as np
import pytest
from tokenizer.oracle import PIECES, SPECIALS, tokenizer_and_oracle

from cs336_bpe import Tokenizer
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.tokenizer import parallel
from cs336_bpe.tokenizer.engine import SMALLEST_CACHE_BYTES

SECONDS = 60 if os.environ.get("CS336_BPE_SLOW") else 3


def random_text(rng, source):
    start = rng.randrange(len(source))
    text = source[start : start + rng.choice([10, 1_000, 30_000])]
    return text + "".join(rng.choices(PIECES, k=rng.randrange(200)))


def test_eight_threads_give_the_results_of_one():
    shared, _ = tokenizer_and_oracle()
    # With the smallest cache everything is forgotten all the time.
    tokenizer = Tokenizer(shared.vocab, shared.merges, SPECIALS, cache_bytes=SMALLEST_CACHE_BYTES)
    source = corpus.web(200_000) + corpus.stories(100_000)
    rng = random.Random(336)
    texts = [random_text(rng, source) for _ in range(60)]
    expected = [(text, shared.encode(text), shared.encode(text, specials="none")) for text in texts]
    failures = []
    rounds = 0
    end = time.monotonic() + SECONDS

    def work(seed):
        nonlocal rounds
        rng = random.Random(seed)
        try:
            while time.monotonic() < end:
                text, ids, plain = rng.choice(expected)
                assert tokenizer.encode(text) == ids
                assert tokenizer.encode_array(text, specials="none").tolist() == plain
                assert tokenizer.count(text) == len(ids)
                assert list(tokenizer.encode_iterable(text.splitlines(keepends=True))) == ids
                assert tokenizer.encode(text, specials=set(SPECIALS)) == ids
                assert tokenizer.decode(ids) == text
                rounds += 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert rounds > 8


def test_streams_of_two_threads_are_independent():
    tokenizer, _ = tokenizer_and_oracle()
    text = corpus.stories(20_000)
    streams = [tokenizer.encode_iterable(iter(text)) for _ in range(2)]
    assert [list(pair) for pair in zip(*streams)] == [[i, i] for i in tokenizer.encode(text)]


def test_batches_are_in_order():
    tokenizer, _ = tokenizer_and_oracle()
    rng = random.Random(1)
    texts = [random_text(rng, "The quick brown fox. ") for _ in range(3_000)]
    expected = [tokenizer.encode(text) for text in texts]
    for workers in 1, 2, 3, 8, None:
        assert tokenizer.encode_batch(texts, workers=workers) == expected
        assert tokenizer.encode_batch(iter(texts[:5]), workers=workers) == expected[:5]


@pytest.mark.parametrize("workers", [1, 2])
def test_parts_with_more_ids_than_the_first(monkeypatch, workers):
    """Room for all ids is guessed from the first part, and the guess may be far too small."""
    monkeypatch.setattr(parallel, "PART_BYTES", 1_000)
    monkeypatch.setattr(parallel, "LONG", 1_000)
    tokenizer, _ = tokenizer_and_oracle()
    few, many = "the " * 500, "猫\x00 " * 20_000
    for text in few + many, many + few, few * 100 + many:
        expected = tokenizer.encode(text)
        for _ in range(2):  # the second time it is known how many there were
            assert tokenizer.encode_array(text, workers=workers).tolist() == expected
    assert tokenizer.encode_array("the").tolist() == tokenizer.encode("the")


def test_the_last_parts_are_smaller(monkeypatch):
    """So that no thread has a large one to do when the others have nothing left."""
    monkeypatch.setattr(parallel, "PART_BYTES", 1_000)
    monkeypatch.setattr(parallel, "SMALLEST_PART", 50)
    left, sizes = 20_000, []
    while left:
        sizes.append(min(left, parallel._part_size(left)))
        left -= sizes[-1]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 1_000
    assert sizes[-1] <= 50 == sizes[-2]
    tokenizer, _ = tokenizer_and_oracle()
    for text in ("a few words of each, " * 900, "ein paar Wörter, " * 900):
        expected = tokenizer.encode(text)
        assert tokenizer.encode_array(text, workers=2).tolist() == expected
        assert tokenizer.encode_array(text.encode(), workers=2).tolist() == expected


def test_arrays_of_parts_are_used_again_for_ids_of_either_width(monkeypatch):
    monkeypatch.setattr(parallel, "PART_BYTES", 1_000)
    tokenizer, _ = tokenizer_and_oracle()
    texts = ["one two three " * 2_000, "four " * 9_000, "猫" * 3_000 + " x" * 4_000]
    for text, dtype in zip(texts * 4, ["uint16", "uint32", "int64"] * 4):
        found = tokenizer.encode_array(text, dtype, workers=2)
        assert found.dtype == dtype
        assert found.tolist() == tokenizer.encode(text)


@pytest.mark.parametrize("workers", [1, 3])
def test_parts_of_a_str(monkeypatch, workers):
    """Cut at random, with special tokens across the places where a part might end; and an error
    names the place in the whole text."""
    monkeypatch.setattr(parallel, "LONG", 10)
    tokenizer, _ = tokenizer_and_oracle()
    rng = random.Random(workers)
    for part, end in [(1, 1), (7, 3), (50, 4), (300, 100), (5_000, 600)]:
        monkeypatch.setattr(parallel, "PART_BYTES", part)
        monkeypatch.setattr(parallel, "END_OF_A_PART", end)
        for _ in range(5):
            text = "".join(rng.choices([*PIECES, *SPECIALS, "x" * 40, "猫", "é "], k=400))
            expected = tokenizer.encode(text)
            assert tokenizer.encode_array(text, workers=workers).tolist() == expected
            place = rng.randrange(len(text))
            wrong = text[:place] + "\ud800" + text[place:]
            with pytest.raises(ValueError, match=rf"lone surrogate.* at character {place}:"):
                tokenizer.encode_array(wrong, workers=workers)


def test_a_part_of_a_str_does_not_end_in_a_special_token_that_began_before(monkeypatch):
    """What is looked at for a place to cut may begin inside a special token with spaces in it."""
    shared, _ = tokenizer_and_oracle()
    special = "<a b c d e f g h i j k l>"
    tokenizer = Tokenizer(shared.vocab, shared.merges, [special])
    text = "word " * 20 + special + "x" * 45 + " tail" * 30
    expected = tokenizer.encode(text)
    assert tokenizer.special_tokens[special] in expected
    monkeypatch.setattr(parallel, "LONG", 10)
    monkeypatch.setattr(parallel, "END_OF_A_PART", 60)
    for part in range(100, 200):
        monkeypatch.setattr(parallel, "PART_BYTES", part)
        assert tokenizer.encode_array(text).tolist() == expected


def test_control_c_is_answered_between_two_parts_of_a_long_text(monkeypatch):
    """Also if one thread does all the work: the compiled code itself does not look for it."""
    tokenizer, _ = tokenizer_and_oracle()
    monkeypatch.setattr(parallel, "LONG", 10_000)
    monkeypatch.setattr(parallel, "PART_BYTES", 1_000)
    text = corpus.web(50_000)
    expected = tokenizer.encode(text)
    encode, parts = type(tokenizer.coder).encode_part, []

    def interrupted(coder, part, *args, **options):
        parts.append(part)
        if len(parts) == 3:
            signal.raise_signal(signal.SIGINT)
        return encode(coder, part, *args, **options)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(type(tokenizer.coder), "encode_part", interrupted)
            with pytest.raises(KeyboardInterrupt):
                tokenizer.encode_array(text, workers=1)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert len(parts) == 3
    assert tokenizer.encode_array(text, workers=1).tolist() == expected


PARTS = [(b"a", b"a"), (b"aa", b"aa")], b"a" * 70 + b"z"
WINDOWS = ([(b"a", b"a"), (b"a", b"b"), (b"b", b"a"), (b"b", b"b"), (b"ab", b"ab")],
           b"ab" * 35 + b"a")


@pytest.mark.parametrize(("merges", "part"), [PARTS, WINDOWS], ids=["parts", "windows"])
def test_a_text_that_somebody_changes_meanwhile(merges, part):
    """One pretoken of a megabyte, in parts of 71 bytes that are not cut, or not cut at all; and a
    byte in each is another now and then. Whatever is read, there are as many bytes in the tokens
    as in the text."""
    made = {256 + n: left + right for n, (left, right) in enumerate(merges)}
    tokenizer = Tokenizer({n: bytes([n]) for n in range(256)} | made, merges)
    text = bytearray(part * 14_000 + b" end of it" * 400)
    places = np.arange(14_000) * 71 + np.where(np.arange(14_000) % 2, 14, 4)
    changing = np.frombuffer(text, np.uint8)
    stop = threading.Event()

    def change():
        while not stop.is_set():
            changing[places] = ord("b")
            changing[places] = ord("a")

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(30):
            assert len(tokenizer.decode_bytes(tokenizer.encode_array(text))) == len(text)
    finally:
        stop.set()
        thread.join()
