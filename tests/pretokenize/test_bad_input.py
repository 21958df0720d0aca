"""Invalid UTF-8, files that are not there or change, interrupts: clear errors, nothing left."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from threads_left import no_thread_left

from cs336_bpe import count_pretokens, count_pretokens_in, stages
from cs336_bpe.corpora import generated as corpus
from cs336_bpe.pretokenize.stage01_whole_text import count_text
from cs336_bpe.rules import GPT2_PATTERN
from cs336_bpe.text import blocks

LADDER = stages.ladder("pretokenize")
STAGES = {stage.number: stage.load().count_pretokens for stage in LADDER}
PARALLEL = [stage.number for stage in LADDER if stage.parallel]
THREADED = [stage.number for stage in LADDER if stage.parallel and stage.compiled]
IN_ONE_PROCESS = [stage.number for stage in LADDER[1:] if stage.number not in PARALLEL or
                  stage.number in THREADED]
BAD_BYTES = [b"\xff", b"\x80", b"\xc3", b"\xc0\xaf", b"\xe2\x82", b"\xe0\x80\x80", b"\xed\xa0\x80",
             b"\xf0\x9f\x99", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xc1\xbf",
             b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xe0\x9f\xbf", b"\xed\xbf\xbf"]
GOOD_BYTES = [b"a", b" ", b"\n", b"'s", b" the", "é".encode(), "猫".encode(), "🙂".encode(), b"1",
              "\u3000".encode(), b"<|x|>", b"<|", b"|>", b"x", b"a b"]
mixed_bytes = st.lists(st.sampled_from(BAD_BYTES + GOOD_BYTES), max_size=40).map(b"".join)


@pytest.mark.parametrize(("number", "workers"), [*((number, 1) for number in STAGES),
                                                 *((number, 2) for number in PARALLEL)])
def test_strict_names_the_first_bad_byte(tmp_path, number, workers):
    path = tmp_path / "bad.txt"
    good = corpus.web(30_000).encode()
    starts_processes = workers > 1 and number not in THREADED  # (which takes a while each time)
    for bad in BAD_BYTES[::5] if starts_processes else BAD_BYTES:
        path.write_bytes(good[:20_000] + b" " + bad + b" " + good[20_000:] + b"\xff\xff" + good)
        for block_bytes in (100, 1 << 20):
            with pytest.raises(ValueError, match=r"bad.txt is not valid UTF-8 at byte 20001 \("):
                STAGES[number](path, ["<|x|>"], workers=workers, block_bytes=block_bytes)


@pytest.mark.parametrize("number", STAGES)
def test_a_character_cut_off_at_the_end(tmp_path, number):
    path = tmp_path / "cut.txt"
    path.write_bytes(b"a" * 62 + " 猫".encode()[:-1])
    with pytest.raises(ValueError, match="at byte 63"):
        STAGES[number](path, [])


@pytest.mark.parametrize("errors", ["replace", "ignore"])
@given(data=mixed_bytes, block_bytes=st.integers(1, 60))
def test_errors_mean_what_they_mean_to_decode(tmp_path_factory, errors, data, block_bytes):
    """The specials here can be completed by a byte that is left out, or made of a replacement."""
    specials = ["<|x|>", "a b", "\ufffd\n"]
    expected = count_text(data.decode("utf-8", errors), specials, GPT2_PATTERN, None)
    path = tmp_path_factory.getbasetemp() / "mixed.txt"
    path.write_bytes(data)
    for number in IN_ONE_PROCESS:
        options = {"errors": errors, "workers": 1, "block_bytes": block_bytes}
        assert STAGES[number](path, specials, **options) == expected, number
    assert count_pretokens_in(data, specials, errors=errors) == expected


@pytest.mark.parametrize("errors", ["replace", "ignore"])
def test_errors_in_processes_and_threads(tmp_path, errors):
    rng = random.Random(3)
    data = b"".join(rng.choices(BAD_BYTES + GOOD_BYTES * 3, k=20_000))
    path = tmp_path / "mixed.txt"
    path.write_bytes(data)
    specials = ["<|x|>", "a b"]
    expected = count_text(data.decode("utf-8", errors), specials, GPT2_PATTERN, None)
    for number in PARALLEL:
        found = STAGES[number](path, specials, errors=errors, workers=3, block_bytes=1000)
        assert found == expected


@given(st.binary(max_size=100))
def test_any_bytes_are_judged_as_by_decode(data):
    try:
        expected = count_text(data.decode(), [], GPT2_PATTERN, None)
    except UnicodeDecodeError as error:
        with pytest.raises(ValueError, match=f"at byte {error.start} "):
            count_pretokens_in(data, [], workers=1)
    else:
        assert count_pretokens_in(data, [], workers=1) == expected


@pytest.mark.parametrize("number", STAGES)
def test_files(tmp_path, number):
    count = STAGES[number]
    with pytest.raises(FileNotFoundError, match="missing"):
        count(tmp_path / "missing.txt", [])
    with pytest.raises(IsADirectoryError, match="is a directory; give a text file"):
        count(tmp_path, [])
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    assert count(empty, []) == {}
    if os.name == "posix" and os.geteuid() != 0:
        empty.chmod(0)
        with pytest.raises(PermissionError, match="empty"):
            count(empty, [])


@pytest.mark.parametrize("number", STAGES)
def test_arguments(tmp_path, number):
    path = tmp_path / "text.txt"
    path.write_text("text", encoding="utf-8")
    count = STAGES[number]
    for options, message in [({"workers": 0}, "workers is 0"), ({"errors": "x"}, "errors is 'x'"),
                             ({"pattern": "("}, "not a regular expression|written out")]:
        with pytest.raises(ValueError, match=message):
            count(path, [], **options)
    with pytest.raises(TypeError, match="special_tokens"):
        count(path, "<|endoftext|>")
    if number not in PARALLEL:
        with pytest.raises(ValueError, match="works with at most 1"):
            count(path, [], workers=2)
    if number != "stage01":
        with pytest.raises(ValueError, match="block_bytes is 0"):
            count(path, [], block_bytes=0)


@pytest.mark.parametrize("number", IN_ONE_PROCESS)
def test_a_file_that_shrinks_while_it_is_read(tmp_path, number, monkeypatch):
    path = tmp_path / "shrinking.txt"
    path.write_text("words " * 50_000, encoding="utf-8")
    module = stages.find("pretokenize", number).load()
    monkeypatch.setattr(module, "file_size", lambda file: 1_000_000)
    with (no_thread_left(),
          pytest.raises(OSError, match=r"became shorter.*byte 300000 of 1000000; try again")):
        module.count_pretokens(path, [], block_bytes=1000)


@pytest.mark.parametrize("number", THREADED)
def test_an_error_in_a_thread_leaves_no_thread(tmp_path, number):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"words " * 100_000 + b"\xff" + b" words" * 100_000)
    with no_thread_left(), pytest.raises(ValueError, match="at byte 600000"):
        STAGES[number](path, [], workers=4, block_bytes=10_000)


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    """A text that takes a while to count."""
    path = tmp_path_factory.mktemp("stories") / "text.txt"
    path.write_text(corpus.stories(3_000_000), encoding="utf-8")
    return path


@pytest.mark.parametrize("number", PARALLEL)
def test_a_callback_that_raises_stops_the_workers(stories, number):
    def stop(phase, done, total):
        raise ZeroDivisionError

    with no_thread_left(), pytest.raises(ZeroDivisionError):
        STAGES[number](stories, [], workers=2, progress=stop)


INTERRUPTED = """
import multiprocessing, os, signal, sys, time
def num_threads():
    return len(os.listdir("/proc/self/task"))
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have the tests ignore it
from cs336_bpe import stages
count = stages.find("pretokenize", sys.argv[1]).load().count_pretokens
threads = num_threads()
print("ready", flush=True)
try:
    while True:
        count(sys.argv[2], ["<|endoftext|>"], **eval(sys.argv[3]))
