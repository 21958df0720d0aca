"""Commands that are ended: by a scheduler, a closed terminal, `kill -9`, or a disk that is full.

Nothing partial is ever under the final name, and nothing is left behind after the next run.

    CS336_BPE_SLOW=1 CS336_BPE_SAVE=1 pytest tests/commands/test_signals.py

kills each command more often, and saves how often for the table in docs/reliability.md.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import datetime, timezone
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cs336_bpe.commands.completion import read_commands
from cs336_bpe.corpora import generated as corpus

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")

SLOW = bool(os.environ.get("CS336_BPE_SLOW"))
MEGABYTES = 4

# Each takes some tenths of a second. Most write `out`.
COMMANDS = {
    "train": "train text.txt --vocab-size 2000 --out trained",
    "count": "count text.txt -o out --workers 2",
    "encode": "encode text.txt -t bytes -o out --workers 2",
    "shards": "encode text.txt -t bytes -o shards --shard-tokens 700000 --format bin --workers 2",
    "decode": "decode ids -t bytes -o out",
    "sample": "sample text.txt out --fraction 0.9",
    "smart sample": "sample text.txt out --documents 1000 --smart",
}
# The others that write. Their outputs are small, or not the same each time.
SMALL_COMMANDS = {
    "merge-counts": "merge-counts counts counts -o out",
    "convert": "convert bytes -o out --to huggingface",
    "show": "show text.txt -t bytes -o out",
    "explore": "explore bytes -o out",
    "pattern": "pattern gpt4 -o out",
    "play": "play training low:5 lower:2 -o out",
    "fetch": "fetch tinystories-valid -o fetched --url ADDRESS",
    "ladder": "ladder --json out",
    "reproduce": "reproduce C6 --quick --json out --state state",
}
MEASURE = {"ladder", "reproduce"}  # what they save has times in it
GO_ON = {"fetch", "reproduce"}  # what they have is kept, and a later run goes on from there

# In place of what would take minutes, or the network. What writes is as it is.
INSTEAD = {
    "ladder": """
from cs336_bpe.commands import ladder
ladder.measure_all = lambda *_: {"time": time.time(), "rows": list(range(100_000))}
""",
    "fetch": """
from cs336_bpe.corpora import fetch
fetch.CORPORA["tinystories-valid"] = fetch.Corpus("text.txt", SIZE, "DIGEST")
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A text, a tokenizer of nothing but bytes, ids, counts; and a server that has the text."""
    folder = tmp_path_factory.mktemp("ended")
    (folder / "text.txt").write_text(generated() * MEGABYTES, encoding="utf-8")
    (folder / "few.txt").write_text("a b")
    at = {"cwd": folder, "check": True, "capture_output": True}
    subprocess.run(program("train", "few.txt", "--vocab-size", "257", "--out", "bytes"), **at)
    subprocess.run(program("encode", "text.txt", "-t", "bytes", "-o", "ids"), **at)
    subprocess.run(program("count", "text.txt", "-o", "counts"), **at)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    ADDRESS[folder] = f"http://127.0.0.1:{server.server_port}"
    yield folder
    server.shutdown()
    thread.join()
    server.server_close()


ADDRESS = {}


class Quiet(SimpleHTTPRequestHandler):
    """Without ranges, so that a download begins anew."""

    def log_message(self, *_):
        pass

    def end_headers(self):
        self.send_header("ETag", '"the same"')
        super().end_headers()


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
    for name in ("shards", "fetched"):
        shutil.rmtree(folder / name, ignore_errors=True)


def start(folder, command):
    line = (COMMANDS | SMALL_COMMANDS)[command].replace("ADDRESS", ADDRESS[folder])
    arguments = program(*line.split(), "--quiet")
    if command in INSTEAD:
        text = (folder / "text.txt").read_bytes()
        instead = INSTEAD[command].replace("SIZE", str(len(text))).replace(
            "DIGEST", hashlib.sha256(text).hexdigest())
        arguments[1:3] = ["-c", f"import sys, time\nfrom cs336_bpe import cli\n{instead}\n"
                          "sys.exit(cli.main(sys.argv[1:]))"]
    without_proxy = {name: value for name, value in os.environ.items()
                     if not name.lower().endswith("_proxy")}
    return subprocess.Popen(arguments, cwd=folder, env=without_proxy, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, preexec_fn=not_ignored)


def not_ignored():
    """A signal that is ignored here, as after `nohup`, would be ignored in the command as well."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def run(folder, command):
    with start(folder, command) as process:
        _, error = process.communicate(timeout=120)
        assert process.returncode == 0, error


