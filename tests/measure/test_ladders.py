"""The ladder: measured, checked, tabulated; and its command."""

import json
import subprocess
import sys

import pytest

from cs336_bpe import stages
from cs336_bpe.common.tables import as_text
from cs336_bpe.measure import ladders
from cs336_bpe.measure.decoding import measure_decoding
from cs336_bpe.measure.encoding import END, measure_encoding
from cs336_bpe.measure.training import measure_training
from cs336_bpe.rules import assemble_vocab

COUNTS = {bytes([a, b, a, a]): a + b for a in range(60, 90) for b in range(60, 90)}


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "cs336_bpe", *arguments], text=True,
                          capture_output=True, timeout=300)


def test_every_rung_is_measured_and_agrees():
    seen = []
    rows = ladders.run_training_ladder(COUNTS, 40, report=lambda *call: seen.append(call))
    assert [row.stage for row in rows] == stages.ladder("train")
    assert all(row.run.complete and row.run.num_merges == 40 for row in rows)
    assert seen[-1][1:] == (40, 40)
    saved = [row.as_json() for row in rows]
    assert [row["predecessor"] for row in saved] == [stage.predecessor
                                                     for stage in stages.ladder("train")]
    lines = as_text(ladders.table(saved)).splitlines()
    assert len(lines) == 2 + len(rows)
    assert lines[2].startswith("stage01")


def test_a_slow_rung_is_cut_short_and_marked():
    counts = {bytes([a, b, c]): a for a in range(90) for b in range(40) for c in (1, 2)}
    run = measure_training(stages.find("train", "stage01"), counts, 10_000, limit=0.2)
    assert not run.complete
    assert 0 < run.num_merges < 10_000
    assert run.whole_seconds > run.seconds
    row = ladders.Row(stages.find("train", "stage01"), run).as_json()
    cells = dict(zip(*ladders.table([row])))
    assert cells["seconds"][0] == cells["merges/s"][0] == "~"
    assert cells["spread"] == ""
    assert "extrapolated" in ladders.footnotes([row])[0]


def rows_of(ladder, **seconds):
    """Rows of a ladder that branches: three goes on from one."""
    before = {"stage01_one": None, "stage02_two": "stage01_one", "stage03_three": "stage01_one",
              "stage04_four": "stage03_three"}
    return [{"stage": name, "predecessor": before[name], "idea": "", "whole_seconds": taken,
             "seconds": taken, "all_seconds": [taken], "peak_bytes": 0, "num_merges": 10,
             "wanted": 10, "complete": number != "one"}
            for (number, taken), name in zip(seconds.items(), before)]


def test_a_rung_is_compared_with_its_predecessor():
    rows = rows_of("train", one=80.0, two=40.0, three=16.0, four=4.0)
    gains = [line[3:5] for line in ladders.table(rows)[1:]]
    assert gains == [("", ""), ("~2.0", "~2.0"), ("~5.0 (01)", "~5.0"), ("4.00", "~20")]
    assert ladders.branches(ladders.table(rows)) == [
        "(01): compared with stage01, which it changes, and not with the row above."]
    assert ladders.branches(ladders.table(rows[:2])) == []
    assert ladders.gain("train", rows[3], ladders.predecessor("train", rows, rows[3])) == 4
    assert ladders.predecessor("train", rows[2:], rows[2]) is None  # it was not measured


def test_the_registry_is_asked_where_a_saved_row_does_not_say():
    rungs = stages.ladder("encode")
    rows = [{"stage": stage.name} for stage in rungs]
    for stage, row in zip(rungs, rows):
        found = ladders.predecessor("encode", rows, row)
        assert (found and found["stage"]) == stage.predecessor


def test_workers_are_compared_with_as_many_workers():
    rows = [{"stage": name, "predecessor": before, "workers": workers, "seconds": seconds}
            for name, before, workers, seconds in [
                ("stage01_a", None, 1, 8.0), ("stage02_b", "stage01_a", 1, 6.0),
                ("stage02_b", "stage01_a", 2, 4.0), ("stage03_c", "stage02_b", 1, 3.0),
                ("stage03_c", "stage02_b", 2, 1.0)]]
    gains = [ladders.gain("pretokenize", row, ladders.predecessor("pretokenize", rows, row))
             for row in rows]
    assert gains == [None, 8 / 6, 2, 2, 4]


def test_rounds_are_kept():
    rungs = [stages.find("train"), stages.find("train", "stage05")]
    once = ladders.run_training_ladder(COUNTS, 20, rungs=rungs)
    rows = ladders.run_training_ladder(COUNTS, 20, rungs=rungs, rounds=2)
    for before, row in zip(once, rows):
        assert len(row.run.all_seconds) > len(before.run.all_seconds) / 2
        assert min(row.run.all_seconds) <= row.run.seconds <= max(row.run.all_seconds)
        assert row.run.whole_seconds == row.run.seconds
    assert " to " in ladders.table([row.as_json() for row in rows])[1][2]
    encoded = ladders.run_encoding_ladder(VOCAB, MERGES, PRETOKENS[:50],
                                          rungs=[stages.find("encode")], rounds=3)
    assert len(encoded[0]["all_bytes_per_second"]) == 3


def test_stages_that_disagree_are_not_timed():
    good = [(b"a", b"b"), (b"ab", b"c")]
    with pytest.raises(ladders.StagesDisagree, match="two and one disagree at merge 1"):
        ladders.check_agreement([("one", good), ("two", [good[0], (b"ab", b"x")])])


def test_an_error_in_the_measuring_process_arrives_here():
    with pytest.raises(TypeError, match="keys must be bytes"):
        measure_training(stages.find("train", "stage09"), {"low": 1}, 1)