except KeyboardInterrupt:
    start = time.monotonic()
    while num_threads() > threads and time.monotonic() < start + 2:
        time.sleep(0.01)  # Python's own pool may still be putting itself away
    children = [child for child in multiprocessing.active_children() if child.is_alive()]
    print("interrupted", num_threads() - threads, len(children), flush=True)
"""


@pytest.mark.parametrize(("number", "options"), [
    *((number, "{'workers': 1}") for number in IN_ONE_PROCESS),
    *((number, "{'workers': 2}") for number in PARALLEL),
])
def test_control_c(stories, tmp_path, number, options):
    said = tmp_path / "errors.txt"
    with (said.open("w") as errors,
          subprocess.Popen([sys.executable, "-c", INTERRUPTED, number, str(stories), options],
                           stdout=subprocess.PIPE, stderr=errors, text=True) as process):
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.7)
            output = interrupted(process, said)
        finally:
            process.kill()
    assert output == "interrupted 0 0\n", said.read_text()


def interrupted(process, said, seconds=30):
    """What a program prints after Ctrl-C. If Python itself has dropped the exception, because it
    was raised in a callback of a weak reference, it says so, and Ctrl-C is pressed again."""
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            if "Exception ignored in" not in said.read_text():
                raise
    raise AssertionError(said.read_text())


def test_control_c_is_pressed_again_only_if_python_has_dropped_it(tmp_path):
    ignores = ("import signal, sys, time\nsignal.signal(signal.SIGINT, lambda *_: {})\n"
               "print('ready', flush=True)\nfor _ in range(600): time.sleep(0.1)")
    dropped = "(print('Exception ignored in: it', file=sys.stderr, flush=True), {})"
    twice = dropped.format("signal.signal(signal.SIGINT, lambda *_: (print('end'), sys.exit()))")
    for action, expected in (("None", None), (twice, "end\n")):
        said = tmp_path / "said.txt"
        with (said.open("w") as errors,
              subprocess.Popen([sys.executable, "-c", ignores.format(action)],
                               stdout=subprocess.PIPE, stderr=errors, text=True) as process):
            try:
                process.stdout.readline()
                if expected is None:
                    with pytest.raises(subprocess.TimeoutExpired):
                        interrupted(process, said, seconds=1)
                else:
                    assert interrupted(process, said, seconds=1) == expected
            finally:
                process.kill()


def test_progress_counts_bytes(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("some words " * 200_000, encoding="utf-8")
    size = path.stat().st_size
    for number, workers in [*((number, 1) for number in IN_ONE_PROCESS),
                            *((number, 2) for number in PARALLEL)]:
        seen = []
        STAGES[number](path, [], workers=workers, block_bytes=10_000,
                       progress=lambda *call, seen=seen: seen.append(call))
        assert seen[-1] == ("count", size, size), number


def test_a_text_without_a_place_to_cut(tmp_path):
    """Nothing but letters: one pretoken of the size of the file, found without quadratic work."""
    path = tmp_path / "letters.txt"
    path.write_bytes(b"a" * 300_000)
    for number in STAGES:
        options = {} if number == "stage01" else {"block_bytes": 64}
        assert STAGES[number](path, ["<|x|>"], **options) == {b"a" * 300_000: 1}


def test_a_text_that_is_held_because_it_can_not_be_cut_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "MOST_UNCUT", 100_000)
    path = tmp_path / "letters.txt"
    path.write_bytes(b"some words " + b"a" * 300_000)
    for number in IN_ONE_PROCESS:
        with pytest.raises(ValueError, match=r"letters.txt has no place to cut in the .* bytes "
                                             r"from byte 10 on .*Put line breaks into it"):
            STAGES[number](path, [], workers=1, block_bytes=1000)
    # Without a compiled pattern, what is held need not be one pretoken.
    assert sum(STAGES["stage02"](path, [], pattern=r"(?<=x)y|\w+|\s+", block_bytes=1000)
               .values()) == 5


def test_blocks_are_small(tmp_path):
    """What is read stays near the size of a block, with and without special tokens."""
    path = tmp_path / "text.txt"
    path.write_text(corpus.web(500_000).replace("<|endoftext|>", " "), encoding="utf-8")
    with path.open("rb") as file:
        reader = blocks.BlockReader(file, "text", blocks.Cutter(["<|endoftext|>"]), 5_000)
        buffer = bytearray()
        while reader.read_into(buffer):
            assert len(buffer) < 15_000


def test_several_paths_and_a_bad_one(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("text", encoding="utf-8")
    with pytest.raises(FileNotFoundError):
        count_pretokens([path, tmp_path / "missing.txt"], [])