def same(command, found, complete):
    """Whether files have what a whole run writes; with times in them, that they are whole."""
    if command in MEASURE:
        return {name: json.loads(data).keys() for name, data in found.items()} == {
            name: json.loads(complete[name]).keys() for name in found}
    return all(data == complete[name] for name, data in found.items())


def whole_run(folder, command, before):
    """What it writes, and how long that takes."""
    begin = time.perf_counter()
    run(folder, command)
    seconds = time.perf_counter() - begin
    complete = outputs(folder, before)
    assert complete
    remove(folder, before)
    return complete, seconds


def end(process, how, seconds, share):
    """Send a signal after a share of the time that the command takes. What it takes, as far as
    that is known: a run that is complete before tells."""
    begin = time.perf_counter()
    try:
        process.wait(timeout=share * seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(how)
        return seconds
    return time.perf_counter() - begin


def is_partial(command, name):
    """What later runs continue from, or remove, by its name."""
    return ".part" in name or ".encoding" in name or (command == "fetch" and ".lock" in name)


def test_all_commands_that_write_are_ended():
    ended = {line.split()[0] for line in [*COMMANDS.values(), *SMALL_COMMANDS.values()]}
    assert ended == {
        command.name for command in read_commands() for option in command.options
        if {"-o", "--state"} & set(option.names) or ("--json" in option.names and option.files)}


@pytest.fixture(scope="module")
def tally():
    """How often each command was ended, and by what, to be saved; a test adds it when it passes."""
    counts = {command: Counter() for command in COMMANDS | SMALL_COMMANDS}
    yield counts
    if os.environ.get("CS336_BPE_SAVE"):
        rows = [{"command": command, **count} for command, count in counts.items() if count]
        RESULTS.write_text(json.dumps({
            "command": "CS336_BPE_SLOW=1 CS336_BPE_SAVE=1 pytest tests/commands/test_signals.py",
            "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
            "rows": rows}, indent=1) + "\n")


RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "reliability_kills.json"
KILLS = {**dict.fromkeys(COMMANDS, 34 if SLOW else 3),
         **dict.fromkeys(SMALL_COMMANDS, 20 if SLOW else 2)}


@pytest.mark.parametrize("command", KILLS)
def test_ended_at_random_moments(command, folder, tally):
    """By SIGTERM, SIGKILL and SIGHUP in turn; then a run that is not, which cleans up."""
    before = names(folder)
    complete, seconds = whole_run(folder, command, before)
    rng = random.Random(command)
    count = Counter()
    for number in range(KILLS[command]):
        left = names(folder)
        how = [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP][number % 3]
        with start(folder, command) as process:
            seconds = end(process, how, seconds, rng.uniform(0.2, 1))
            _, error = process.communicate(timeout=60)
            # -how: Python itself was ended, before or after the command.
            assert process.returncode in (0, -how, 128 + how), error
        count["complete" if process.returncode == 0 else how.name] += 1
        found = outputs(folder, before)
        assert same(command, {name: data for name, data in found.items()
                              if not is_partial(command, name)}, complete), (how, found.keys())
        if command not in GO_ON:
            new = [name for name in found.keys() - left if ".part" in name and
                   ".encoding" not in name]
            assert not new or how == signal.SIGKILL
            count["parts"] += bool(new)
        if process.returncode == 0:
            remove(folder, before)  # where all is there, some commands have nothing left to do
    run(folder, command)
    found = outputs(folder, before)
    assert found.keys() == complete.keys()
    assert same(command, found, complete)
    assert not (folder / "shards" / ".encoding").exists()
    remove(folder, before)
    tally[command] += count


@pytest.mark.parametrize("command", ["train", "shards"])
def test_killed_and_run_again_and_again(command, folder, tally):
    """By SIGKILL, at random moments; nothing is removed in between, so each run goes on from what
    the others have left. A final name never has a part under it, and in the end nothing is left."""
    before = names(folder)
    complete, seconds = whole_run(folder, command, before)
    rng = random.Random(f"killed {command}")
    count = Counter()
    kills = 20 if SLOW else 2
    for _ in range(kills):
        left = names(folder)
        with start(folder, command) as process:
            seconds = end(process, signal.SIGKILL, seconds, rng.uniform(0.1, 1))
            process.communicate(timeout=60)
        count["complete" if process.returncode == 0 else "SIGKILL"] += 1
        found = outputs(folder, before)
        assert same(command, {name: data for name, data in found.items()
                              if not is_partial(command, name)}, complete)
        count["parts"] += any(".part" in name for name in found.keys() - left)
        if process.returncode == 0:
            remove(folder, before)
    run(folder, command)
    assert outputs(folder, before) == complete
    assert not (folder / "shards" / ".encoding").exists()
    remove(folder, before)
    assert count["complete"] < kills, "all runs were complete before they were killed"
    tally[command] += count


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
