"""Every published row is measured, judged and shown; each experiment runs on tiny texts here."""

import json
import warnings

import pytest

from cs336_bpe import EarlyStopWarning
from cs336_bpe.reproduce.experiments import EXPERIMENTS, about_seconds, choose
from cs336_bpe.reproduce.published import FIGURES, ROWS, rows_of
from cs336_bpe.reproduce.report import WIDTH, report
from cs336_bpe.reproduce.session import Result, State, load_book, run_session
from cs336_bpe.reproduce.texts import Lab
from cs336_bpe.reproduce.verdicts import Outcome, verdict


def test_every_figure_has_rows_and_an_experiment():
    assert list(FIGURES) == list(EXPERIMENTS)
    assert {figure for figure, _ in ROWS} == set(FIGURES)
    assert len(ROWS) > 100
    assert choose(["all"]) == list(FIGURES)
    assert about_seconds(choose(["all"]), quick=True) < 600


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("scratch")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_published_row_is_measured(name, scratch):
    notes = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EarlyStopWarning)
        (result,) = run_session([name], Lab(scratch, None, "tiny", notes.append), State(None))
    rows = {row.name for row in rows_of(name)}
    assert {line.name for line in result.outcome.lines} == rows
    for line in result.outcome.lines:
        assert verdict(line)
        assert line.value is not None or line.reason
        assert line.text or line.reason or line.stage == "cost"
    again = Result.from_json(json.loads(json.dumps(result.as_json())))
    assert again == result
    shown = report(result, result)
    assert max(map(len, shown.splitlines())) <= WIDTH
    assert all(row in shown for row in rows)


def test_the_book_fits_too():
    for name, result in load_book().items():
        assert result.figure == name
        assert max(map(len, report(result, result).splitlines())) <= WIDTH
        assert "/" not in result.settings  # no folder of the machine that measured


def test_words_that_are_too_long_are_wrapped():
    result = Result("C5", Outcome.from_json({"tables": [
        {"title": "t " * 90, "header": ["a", "b" * 30, "c"], "rows": [["x " * 60, "1", "2"]]},
        {"title": "wide", "header": ["h" * 30] * 5, "rows": [["y" * 30] * 5]}],
        "lines": [{"figure": "C5", "name": "longest TinyStories token", "value": "z " * 60,
                   "reason": "because " * 20}]}), 1.0, "today", "here", "quick")
    assert max(map(len, report(result, None).splitlines())) <= WIDTH
