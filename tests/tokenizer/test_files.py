"""encode_file: the ids of the file's text, whatever the workers and blocks; or no file at all."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from threads_left import no_thread_left
from tokenizer.oracle import (
    GPT4_PATTERN,
    PIECES,
    SPECIALS,
    broken,
    byte_tokenizer,
    tokenizer_and_oracle,
)

from cs336_bpe import Tokenizer
from cs336_bpe.common import progress
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.inputs.recognise import compression_of
from cs336_bpe.tokenizer import files as encoding_files

BYTES = {byte: bytes([byte]) for byte in range(256)}


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(encoding_files, "DEFAULT_BLOCK_BYTES", 1_000)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_CALLS", 0)


def read(path):
    return np.load(path) if path.suffix == ".npy" else np.fromfile(path, "uint16")


@pytest.mark.parametrize("workers", [1, 2, 3, 8, None])
@pytest.mark.parametrize("name", ["ids.npy", "ids.bin"])
def test_any_number_of_workers(workers, name, tmp_path, small_blocks):
    rng = random.Random(336)
    text = corpus.web(100_000) + "".join(rng.choices(PIECES, k=20_000)) + "x" * 5_000 + "\n" * 3_000
    (tmp_path / "text.txt").write_text(text, encoding="utf-8", newline="")
    for pattern in {}, {"pattern": GPT4_PATTERN}:
        tokenizer, _ = tokenizer_and_oracle(**pattern)
        expected = tokenizer.encode_array(text)
        number = tokenizer.encode_file(tmp_path / "text.txt", tmp_path / name, workers=workers)
        ids = read(tmp_path / name)
        assert number == len(expected)
        assert ids.dtype == np.uint16
        assert np.array_equal(ids, expected)
    assert sorted(os.listdir(tmp_path)) == [name, "text.txt"]


@given(data=broken, block=st.integers(1, 40), workers=st.integers(1, 3),
       errors=st.sampled_from(["replace", "ignore"]), wanted=st.sampled_from(["all", "none", None]))
@settings(max_examples=150)
def test_blocks_of_any_size_and_bytes_that_are_no_text(data, block, workers, errors, wanted,
                                                       tmp_path_factory):
    assume(compression_of(data) is None)
    folder = tmp_path_factory.getbasetemp()
    specials = set(SPECIALS[::2]) if wanted is None else wanted
    (folder / "broken.txt").write_bytes(data)
    tokenizer, _ = tokenizer_and_oracle()
    expected = tokenizer.encode(data.decode("utf-8", errors), specials=specials)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding_files, "DEFAULT_BLOCK_BYTES", block)
        tokenizer.encode_file(folder / "broken.txt", folder / "broken.npy", workers=workers,
                              errors=errors, specials=specials, input_format="text")
        assert np.load(folder / "broken.npy").tolist() == expected
        try:
            data.decode()
        except UnicodeDecodeError as error:
            with pytest.raises(ValueError, match=f"is not valid UTF-8 at byte {error.start} "):
                tokenizer.encode_file(folder / "broken.txt", folder / "bad.npy", workers=workers,
                                      input_format="text")
            assert not (folder / "bad.npy").exists()
        else:
            tokenizer.encode_file(folder / "broken.txt", folder / "broken.npy", specials=specials,
                                  input_format="text")
            assert np.load(folder / "broken.npy").tolist() == expected


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("pattern", [None, GPT4_PATTERN], ids=["gpt2", "gpt4"])
def test_the_first_invalid_byte_is_named(workers, pattern, tmp_path, small_blocks):
    data = bytearray(b"some words<|endoftext|>\n" * 2_000)
    for place in 20_003, 20_500, 40_000:
        data[place] = 0xFF
    (tmp_path / "bad.txt").write_bytes(data)
    (tmp_path / "ids.bin").write_bytes(b"old")
    tokenizer, _ = tokenizer_and_oracle(**({} if pattern is None else {"pattern": pattern}))
    for _ in range(5):
        with pytest.raises(ValueError, match=r"bad.txt is not valid UTF-8 at byte 20003 "):
            tokenizer.encode_file(tmp_path / "bad.txt", tmp_path / "ids.bin", workers=workers)
    assert (tmp_path / "ids.bin").read_bytes() == b"old"
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.parametrize("workers", [1, 3])
def test_a_special_token_that_must_not_be_there_is_named(workers, tmp_path, small_blocks):
    (tmp_path / "text.txt").write_bytes(b"some words\n" * 2_000 + b"<e>" + b" more" * 999)
    tokenizer = byte_tokenizer("<e>")
    with pytest.raises(ValueError, match="special token '<e>' at byte 22000;"):
        tokenizer.encode_file(tmp_path / "text.txt", tmp_path / "ids.npy", specials="raise",
                              workers=workers)
    assert os.listdir(tmp_path) == ["text.txt"]
    tokenizer.encode_file(tmp_path / "text.txt", tmp_path / "ids.npy", specials="none")
    assert tokenizer.decode(np.load(tmp_path / "ids.npy")) == (tmp_path / "text.txt").read_text()


def test_kinds_of_arrays(tmp_path):
    (tmp_path / "text.txt").write_text("ab<e>")
    large = Tokenizer(BYTES | {70_000: b"<e>"}, [], ["<e>"])
    large.encode_file(tmp_path / "text.txt", tmp_path / "ids.npy")
    assert np.load(tmp_path / "ids.npy").dtype == np.uint32
    for kind in ["int64", ">u4", "int32"]:
        large.encode_file(tmp_path / "text.txt", tmp_path / "ids.npy", dtype=kind)
        array = np.load(tmp_path / "ids.npy", mmap_mode="r")
        assert array.tolist() == [97, 98, 70_000]
        assert array.dtype == np.dtype(kind)
        large.encode_file(tmp_path / "text.txt", tmp_path / "ids.bin", dtype=kind)
        assert np.fromfile(tmp_path / "ids.bin", kind).tolist() == [97, 98, 70_000]
    for kind, error in [("uint16", ValueError), ("float64", TypeError)]:
        with pytest.raises(error, match="dtype is "):
            large.encode_file(tmp_path / "text.txt", tmp_path / "no.npy", dtype=kind)
    assert not (tmp_path / "no.npy").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_empty_file(workers, tmp_path):
    (tmp_path / "empty.txt").touch()
    for name in "ids.npy", "ids.bin":
        assert byte_tokenizer().encode_file(tmp_path / "empty.txt", tmp_path / name,
                                            workers=workers) == 0
        assert read(tmp_path / name).tolist() == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_pipe(workers, tmp_path, small_blocks):
    text = corpus.stories(50_000)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(text,))
    writer.start()
    tokenizer, _ = tokenizer_and_oracle()
    tokenizer.encode_file(tmp_path / "pipe", tmp_path / "ids.npy", workers=workers)
    writer.join()
    assert np.array_equal(np.load(tmp_path / "ids.npy"), tokenizer.encode_array(text))


# --- What goes wrong --------------------------------------------------------------------------


def test_files_that_can_not_be_read_or_written(tmp_path):
    tokenizer = byte_tokenizer()
    text = tmp_path / "text.txt"
    text.write_text("text")
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        tokenizer.encode_file(tmp_path / "missing.txt", tmp_path / "ids.npy")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="is a folder without files"):
        tokenizer.encode_file(tmp_path / "empty", tmp_path / "ids.npy")
    (tmp_path / "empty").rmdir()
    with pytest.raises(IsADirectoryError):
        tokenizer.encode_file(text, tmp_path)
    with pytest.raises(FileNotFoundError, match="folder does not exist"):
        tokenizer.encode_file(text, tmp_path / "missing" / "ids.npy")
    (tmp_path / "link").symlink_to(text)
    for same in text, tmp_path / "link", tmp_path / "." / "text.txt":
        with pytest.raises(ValueError, match="the output is the input file"):
            tokenizer.encode_file(text, same)
    with pytest.raises(ValueError, match="errors is 'drop'"):
        tokenizer.encode_file(text, tmp_path / "ids.npy", errors="drop")
    with pytest.raises(ValueError, match="workers is 0"):
        tokenizer.encode_file(text, tmp_path / "ids.npy", workers=0)
    with pytest.raises(TypeError, match="progress is 'bar'"):
        tokenizer.encode_file(text, tmp_path / "ids.npy", progress="bar")
    assert text.read_text() == "text"
    assert sorted(os.listdir(tmp_path)) == ["link", "text.txt"]


@pytest.mark.parametrize("workers", [1, 2])
def test_progress(workers, tmp_path, small_blocks):
    (tmp_path / "text.txt").write_text(corpus.stories(50_000))
    seen = []
    byte_tokenizer().encode_file(tmp_path / "text.txt", tmp_path / "ids.npy", workers=workers,
                                 progress=lambda *values: seen.append(values))
    assert seen[-1] == ("encode", 50_000, 50_000)
    assert [phase for phase, _, total in seen if total == 50_000] == ["encode"] * len(seen)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


class Stopped(BaseException):
    pass


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, Stopped])
@pytest.mark.parametrize("call", [1, -1], ids=["first", "last"])
def test_what_progress_raises_stops_the_work(workers, kind, call, tmp_path, small_blocks):
    (tmp_path / "text.txt").write_text(corpus.stories(50_000))
    calls = 0

    def stop(phase, done, total):
        nonlocal calls
        calls += 1
        if calls == call or (call == -1 and done == total):
            raise kind("stopped")

    with no_thread_left(), pytest.raises(kind, match="stopped"):
        byte_tokenizer().encode_file(tmp_path / "text.txt", tmp_path / "ids.npy", workers=workers,
                                     progress=stop)
    assert os.listdir(tmp_path) == ["text.txt"]


SLOWLY = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have the tests ignore it
from cs336_bpe import Tokenizer
from cs336_bpe.common import progress
from cs336_bpe.inputs.recognise import compression_of
from cs336_bpe.tokenizer import files as encoding_files
encoding_files.DEFAULT_BLOCK_BYTES = 1000
progress.SECONDS_BETWEEN_CALLS = 0
def slowly(phase, done, total):
    if done:
        print(done, flush=True)
        time.sleep(0.05 if done < total // 2 else 30)
Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).encode_file(
    sys.argv[1], sys.argv[2], workers=1, progress=slowly)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_half_way_it_leaves_nothing_under_the_final_name(how, tmp_path):
    (tmp_path / "text.txt").write_text(corpus.stories(10_000))
    process = subprocess.Popen([sys.executable, "-c", SLOWLY, tmp_path / "text.txt",
                                tmp_path / "ids.npy"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    with process:
        assert process.stdout.readline()
        time.sleep(0.02)
        process.send_signal(how)
        process.communicate(timeout=60)
        assert process.returncode != 0
    assert not (tmp_path / "ids.npy").exists()
    if how == signal.SIGINT:
        assert os.listdir(tmp_path) == ["text.txt"]


DISK_FULL = """
import resource, sys
from cs336_bpe import Tokenizer
from cs336_bpe.inputs.recognise import compression_of
from cs336_bpe.tokenizer import files as encoding_files
encoding_files.DEFAULT_BLOCK_BYTES = 1000
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).encode_file(
        sys.argv[1], sys.argv[2], workers=int(sys.argv[3]))
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs resource limits")
@pytest.mark.parametrize("workers", ["1", "3"])
def test_a_full_disk(workers, tmp_path):
    (tmp_path / "text.txt").write_text(corpus.stories(20_000))
    (tmp_path / "ids.npy").write_bytes(b"old")
    run = subprocess.run([sys.executable, "-c", DISK_FULL, tmp_path / "text.txt",
                          tmp_path / "ids.npy", workers], capture_output=True, text=True)
    assert "ids.npy" in run.stdout, run.stderr
    assert (tmp_path / "ids.npy").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["ids.npy", "text.txt"]


def test_the_first_failure_in_the_file_is_raised_though_another_came_before(tmp_path, small_blocks,
                                                                          monkeypatch):
    """The first block takes its time; both have bytes that are no text."""
    text = b"x" * 500 + b"\xff" + b" y" * 800 + b"\xfe" + b" z" * 3000
    (tmp_path / "text.txt").write_bytes(text)
    encode = encoding_files.BlockEncoder._encode

    def slowly(self, cache, block):
        if block.offset == 0:
            time.sleep(0.2)
        return encode(self, cache, block)

    monkeypatch.setattr(encoding_files.BlockEncoder, "_encode", slowly)
    with pytest.raises(ValueError, match="at byte 500 "):
        Tokenizer(BYTES, []).encode_file(tmp_path / "text.txt", tmp_path / "ids", workers=3)
