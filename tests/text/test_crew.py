"""The crew of threads: all blocks once, results in order, the first error, no thread left."""

import _thread
import io
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import chain
from pathlib import Path

import pytest
from threads_left import no_thread_left

from cs336_bpe.text import crew
from cs336_bpe.text.blocks import BlockReader
from cs336_bpe.text.cuts import Cutter

TEXT = b"".join(b" word%d" % n for n in range(2000))


def reader_of(text=TEXT, block_bytes=50, file=None):
    return BlockReader(file or io.BytesIO(text), "a text", Cutter([]), block_bytes, end=len(text))


def text_of(block):
    return bytes(block.buffer[: block.size])


def nothing(done):
    pass


@pytest.fixture(autouse=True)
def no_thread_is_left():
    with no_thread_left():
        yield


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_results_are_used_in_order(workers):
    used = []
    in_use = threading.Lock()

    def work(block):
        if block.offset % 3 == 0:
            time.sleep(0.0005)
        return block.offset, text_of(block)

    def use(result):
        assert in_use.acquire(blocking=False)
        used.append(result)
        in_use.release()

    crew.over_blocks(reader_of(), [work] * workers, nothing, use=use)
    assert b"".join(text for _, text in used) == TEXT
    assert [offset for offset, _ in used] == sorted(offset for offset, _ in used)
    assert len(used) > 100


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_without_use_every_block_is_worked_on_once(workers):
    seen = [[] for _ in range(workers)]

    def work_of(own):
        return lambda block: own.append((block.offset, text_of(block)))

    crew.over_blocks(reader_of(), [work_of(own) for own in seen], nothing)
    assert b"".join(text for _, text in sorted(chain(*seen))) == TEXT


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("text", [b"", b"a", b"a" * 500, b"a b"])
def test_small_texts(workers, text):
    used = []
    crew.over_blocks(reader_of(text), [text_of] * workers, nothing, use=used.append)
    assert b"".join(used) == text


def test_the_others_go_on_while_one_is_late_but_not_for_ever():
    workers = 3
    alive = most = 0
    lock = threading.Lock()
    as_many_as_may_be = threading.Event()

    def work(block):
        nonlocal alive, most
        with lock:
            alive += 1
            most = max(most, alive)
            if alive == 2 * workers:
                as_many_as_may_be.set()
        if block.offset == 0:
            assert as_many_as_may_be.wait(60)
            time.sleep(0.05)  # now the others have to wait with what they have

    def use(result):
        nonlocal alive
        with lock:
            alive -= 1

    crew.over_blocks(reader_of(), [work] * workers, nothing, use=use)
    assert most == 2 * workers


