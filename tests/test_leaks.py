"""Memory stays flat: many trainings, encodings, loads and failures in one process.

Tables grow for reasons of their own, so the bounds are generous. What is lost at each call is
found all the same: a leak of some kilobytes, a thousand times, is above them.
"""

import ctypes
import gc
import tracemalloc
import warnings

import numpy
import pytest

from cs336_bpe import PretokenCounts, Tokenizer, count_pretokens_in, stages, train_bpe_from_counts
from cs336_bpe.corpora import generated
from cs336_bpe.tokenizer.engine import SMALLEST_CACHE_BYTES

TEXT = generated.web(3_000) + " naïve 日本語<|end|>"
SPECIALS = ["<|end|>", "<|pad|>"]
COUNTS = dict(count_pretokens_in(TEXT, SPECIALS))
VOCAB, MERGES = train_bpe_from_counts(COUNTS, 320, SPECIALS)
MOST = 4 << 20  # bytes of growth


class MallocInfo(ctypes.Structure):
    """What glibc says of its heap: the struct mallinfo2 of malloc.h."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def in_use() -> int:
    """The bytes that were allocated and not freed.

    Not the memory of the process: what earlier tests have freed is given out again, and a leak
    that fits in there would not be seen.
    """
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("needs mallinfo2 of glibc 2.33 to see what is allocated")
    mallinfo2.restype = MallocInfo
    info = mallinfo2()
    return info.uordblks + info.hblkhd  # in the heap, and in mappings of their own


def grows(call, times=1_000):
    """How much memory more is in use after many calls than after the first tenth of them."""
    for _ in range(times // 10):
        call()
    gc.collect()
    before = in_use()
    for _ in range(times):
        call()
    gc.collect()
    return in_use() - before


def fails(call):
    def attempt():
        with pytest.raises((ValueError, TypeError)):
            call()
    return attempt


def ways(folder):
    """Calls of every kind, by name."""
    tokenizer = Tokenizer(VOCAB, MERGES, SPECIALS, cache_bytes=SMALLEST_CACHE_BYTES)
    ids = tokenizer.encode_array(TEXT)
    for format in "own", "gpt2", "tiktoken", "huggingface":
        tokenizer.save(folder / format / "vocab.json", format=format)
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    (folder / "broken.txt").write_bytes(TEXT.encode() + b"\xff")
    (folder / "broken.json").write_bytes((folder / "own/vocab.json").read_bytes()[:-40])
    PretokenCounts(COUNTS).save(folder / "counts")
    for stage in stages.ladder("train"):
        if stage.compiled:
            learn = stage.load().learn_merges
            yield f"train {stage.name}", lambda learn=learn: learn(COUNTS, 20)
    yield "train, wrong", fails(lambda: train_bpe_from_counts({b"a": 2**63, b"b": 1}, 300, []))
    yield "count", lambda: count_pretokens_in(TEXT, SPECIALS)
    yield "count, wrong", fails(lambda: count_pretokens_in(TEXT.encode() + b"\xff", SPECIALS))
    yield "encode", lambda: tokenizer.encode(TEXT)
    yield "encode_array", lambda: tokenizer.encode_array(TEXT)
    yield "encode_batch", lambda: tokenizer.encode_batch([TEXT, "x"], workers=1)
    yield "encode, wrong", fails(lambda: tokenizer.encode("\ud800" + TEXT))
    yield "encode, refused", fails(lambda: tokenizer.encode(TEXT, specials="raise"))
    yield "a stream", lambda: list(tokenizer.encode_arrays([TEXT, "<|en", "d|>"]))
    yield "a stream that is left", lambda: next(tokenizer.encode_arrays([TEXT, TEXT]))
    yield "a file", lambda: tokenizer.encode_file(folder / "text.txt", folder / "ids", workers=1)
    yield "a file, wrong", fails(
        lambda: tokenizer.encode_file(folder / "broken.txt", folder / "ids", workers=1))
    yield "decode", lambda: tokenizer.decode(ids)
    yield "decode a list", lambda: tokenizer.decode(ids.tolist())
    yield "decode, wrong", fails(lambda: tokenizer.decode(numpy.append(ids, 10**6)))
    yield "a tokenizer", lambda: Tokenizer(VOCAB, MERGES, SPECIALS,
                                           cache_bytes=SMALLEST_CACHE_BYTES)
    yield "a tokenizer, wrong", fails(lambda: Tokenizer(VOCAB, MERGES[::-1], SPECIALS))
    for format in "own", "gpt2", "huggingface":
        yield f"load {format}", lambda format=format: Tokenizer.load(folder / format / "vocab.json")
    yield "load tiktoken", lambda: Tokenizer.load(folder / "tiktoken/vocab.json", SPECIALS)
    yield "load, wrong", fails(lambda: Tokenizer.load(folder / "broken.json"))
    yield "load counts", lambda: PretokenCounts.load(folder / "counts")


TIMES = 60


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_every_call(tmp_path):
    grown = {name: grows(call, TIMES) for name, call in ways(tmp_path)}
    assert not {name: size for name, size in grown.items() if size > MOST}


@pytest.mark.parametrize("name", ["train stage13_prefetch", "encode", "a tokenizer", "load own",
                                  "encode, wrong", "load, wrong"])
def test_a_thousand(name, tmp_path):
    assert grows(dict(ways(tmp_path))[name]) < MOST


def test_a_leak_is_seen():
    lost = []
    assert grows(lambda: lost.append(bytearray(b"x" * 10_000))) > MOST


def test_python_objects_are_not_lost(tmp_path):
    """Exactly: as many bytes of Python's objects after the calls as before, but for a little that
    Python itself keeps."""
    for name, call in ways(tmp_path):
        call()
        call()
        gc.collect()
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            for _ in range(8):
                call()
            gc.collect()
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert after - before < 8_000, name
