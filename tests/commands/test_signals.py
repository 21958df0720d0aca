"""Commands that are ended: by a scheduler, a closed terminal, `kill -9`, or a disk that is full.

Nothing partial is ever under the final name, and nothing is left behind after the next run.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import cache

import pytest

from cs336_bpe.corpora import generated as corpus

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")

SLOW = bool(os.environ.get("CS336_BPE_SLOW"))
MEGABYTES = 4

# Each writes `out`, and takes some tenths of a second to do so.
COMMANDS = {
    "train": "train text.txt --vocab-size 2000 --out trained",
    "count": "count text.txt -o out --workers 2",
    "encode": "encode text.txt -t bytes -o out --workers 2",
    "shards": "encode text.txt -t bytes -o shards --shard-tokens 700000 --format bin --workers 2",
    "decode": "decode ids -t bytes -o out",
    "sample": "sample text.txt out --fraction 0.9",
    "smart sample": "sample text.txt out --documents 1000 --smart",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A text, a tokenizer of nothing but bytes, and ids."""
    folder = tmp_path_factory.mktemp("ended")
    (folder / "text.txt").write_text(generated() * MEGABYTES, encoding="utf-8")
    (folder / "few.txt").write_text("a b")
    at = {"cwd": folder, "check": True, "capture_output": True}
    subprocess.run(program("train", "few.txt", "--vocab-size", "257", "--out", "bytes"), **at)
    subprocess.run(program("encode", "text.txt", "-t", "bytes", "-o", "ids"), **at)
    return folder


@cache
def generated():
    return corpus.web(1_000_000)


def program(*arguments):
    return [sys.executable, "-m", "cs336_bpe", *arguments]


def names(folder):
    """All files, those in folders too."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def outputs(folder, before):
    return {name: (folder / name).read_bytes() for name in names(folder) - before}


def remove(folder, before):
    for name in names(folder) - before:
        (folder / name).unlink()
    shutil.rmtree(folder / "shards", ignore_errors=True)


def start(folder, command):
    return subprocess.Popen(program(*COMMANDS[command].split(), "--quiet"), cwd=folder,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def run(folder, command):
    with start(folder, command) as process:
        _, error = process.communicate(timeout=120)
        assert process.returncode == 0, error


@pytest.mark.parametrize("command", COMMANDS)
def test_ended_at_random_moments(command, folder):
    """By SIGKILL, SIGTERM and SIGHUP in turn; then a run that is not, which cleans up."""
    before = names(folder)
    begin = time.perf_counter()
    run(folder, command)
    seconds = time.perf_counter() - begin
    complete = outputs(folder, before)
    assert complete
    remove(folder, before)
    rng = random.Random(command)
    for number in range(34 if SLOW else 3):
        left = names(folder)
        how = [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP][number % 3]
        with start(folder, command) as process:
            time.sleep(seconds * rng.uniform(0.2, 1))
            process.send_signal(how)
            _, error = process.communicate(timeout=60)
            # -how: Python itself was ended, before or after the command.
            assert process.returncode in (0, -how, 128 + how), error
        for name, data in outputs(folder, before).items():
            if ".encoding" in name:  # what encode_files continues from, and removes in the end
                continue
            if ".part" not in name:
                assert data == complete[name], (how, name)
            elif name not in left:
                assert how == signal.SIGKILL, name
    run(folder, command)
    assert outputs(folder, before) == complete
    assert not (folder / "shards" / ".encoding").exists()
    remove(folder, before)


KILLS = 20 if SLOW else 2


@pytest.mark.parametrize("command", ["train", "shards"])
def test_killed_and_run_again_and_again(command, folder):
    """By SIGKILL, at random moments; nothing is removed in between, so each run goes on from what
    the others have left. A final name never has a part under it, and in the end nothing is left."""
    before = names(folder)
    begin = time.perf_counter()
    run(folder, command)
    seconds = time.perf_counter() - begin
    complete = outputs(folder, before)
    remove(folder, before)
    rng = random.Random(f"killed {command}")
    ended = 0
    for _ in range(KILLS):
        with start(folder, command) as process:
            time.sleep(seconds * rng.uniform(0.1, 1))
            process.kill()
            process.communicate(timeout=60)
            ended += process.returncode == 0
        for name, data in outputs(folder, before).items():
            if ".part" not in name and ".encoding" not in name:
                assert data == complete[name], name
    run(folder, command)
    assert outputs(folder, before) == complete
    assert not (folder / "shards" / ".encoding").exists()
    remove(folder, before)
    assert ended < KILLS, "all runs were complete before they were killed"


WAITS = """
import sys, time
from cs336_bpe import cli
from cs336_bpe.tokenizer import Tokenizer
def progress(phase, done, total):
    if done:
        print("now", flush=True)
        time.sleep(60)
encode = Tokenizer.encode_file
Tokenizer.encode_file = lambda *args, **options: encode(*args, **{**options, "progress": progress})
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_in_the_middle_it_cleans_up_and_says_so(how, folder):
    before = names(folder)
    command = [sys.executable, "-c", WAITS, *COMMANDS["encode"].split()]
    default = signal.default_int_handler if how == signal.SIGINT else signal.SIG_DFL
    begin_anew = {"preexec_fn": lambda: signal.signal(how, default)}  # it may be ignored here
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, **begin_anew) as process:
        assert process.stdout.readline() == "now\n"
        assert any(".part" in name for name in names(folder))
        process.send_signal(how)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 128 + how
    said = "interrupted" if how == signal.SIGINT else f"ended by {how.name}"
    assert error == f"cs336-bpe: {said}\n"
    assert names(folder) == before


def test_a_signal_that_is_ignored_stays_so(folder):
    """As after `nohup`."""
    before = names(folder)
    process = subprocess.Popen(
        program(*COMMANDS["train"].split(), "--quiet"), cwd=folder, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    with process:
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
            time.sleep(0.02)
        assert process.returncode == 0, process.stderr.read()
    remove(folder, before)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("train", "shards")])
def test_a_file_that_may_not_grow(command, folder):
    resource = pytest.importorskip("resource")
    before = names(folder)
    (folder / "out").write_bytes(b"what was there")
    process = subprocess.run(
        program(*COMMANDS[command].split(), "--quiet"), cwd=folder, capture_output=True,
        text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
    assert process.returncode == 1
    assert process.stderr == "cs336-bpe: out: File too large\n"
    assert outputs(folder, before) == {"out": b"what was there"}
    remove(folder, before)


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk],
                          capture_output=True, check=False)
    if made.returncode:
        pytest.skip("only root may make a small disk, and not everywhere")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("train", "shards")])
def test_a_disk_that_is_full(command, folder, small_disk):
    arguments = [str(small_disk / "out") if word == "out" else word
                 for word in COMMANDS[command].split()]
    process = subprocess.run(program(*arguments, "--quiet"), cwd=folder, capture_output=True,
                             text=True, check=False)
    assert process.returncode == 1
    assert process.stderr == f"cs336-bpe: {small_disk / 'out'}: No space left on device\n"
    assert os.listdir(small_disk) == []


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a file that can't be read")
def test_an_input_that_can_not_be_read_is_named(folder):
    before = names(folder)
    process = subprocess.run(program("encode", "/proc/self/mem", "-t", "bytes", "-o", "out"),
                             cwd=folder, capture_output=True, text=True, check=False)
    assert process.stderr == "cs336-bpe: /proc/self/mem: Input/output error\n"
    assert names(folder) == before