@pytest.mark.parametrize("workers", [1, 2])
def test_padding_can_be_read(workers):
    def work(block):
        assert len(block.buffer) >= block.size + 64

    # one pretoken is longer than a block, so that the buffer has to grow
    crew.over_blocks(reader_of(TEXT + b" " + b"x" * 999), [work] * workers, nothing, padding=64)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_reported(workers):
    seen = []
    crew.over_blocks(reader_of(), [text_of] * workers, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == len(TEXT)


@pytest.mark.parametrize("use", [None, lambda result: None])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_first_error_in_the_file_is_raised(workers, use):
    """Though a later one comes earlier."""
    def work(block):
        if 500 < block.offset < 600:
            time.sleep(0.02)
            raise ValueError(f"first at {block.offset // 600}")
        if block.offset >= 600:
            raise ValueError("later")

    for _ in range(5):
        with pytest.raises(ValueError, match="first at 0"):
            crew.over_blocks(reader_of(), [work] * workers, nothing, use=use)


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_stops_the_others_soon(workers):
    done = 0

    def work(block):
        nonlocal done
        done += 1
        if block.offset > 200:
            raise ZeroDivisionError
        time.sleep(0.001)

    with pytest.raises(ZeroDivisionError):
        crew.over_blocks(reader_of(), [work] * workers, nothing)
    assert done < 10 + workers


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("kind", [OSError, MemoryError, SystemExit])
def test_errors_of_reading_and_using(workers, kind):
    class Broken(io.BytesIO):
        def readinto(self, buffer):
            if self.tell() > 1000:
                raise kind("reading")
            return super().readinto(buffer)

    with pytest.raises(kind, match="reading"):
        crew.over_blocks(reader_of(file=Broken(TEXT)), [text_of] * workers, nothing)

    def use(result):
        raise kind("using")

    with pytest.raises(kind, match="using"):
        crew.over_blocks(reader_of(), [text_of] * workers, nothing, use=use)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
def test_what_report_raises_stops_the_work(workers, kind):
    used = 0

    def use(result):
        nonlocal used
        used += 1
        time.sleep(0.001)

    def report(done):
        raise kind("stop")

    with pytest.raises(kind, match="stop"):
        crew.over_blocks(reader_of(), [text_of] * workers, report, use=use)
    assert used < 200


@pytest.mark.parametrize("possible", [2, 1, 0])
def test_threads_that_can_not_be_started(monkeypatch, possible):
    """The others do their work too; without any, that is a lack of memory."""
    started = []

    def start_some(*arguments):
        if len(started) == possible:
            raise RuntimeError("can't start new thread")
        started.append(arguments)
        return _thread.start_new_thread(*arguments)

    monkeypatch.setattr(crew, "start_new_thread", start_some)
    used = []
    if possible:
        crew.over_blocks(reader_of(), [text_of] * 4, nothing, use=used.append)
        assert b"".join(used) == TEXT
    else:
        with pytest.raises(MemoryError, match="no memory for a thread; try workers=1"):
            crew.over_blocks(reader_of(), [text_of] * 4, nothing, use=used.append)
    assert len(started) == possible


class Falling(io.BytesIO):
    """A file that fails with another message each time, and gives others time to ask again."""

    def __init__(self):
        super().__init__()
        self.number = 0

    def readinto(self, buffer):
        self.number += 1
        time.sleep(0.02)
        raise OSError(f"failure {self.number}")


def test_only_one_thread_fails_to_read():
    file = Falling()
    with pytest.raises(OSError, match="failure 1"):
        crew.over_blocks(reader_of(file=file), [text_of] * 4, nothing)
    assert file.number == 1


def test_number_of_threads():
    assert crew.num_threads(reader_of(TEXT, 50), 3) == 3
    assert crew.num_threads(reader_of(TEXT, len(TEXT)), 3) == 1
    assert crew.num_threads(reader_of(b"", 50), 3) == 1
    assert crew.num_threads(reader_of(TEXT, 1), 10**20) == crew.MAX_THREADS
    pipe = BlockReader(io.BytesIO(TEXT), "a pipe", Cutter([]), 50)
    assert crew.num_threads(pipe, 3) == 3


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_calls(workers):
    seen = []
    crew.over_calls([lambda n=n: seen.append(n) for n in range(5)], workers)
    assert sorted(seen) == [0, 1, 2, 3, 4]
    crew.over_calls([], workers)


def test_the_first_call_that_fails():
    def fail(n):
        time.sleep(0.02 * (3 - n))
        raise ValueError(f"call {n}")

    with pytest.raises(ValueError, match="call 0"):
        crew.over_calls([lambda n=n: fail(n) for n in range(3)], 3)


INTERRUPTED = """
import io, os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have the tests ignore it
from cs336_bpe.text import crew
from cs336_bpe.text.blocks import BlockReader
from cs336_bpe.text.cuts import Cutter
text = b" word" * 100_000
reader = BlockReader(io.BytesIO(text), "a text", Cutter([]), 50, end=len(text))
print("ready", flush=True)
threads = len(os.listdir("/proc/self/task"))
def work(block):
    time.sleep(0.2)  # longer than it takes to send all signals
try:
    crew.over_blocks(reader, [work] * int(sys.argv[1]), lambda done: None, use=lambda result: None)
except KeyboardInterrupt:
    time.sleep(0.05)  # they have said that they are ready to end
    print("interrupted", len(os.listdir("/proc/self/task")) - threads, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("times", [1, 5])
def test_control_c(workers, times):
    """Once, and by somebody who is impatient."""
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(workers)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    start = time.monotonic()
    for _ in range(times if workers > 1 else 1):
        process.send_signal(signal.SIGINT)
        time.sleep(0.002)
    try:
        output, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert output == "interrupted 0\n", errors
    assert time.monotonic() - start < 10


def test_ctrl_c_at_every_step_of_the_main_thread():
    program = Path(__file__).with_name("interrupted_crew.py")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 100
