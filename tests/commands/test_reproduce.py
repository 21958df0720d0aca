"""`reproduce` as a user runs it: on a pipe, wrongly, interrupted and resumed."""

import json
import signal
import time
from pathlib import Path

import pytest

from cs336_bpe import PretokenCounts, count_pretokens_in
from cs336_bpe.corpora.generated import web
from cs336_bpe.measure.process import family_usage
from cs336_bpe.reproduce import digits


def test_the_command_on_a_pipe(cs336, tmp_path):
    state, saved = tmp_path / "state.json", tmp_path / "saved.json"
    done = cs336("reproduce", "c6", "--quick", "--state", state, CS336_BPE_DATA="")
    assert "1 experiment, about 1 minute, on generated texts" in done.stderr
    assert "reproduced to the digit" in done.stdout
    assert max(map(len, (done.stdout + done.stderr).splitlines())) <= 80
    again = cs336("reproduce", "C6", "--quick", "--state", state, "--json", saved,
                  CS336_BPE_DATA="")
    assert again.stdout == done.stdout
    assert "All of it is finished. 1 kept in" in " ".join(again.stderr.split())
    value = json.loads(saved.read_text())
    assert value["figures"]["C6"]["lines"][0]["verdict"] == "reproduced to the digit"
    fresh = cs336("reproduce", "C6", "--quick", "--state", state, "--fresh", "--quiet",
                  CS336_BPE_DATA="")
    assert fresh.stderr == ""


@pytest.mark.parametrize("arguments", [["A9"], ["digits", "A1"], ["C6", "--counts", "x"],
                                       ["digits"], ["C6", "--data", "no such folder"]])
def test_wrong_usage(cs336, arguments, monkeypatch):
    monkeypatch.delenv("CS336_BPE_DATA", raising=False)
    assert cs336.fails("reproduce", *arguments, code=2).endswith("--help' says more)")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
def test_control_c_leaves_no_process(cs336, tmp_path):
    state = tmp_path / "state.json"
    process = cs336.start(
        "reproduce", "C6", "D", "--quick", "--state", state, stdout=-1, stderr=-1, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    for line in process.stderr:
        if "one word per task" in line:
            break
    family = set()
    deadline = time.monotonic() + 60
    while len(family) < 3 and time.monotonic() < deadline:
        family = descendants(process.pid)
        time.sleep(0.02)
    assert len(family) >= 3  # the fresh process, and the pool that it has started
    assert family_usage(process.pid).processes >= 3
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    rest = process.stderr.read()
    assert "1 of 2 finished and kept" in " ".join(rest.split())
    assert rest.endswith("\ncs336-bpe: interrupted\n")
    assert list(json.loads(state.read_text())["figures"]) == ["C6"]
    process.stdout.close()
    process.stderr.close()
    deadline = time.monotonic() + 30
    while any(map(is_running, family)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(is_running, family))


def descendants(pid):
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return set()
    return {int(child) for child in children}.union(*(descendants(int(c)) for c in children))


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_digits_of_generated_counts(cs336, tmp_path):
    """As many bytes as the real file has, in as many documents; all else differs from it."""
    counts = count_pretokens_in(web(2_000_000), ["<|endoftext|>"])
    text_bytes = digits.FILE_BYTES - 2_717_699 * len("<|endoftext|>")
    rest = text_bytes - sum(len(word) * number for word, number in counts.items())
    PretokenCounts({**counts, b"x": counts.get(b"x", 0) + rest}).save(tmp_path / "counts")
    done = cs336("reproduce", "digits", "--counts", tmp_path / "counts", code=1)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stdout.count("to the digit") == 1
    assert "2,717,700" in done.stdout


def test_digits_of_real_counts(real_data, cs336):
    done = cs336("reproduce", "digits", "--data", real_data)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stdout.count("to the digit") == 5
    assert "+37" in done.stdout
