"""Ctrl-C at any moment of any command: it ends, and no process that it has started is left."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cs336_bpe.corpora.tales import tales

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(),
                                reason="needs /proc, to see which processes a session has")

# How often, and within how many seconds from the start.
TRIES, SECONDS = (20, 20.0) if os.environ.get("CS336_BPE_SLOW") else (1, 4.0)

COMMANDS = {
    "train": "train text.txt --vocab-size 900 -o trained",
    "a pattern for regex": (
        r"train text.txt --vocab-size 400 -o slow --pattern (a)\1|.|\s --workers 2"),
    "count": "count text.txt -o out.counts",
    "shards": "encode text.txt -t tokenizer -o shards --shard-tokens 20000 --workers 2",
    "ladder": "ladder --bytes 60000 --vocab-size 500 --limit 0.5",
    "ladder, later": "ladder --bytes 1000000 --vocab-size 500 --limit 0.5",
    "mine": "ladder --bytes 20000 --vocab-size 300 --mine slow.py:train",
    "processes": "reproduce A6 --quick --state state.json",
    "a pool": "reproduce B --quick --state state.json",
    "sample": "sample text.txt -o out.txt --fraction 0.5 --smart",
    "cost": "cost --sizes",
}

SLOW_CODE = """
import subprocess, time
def train(input_path, vocab_size, special_tokens):
    subprocess.run(["sleep", "100"])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory, cs336):
    folder = tmp_path_factory.mktemp("interrupted")
    (folder / "text.txt").write_text(tales(1_500_000), encoding="utf-8")
    (folder / "slow.py").write_text(SLOW_CODE)
    cs336("train", "--bytes", "50000", "--vocab-size", "400", "-o", folder / "tokenizer", "--quiet")
    return folder


def in_session(number):
    """The processes of a session that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, fields = path.read_text().rpartition(") ")
            command = path.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, UnicodeDecodeError):  # it has ended meanwhile
            continue
        state, _, _, session = fields.split()[:4]
        if int(session) == number and state != "Z":
            found.append((int(path.parent.name), command))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_left(name, folder, cs336):
    rng = random.Random(name)
    for _ in range(TRIES):
        moment = rng.uniform(0.05, SECONDS)
        process = subprocess.Popen(
            cs336.command(*COMMANDS[name].split()), cwd=folder, env=cs336.environment({}),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
            # A test that runs in the background would hand on that the signal is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGINT)
        # One that waits for what was left behind would keep the pipe open.
        _, error = process.communicate(timeout=60)
        left = in_session(process.pid)
        deadline = time.monotonic() + 20
        while left and time.monotonic() < deadline:
            time.sleep(0.05)
            left = in_session(process.pid)
        for pid, _ in left:
            os.kill(pid, signal.SIGKILL)
        assert left == [], (moment, error)
        assert process.returncode in (0, 1, 130, -signal.SIGINT), (moment, error)


def test_a_process_ends_with_its_parent(tmp_path):
    """Even if the parent is killed, and can't see to it."""
    program = """
import multiprocessing, os, time
from cs336_bpe.common.families import end_with_parent
def wait():
    end_with_parent()
    time.sleep(60)
if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=wait)
    process.start()
    print(process.pid, flush=True)
    time.sleep(60)
"""
    path = tmp_path / "parent.py"
    path.write_text(program)
    parent = subprocess.Popen([sys.executable, path], stdout=subprocess.PIPE, text=True,
                              start_new_session=True)
    child = int(parent.stdout.readline())
    time.sleep(1)
    assert child in dict(in_session(parent.pid))
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 30
    while in_session(parent.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert in_session(parent.pid) == []
