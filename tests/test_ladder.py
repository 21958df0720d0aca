"""The ladder: measured, checked, tabulated; and its command."""

import json
import subprocess
import sys

import pytest

from cs336_bpe import ladder, stages
from cs336_bpe.measure import measure

COUNTS = {bytes([a, b, a, a]): a + b for a in range(60, 90) for b in range(60, 90)}


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "cs336_bpe", *arguments], text=True,
                          capture_output=True, timeout=300)


def test_every_rung_is_measured_and_agrees():
    seen = []
    rows = ladder.run_training_ladder(COUNTS, 40, report=lambda *call: seen.append(call))
    assert [row.stage for row in rows] == stages.ladder("train")
    assert all(row.run.complete and row.run.num_merges == 40 for row in rows)
    assert rows[0].gain is None
    assert rows[2].total_gain == pytest.approx(rows[1].gain * rows[2].gain)
    assert seen[-1][1:] == (40, 40)
    lines = ladder.as_text(ladder.table([row.as_json() for row in rows])).splitlines()
    assert len(lines) == 2 + len(rows)
    assert lines[2].startswith("stage01")


def test_a_slow_rung_is_cut_short_and_marked():
    counts = {bytes([a, b, c]): a for a in range(90) for b in range(40) for c in (1, 2)}
    run = measure(stages.find("train", "stage01"), counts, 10_000, limit=0.2)
    assert not run.complete
    assert 0 < run.num_merges < 10_000
    assert run.whole_seconds > run.seconds
    row = ladder.Row(stages.find("train", "stage01"), run, None, None).as_json()
    assert ladder.table([row])[1][1].startswith("~")
    assert "extrapolation" in ladder.footnotes([row])[0]
    whole = {**row, "complete": True, "gain": 2.0, "total_gain": 2.0}
    cells = ladder.table([row, whole, whole])
    assert [line[2:4] for line in cells[1:]] == [("", ""), ("~2.00", "~2.00"), ("2.00", "~2.00")]


def test_stages_that_disagree_are_not_timed():
    good = [(b"a", b"b"), (b"ab", b"c")]
    with pytest.raises(ladder.StagesDisagree, match="two and one disagree at merge 1"):
        ladder.check_agreement([("one", good), ("two", [good[0], (b"ab", b"x")])])


def test_an_error_in_the_measuring_process_arrives_here():
    with pytest.raises(TypeError, match="keys must be bytes"):
        measure(stages.find("train", "stage09"), {"low": 1}, 1)


def test_command(tmp_path):
    path = tmp_path / "out.json"
    done = run("ladder", "--bytes", "30000", "--vocab-size", "300", "--json", str(path))
    assert done.returncode == 0, done.stderr
    assert "stage09" in done.stdout
    assert "All stages agree" in done.stdout
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert [row["stage"] for row in saved["train"]] == [s.name for s in stages.ladder("train")]
    assert {row["stage"] for row in saved["pretokenize"]} == {
        stage.name for stage in stages.ladder("pretokenize")}
    assert list(tmp_path.iterdir()) == [path]


def test_command_on_a_file_of_ones_own(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("low lower lowest ÄÖÜ " * 50 + "<eot>", encoding="utf-8")
    done = run("ladder", "--corpus", str(path), "--vocab-size", "262", "--special", "<eot>")
    assert done.returncode == 0, done.stderr
    assert "own.txt" in done.stdout


@pytest.mark.parametrize(("arguments", "code", "message"), [
    (["ladder", "--corpus", "missing.txt"], 1, "missing.txt"),
    (["ladder", "--vocab-size", "100"], 1, "vocab_size is 100"),
    (["ladder", "--vocab-size", "many"], 2, "invalid int value"),
    (["ladder", "--bytes", "-1"], 1, "n_bytes must not be negative"),
    (["no-such-command"], 2, "invalid choice"),
    ([], 2, "required"),
])
def test_bad_arguments(arguments, code, message):
    done = run(*arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
