"""The chart of the ladders, in a real browser, against the tables that Python makes."""

import json
from math import log

import pytest
from pages_to_play_with import saved

from cs336_bpe.measure import ladders
from cs336_bpe.pages import write_ladder_page
from cs336_bpe.stages import ladder as rungs_of

NAMES = ["train_ladder_web", "pretokenize_ladder_web", "encode_ladder_gpt2", "decode_ladder_web"]
TABLES = {"train": (ladders.table, "merges/s"), "pretokenize": (ladders.counting_table, "MB/s"),
          "encode": (ladders.encoding_table, None),
          "decode": (ladders.decoding_table, "list to text")}
CELLS = """Array.from(document.querySelectorAll("#table tbody tr"), (row) =>
    Array.from(row.cells, (cell) => cell.textContent))"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("ladder") / "ladder.html"
    write_ladder_page(path, [saved(name) for name in NAMES])
    return path


def own_file():
    """What `cs336-bpe ladder --json` prints, in short."""
    row = {"idea": "x", "predecessor": None, "complete": True, "wanted": 100, "num_merges": 100}
    times = {"stage01_recount_everything": 4.0, "stage05_lazy_heap": 0.25, "stage14_mine": 0.125}
    return json.dumps({"corpus": "mine.txt", "vocab_size": 356, "machine": "a machine", "train": [
        {**row, "stage": stage, "whole_seconds": seconds, "all_seconds": [seconds]}
        for stage, seconds in times.items()]})


def give(browser, text, name="mine.json"):
    browser.page.set_input_files("#file", {"name": name, "mimeType": "application/json",
                                           "buffer": text.encode()})
    browser.page.wait_for_function("!byId('notice').hidden")


def choose(browser, number):
    browser.run(f"(which.value = {number}, showLadder())")


@pytest.mark.parametrize("number", range(4), ids=NAMES)
def test_the_table_is_that_of_python(browser, page, number):
    browser.open(page)
    choose(browser, number)
    name, rows = NAMES[number].partition("_")[0], saved(NAMES[number])["rows"]
    make, speed = TABLES[name]
    header, *expected = make(rows)
    before = header.index("x before")
    for shown, cells, row in zip(browser.run(CELLS), expected, rows, strict=True):
        assert shown[0] == ladders.number(row).removeprefix("stage")
        assert shown[1].startswith(row["idea"])
        if speed:
            assert shown[2] == cells[header.index(speed)]
        else:
            assert float(shown[2]) == pytest.approx(row["bytes_per_second"] / 1e6, rel=0.01)
        assert shown[3] == cells[before].partition(" ")[0]
        assert shown[4] == cells[before + 1]


def test_hollow_where_extrapolated_and_lines_for_spreads(browser, page):
    browser.open(page)
    rows = saved(NAMES[0])["rows"]
    hollow = browser.run("""Array.from(document.querySelectorAll("#chart .rung"), (rung) =>
        [rung.querySelectorAll(".hollow").length, rung.querySelectorAll(".spread").length])""")
    assert hollow == [[0, int(len(row["all_seconds"]) > 1)] if row["complete"] else [1, 0]
                      for row in rows]
    assert any(not row["complete"] for row in rows)
    assert "extrapolated" in browser.text("#legend")
    places = browser.run("""Array.from(document.querySelectorAll("#chart circle"),
        (circle) => Number(circle.getAttribute("cx")))""")
    # On a logarithmic axis, equal ratios are equal distances.
    speeds = [ladders.merges_per_second(row) for row in rows]
    per_unit = (places[-1] - places[0]) / log(speeds[-1] / speeds[0])
    for place, speed in zip(places, speeds):
        assert place - places[0] == pytest.approx(per_unit * log(speed / speeds[0]), abs=0.01)


def test_up_and_down_the_ladder(browser, page):
    browser.open(page)
    assert browser.run("lastStep") == len(rungs_of("train")) - 1
    browser.press("ArrowRight", 4)
    assert browser.text("#said").startswith("4 / 12. Stage 05, a heap whose stale entries are")
    assert "times as fast as stage 04" in browser.text("#said")
    browser.press("End")
    assert browser.text("#said").startswith("12 / 12. Stage 13")
    browser.click("#chart .rung", 1)
    assert browser.run("now") == 1
    browser.run("which.focus()")
    browser.press("ArrowDown")  # belongs to the list
    assert browser.run("now") == 0
    assert "MB/s" in browser.text("#said")


def test_a_file_of_your_own(browser, page):
    browser.open(page, 400)
    choose(browser, 2)
    give(browser, own_file())
    assert browser.text("#notice") == "mine.json: training."
    assert browser.run("which.value") == "0"  # the ladder that is in the file
    shown = {row[0]: row for row in browser.run(CELLS)}
    assert (shown["01"][-1], shown["05"][-1], shown["04"][-1]) == ("25.0", "400", "")
    assert shown["14"][1:3] == ["x", ""]
    assert browser.run("document.querySelectorAll('#chart path.own').length") == 3
    browser.press("ArrowRight", 4)
    assert browser.text("#said").endswith("Yours: 400 merges/s, 16.0 times as fast as stage 01.")
    assert "not the same text" in browser.text("#legend")
    assert browser.run("document.documentElement.scrollWidth") <= 400
    choose(browser, 4)  # by itself
    assert [row[2] for row in browser.run(CELLS)] == ["25.0", "400", "800"]
    assert browser.run("document.querySelectorAll('#chart .own').length") == 0
    browser.click("#forget")
    assert browser.run("document.querySelectorAll('option').length") == 4
    assert browser.run("byId('notice').hidden")
    assert browser.run("byId('forget').disabled")


def test_what_the_command_measures(browser, page):
    """Rows as `ladder --json` has them, of two rungs and a few merges."""
    measured = ladders.run_training_ladder({b"low": 5, b"lower": 2, b"newest": 6}, 5,
                                           rungs=rungs_of("train")[:2])
    rows = [row.as_json() for row in measured]
    browser.open(page)
    give(browser, json.dumps({"corpus": "three words", "vocab_size": 261, "train": rows}))
    choose(browser, len(NAMES))
    assert [row[2] for row in browser.run(CELLS)] == [
        ladders.rounded(ladders.merges_per_second(row)) for row in rows]
    assert "Training: three words, vocabulary 261" in browser.run("which.textContent")


def test_by_dropping(browser, page):
    browser.open(page)
    browser.run(f"""(() => {{
        const data = new DataTransfer();
        data.items.add(new File([{json.dumps(own_file())}], "dropped.json"));
        document.body.dispatchEvent(new DragEvent("drop", {{dataTransfer: data, bubbles: true,
            cancelable: true}}));
    }})()""")
    browser.page.wait_for_function("!byId('notice').hidden")
    assert browser.text("#notice") == "dropped.json: training."


@pytest.mark.parametrize("text", [
    "not json", "[]", "{}", "3", "null", '{"rows": [{}]}', '{"train": [{"stage": "stage01_x"}]}',
    '{"train": [{"stage": 1, "complete": true, "num_merges": 1, "whole_seconds": 0,'
    ' "all_seconds": []}]}', '{"rows": [3]}', '{"encode": [{"stage": "a",'
    ' "bytes_per_second": "</script>"}]}', '{"decode": [null]}'])
def test_other_files_are_refused(browser, page, text):
    browser.open(page)
    before = browser.run(CELLS)
    give(browser, text, "<b>.json")
    assert browser.text("#notice").startswith("<b>.json can't be shown: ")
    assert browser.run(CELLS) == before


def test_without_results(browser, tmp_path):
    write_ladder_page(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    assert browser.text("#chart") == "There is nothing to show yet."
    give(browser, own_file())
    assert [row[0] for row in browser.run(CELLS)] == ["01", "05", "14"]


def test_bad_results(tmp_path):
    for result, error, message in [([3], TypeError, "a result is a int"),
                                   ([{"rows": []}], ValueError, "a result has no rows")]:
        with pytest.raises(error, match=message):
            write_ladder_page(tmp_path / "page.html", result)
    assert list(tmp_path.iterdir()) == []
