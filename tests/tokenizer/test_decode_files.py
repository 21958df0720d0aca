"""decode_file, decode_batch and decode_iterable: the bytes of the ids, or an error and no file."""

import os
import subprocess
import sys
from array import array

import numpy as np
import pytest
from threads_left import no_thread_left
from tokenizer.oracle import byte_tokenizer, tokenizer_and_oracle

from cs336_bpe import Tokenizer
from cs336_bpe.common import progress
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.tokenizer import decoder as decoding
from cs336_bpe.tokenizer import id_files

BYTES = {byte: bytes([byte]) for byte in range(256)}


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(id_files, "BLOCK", 1_003)  # not a whole number of ids
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_CALLS", 0)


@pytest.mark.parametrize("workers", [1, 2, 3, 8, None])
@pytest.mark.parametrize("name", ["ids.npy", "ids.bin"])
def test_what_encode_file_wrote(workers, name, tmp_path, small_blocks):
    tokenizer, _ = tokenizer_and_oracle()
    text, ids, back = tmp_path / "text.txt", tmp_path / name, tmp_path / "back.txt"
    text.write_text(corpus.web(50_000), encoding="utf-8", newline="")
    number = tokenizer.encode_file(text, ids)
    seen = []
    assert tokenizer.decode_file(ids, back, workers=workers,
                                 progress=lambda *call: seen.append(call)) == number
    assert back.read_bytes() == text.read_bytes()
    assert seen[-1] == ("decode", ids.stat().st_size, ids.stat().st_size)
    assert [call[1] for call in seen] == sorted(call[1] for call in seen)
    assert sorted(os.listdir(tmp_path)) == sorted(["back.txt", name, "text.txt"])


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "<u4", "int32", "uint64",
                                   "int64", ">u2", ">i8"])
def test_every_type(dtype, tmp_path, small_blocks):
    ids = np.resize(np.arange(100, 127), 5_000).astype(dtype)
    ids.tofile(tmp_path / "ids.bin")
    np.save(tmp_path / "ids.npy", ids)
    tokenizer = byte_tokenizer("<e>")
    out = tmp_path / "out"
    assert tokenizer.decode_file(tmp_path / "ids.bin", out, dtype=dtype, workers=2) == 5_000
    assert out.read_bytes() == bytes(ids.tolist())
    out.unlink()
    assert tokenizer.decode_file(tmp_path / "ids.npy", out) == 5_000
    assert out.read_bytes() == bytes(ids.tolist())


def test_nothing(tmp_path):
    (tmp_path / "ids").write_bytes(b"")
    np.save(tmp_path / "ids.npy", np.array([], "uint16"))
    for name in "ids", "ids.npy":
        assert byte_tokenizer().decode_file(tmp_path / name, tmp_path / "out") == 0
        assert (tmp_path / "out").read_bytes() == b""


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_wrong_id_is_named(workers, tmp_path, small_blocks):
    ids = np.full(20_000, 97, "uint16")
    ids[7_001], ids[15_000] = 300, 301
    np.save(tmp_path / "{ids}.npy", ids)
    (tmp_path / "out").write_text("before")
    message = (r"\{ids\}\.npy: the id at place 7001 is 300, which is not an id .* 256 tokens.*; "
               r"check that it is the tokenizer")
    with no_thread_left(), pytest.raises(ValueError, match=message):
        byte_tokenizer().decode_file(tmp_path / "{ids}.npy", tmp_path / "out", workers=workers)
    assert (tmp_path / "out").read_text() == "before"
    assert sorted(os.listdir(tmp_path)) == ["out", "{ids}.npy"]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("number", [0, 1, 4_999, 5_001, 9_000])
def test_an_array_with_another_number_of_ids_than_it_says(number, workers, tmp_path, small_blocks):
    """Whole ids are missing, as after a copy that was broken off, or there are more."""
    np.save(tmp_path / "ids.npy", np.full(5_000, 97, "uint16"))
    data = (tmp_path / "ids.npy").read_bytes()
    (tmp_path / "ids.npy").write_bytes(data[:-10_000] + b"a\0" * number)
    (tmp_path / "out").write_text("before")
    with pytest.raises(ValueError, match=rf"ids\.npy has {number:,} integers of 2 bytes and 0 "
                                         r"bytes more, not 5,000 of them; it is cut short"):
        byte_tokenizer().decode_file(tmp_path / "ids.npy", tmp_path / "out", workers=workers)
    assert (tmp_path / "out").read_text() == "before"
    assert sorted(os.listdir(tmp_path)) == ["ids.npy", "out"]