MERGES = [(b"a", b"b"), (b"ab", b"c"), (b"\xff", b"\x00")]
VOCAB = assemble_vocab([], MERGES)
PRETOKENS = [b"abc", b" abab", b"\xff\x00", b"abc", b"z" * 200] * 500


def test_every_encoding_rung_is_measured_and_agrees():
    seen = []
    rows = ladders.run_encoding_ladder(VOCAB, MERGES, PRETOKENS,
                                      report=lambda *call: seen.append(call))
    assert [row["stage"] for row in rows] == [stage.name for stage in stages.ladder("encode")]
    num_bytes = sum(map(len, PRETOKENS))
    assert all(row["complete"] and row["num_bytes"] == num_bytes for row in rows)
    assert all(row["num_tokens"] == 500 * (1 + 3 + 1 + 1 + 200) for row in rows)
    assert seen[-1][1:] == (num_bytes, num_bytes)
    lines = as_text(ladders.encoding_table(rows)).splitlines()
    assert len(lines) == 2 + len(rows)


def test_an_encoding_rung_is_cut_short():
    stage = stages.find("encode", "stage01")
    run = measure_encoding(stage, VOCAB, MERGES, PRETOKENS * 1000, limit=0.1)
    assert not run.complete
    assert 0 < run.num_pretokens < 1000 * len(PRETOKENS)
    assert run.num_bytes == sum(map(len, (PRETOKENS * 1000)[:run.num_pretokens]))
    assert run.ids[:7].tolist() == [257, END, ord(" "), 256, 256, END, 258]
    assert run.ids.count(END) == run.num_pretokens


def test_no_pretokens_at_all():
    rows = ladders.run_encoding_ladder(VOCAB, MERGES, [])
    cells = ladders.encoding_table(rows)
    assert {line[1:4] for line in cells[1:]} == {("0", "", "")}


def test_encodings_that_disagree_are_not_timed():
    one, two = (measure_encoding(stages.find("encode", name), VOCAB, MERGES, PRETOKENS[:3])
                for name in ("stage04", "stage06"))
    ladders.check_encodings([one, two])
    two.ids[3] += 1
    with pytest.raises(ladders.StagesDisagree, match=r"stage06\w+ and stage04\w+ disagree at "
                                                    r"pretoken 1"):
        ladders.check_encodings([one, two])


def test_every_decoding_rung_is_measured_and_agrees():
    ids = [97, 98, 258, 257, 256] * 300
    seen = []
    rows = ladders.run_decoding_ladder(VOCAB, ids, rounds=2,
                                      report=lambda *call: seen.append(call))
    assert [row["stage"] for row in rows] == [stage.name for stage in stages.ladder("decode")]
    assert {row["num_tokens"] for row in rows} == {len(ids)}
    for row in rows:
        for way, seconds in row["all_seconds"].items():
            assert len(seconds) >= 2
            assert min(seconds) <= row["medians"][way] <= max(seconds)
        assert row["seconds"] == row["medians"]["text"]
    assert seen[-1][1:] == (len(ids), len(ids))
    cells = ladders.decoding_table(rows)
    assert len(as_text(cells).splitlines()) == 2 + len(rows)
    in_arrays = ladders.in_way(rows, "array")
    assert cells[2][6] == ladders.gain_cells("decode", in_arrays, in_arrays[1])[0]


def test_decodings_that_disagree_are_not_timed(monkeypatch):
    rungs = [stages.find("decode", name) for name in ("stage01", "stage02")]
    runs = {rung.name: measure_decoding(rung, VOCAB, [97]) for rung in rungs}
    runs[rungs[1].name].digest += "x"
    monkeypatch.setattr(ladders, "measure_decoding", lambda rung, *given, report: runs[rung.name])
    with pytest.raises(ladders.StagesDisagree, match="stage02_token_list does not give the text"):
        ladders.run_decoding_ladder(VOCAB, [97], rungs=rungs)


def test_command(tmp_path):
    path = tmp_path / "out.json"
    done = run("ladder", "--bytes", "30000", "--vocab-size", "300", "--json", str(path))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("13 prefetch ") for line in lines)
    assert max(map(len, lines)) <= 80  # as it is a pipe
    assert "All stages agree" in done.stdout
    assert "train: stage01_recount_everything" in done.stderr
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert [row["stage"] for row in saved["train"]] == [s.name for s in stages.ladder("train")]
    assert {row["stage"] for row in saved["pretokenize"]} == {
        stage.name for stage in stages.ladder("pretokenize")}
    assert [row["stage"] for row in saved["encode"]] == [s.name for s in stages.ladder("encode")]
    assert [row["stage"] for row in saved["decode"]] == [s.name for s in stages.ladder("decode")]
    assert "All stages give the same ids" in done.stdout
    assert "All stages give the same bytes and the same text" in done.stdout
    assert list(tmp_path.iterdir()) == [path]


def test_command_on_a_file_of_ones_own(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("low lower lowest ÄÖÜ " * 50 + "<eot>", encoding="utf-8")
    done = run("ladder", "--corpus", str(path), "--vocab-size", "262", "--special", "<eot>",
               "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout)["corpus"] == str(path)


@pytest.mark.parametrize(("arguments", "code", "message"), [
    (["ladder", "--corpus", "missing.txt"], 1, "missing.txt"),
    (["ladder", "--vocab-size", "100"], 1, "--vocab-size is 100"),
    (["ladder", "--vocab-size", "many"], 2, "--vocab-size: 'many' is not a whole number"),
    (["ladder", "--bytes", "-1"], 1, "--bytes must not be negative"),
    (["no-such-command"], 2, "there is no command"),
    ([], 2, "give a command"),
])
def test_bad_arguments(arguments, code, message):
    done = run(*arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