def test_what_is_refused(tmp_path):
    tokenizer = byte_tokenizer()
    ids, out = tmp_path / "ids.bin", tmp_path / "out"
    ids.write_bytes(b"a\0b")
    with pytest.raises(ValueError, match=r"1 integers of 2 bytes and 1 bytes more.*cut short"):
        tokenizer.decode_file(ids, out)
    for dtype in float, bool, "S1":
        with pytest.raises(TypeError, match="it must be a type of integers"):
            tokenizer.decode_file(ids, out, dtype=dtype)
    with pytest.raises(ValueError, match="the output is the input"):
        tokenizer.decode_file(ids, ids, dtype="uint8")
    with pytest.raises(FileNotFoundError, match="missing"):
        tokenizer.decode_file(tmp_path / "missing", out)
    with pytest.raises(ValueError, match="workers"):
        tokenizer.decode_file(ids, out, dtype="uint8", workers=0)
    np.save(tmp_path / "a.npy", np.zeros(3))
    with pytest.raises(ValueError, match=r"not an array of ids: .*float64"):
        tokenizer.decode_file(tmp_path / "a.npy", out)

    def stop(*call):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tokenizer.decode_file(ids, out, dtype="uint8", progress=stop)
    assert not out.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the memory")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="keeps what was freed")
def test_memory_does_not_grow_with_the_file(tmp_path):
    with (tmp_path / "ids.bin").open("wb") as file:
        for _ in range(100):
            file.write(np.full(500_000, 97, "uint16").tobytes())
    program = """
import sys
from cs336_bpe import Tokenizer
from cs336_bpe.measure.process import peak_memory, reset_peak_memory
tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)} | {300: b"x" * 300}, [])
before = reset_peak_memory()
print(tokenizer.decode_file(sys.argv[1], sys.argv[2], workers=2), peak_memory() - before)
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "ids.bin", tmp_path / "out"],
                          capture_output=True, text=True, check=True)
    number, peak = map(int, done.stdout.split())
    assert number == (tmp_path / "out").stat().st_size == 50_000_000
    assert peak < 20_000_000


# --- Batches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2, 5, None])
def test_batches(workers):
    tokenizer, _ = tokenizer_and_oracle()
    texts = [corpus.stories(size) for size in range(0, 3_000, 10)] + ["", "é", "<|endoftext|>"]
    lists = tokenizer.encode_batch(texts)
    assert tokenizer.decode_batch(lists, workers=workers) == texts
    assert tokenizer.decode_batch(map(np.array, lists[1:]), workers=workers) == texts[1:]
    assert tokenizer.decode_batch([tuple(ids) for ids in lists], workers=workers) == texts
    assert tokenizer.decode_batch([], workers=workers) == []
    assert tokenizer.decode_batch(iter([[], [97]]), workers=workers) == ["", "a"]
    broken = [[0xC3], [97]]
    assert byte_tokenizer().decode_batch(broken, "ignore", workers=workers) == ["", "a"]
    with pytest.raises(UnicodeDecodeError):
        byte_tokenizer().decode_batch(broken, "strict", workers=workers)
    with pytest.raises(ValueError, match=r"^batch\[301\]: ids\[2\] is -1, which is not an id"):
        tokenizer.decode_batch([*lists[:301], [97, 98, -1], [-2]], workers=workers)
    with pytest.raises(TypeError, match=r"^batch\[1\]: ids is a str"):
        tokenizer.decode_batch([[97], "ab"], workers=workers)


def test_what_a_batch_may_not_be():
    for batch in "ab", b"ab", 5, None:
        with pytest.raises(TypeError, match=r"batch is a \w+; it must be sequences of ids"):
            byte_tokenizer().decode_batch(batch)
    with pytest.raises(TypeError, match=r"batch\[0\]: ids is a int"):
        byte_tokenizer().decode_batch([97, 98])


# --- Piece by piece -----------------------------------------------------------------------------


def test_ids_that_are_all_there_are_decoded_many_at_a_time(monkeypatch):
    monkeypatch.setattr(decoding, "IDS_IN_A_PIECE", 4)
    tokenizer = byte_tokenizer()
    text = "abcé€🙂xyz" * 5
    ids = list(text.encode())
    for way in ids, tuple(ids), np.array(ids, "uint16"), array("H", ids), bytearray(ids):
        pieces = list(tokenizer.decode_iterable(way))
        assert "".join(pieces) == text
        assert len(pieces) <= len(ids) / 4 + 1
    assert list(tokenizer.decode_iterable(iter("aé!".encode()))) == ["a", "é", "!"]
    for way in [97] * 9 + [300], np.array([97] * 9 + [300]):
        with pytest.raises(ValueError, match=r"^ids\[9\] is 300"):
            list(tokenizer.decode_iterable(way))
    with pytest.raises(TypeError, match=r"^ids\[5\] is None"):
        list(tokenizer.decode_iterable([97] * 5 + [None]))


def test_a_tokenizer_with_one_id_far_away_stays_small():
    tokenizer = Tokenizer(BYTES | {2**31 - 1: b"<e>", 2**31 - 3: b"<f>"}, [], ["<e>", "<f>"])
    ids = np.array([2**31 - 1, 97, 2**31 - 3], "uint32")
    assert tokenizer.decode(ids) == "<e>a<f>"
    for number in 256, 2**31 - 2, 2**31, 2**32 - 1:
        with pytest.raises(ValueError, match=rf"ids\[1\] is {number}"):
            tokenizer.decode(np.array([97, number], "uint32"))
