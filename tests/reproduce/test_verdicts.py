"""Verdicts follow from numbers."""

import pytest

from cs336_bpe.reproduce.arithmetic import slips
from cs336_bpe.reproduce.published import FIGURES
from cs336_bpe.reproduce.verdicts import Line, better, verdict


@pytest.mark.parametrize(("figure", "name", "value", "last", "words"), [
    ("A1", "speed test: the limit", 1.4, True, "passed"),
    ("A1", "speed test: the limit", 1.6, True, "missed"),
    ("A1", "i7: merging", 5.9, True, "beaten"),
    ("A1", "i7: merging", 6.1, True, "not beaten"),
    ("A1", "i7: merging", 17.0, False, "holds: alike"),
    ("A1", "i7: merging", 19.0, False, "worse here"),
    ("A1", "i7: merging", 1.0, False, "better here"),
    ("A1", "Xeon: peak memory", 1e8, True, "beaten"),
    ("A2", "optimized: merging", 13_451, True, "beaten"),
    ("A2", "optimized: merging", 13_449, True, "not beaten"),
    ("A2", "gain", 48, False, "holds"),
    ("A2", "gain", 33, False, "holds"),
    ("A2", "gain", 31, False, "holds in part"),
    ("A2", "gain", 73, False, "holds, and goes further"),
    ("A2", "gain", 1.05, False, "does not hold: no gain"),
    ("A2", "gain", 0.9, False, "does not hold: it is slower"),
    ("C4", "gain of the set over skipping", 0.9, False, "holds: slower here too"),
    ("C4", "gain of the set over skipping", 1.1, False, "does not hold: it is faster"),
    ("D", "+ batches", 4.9, False, "holds in part"),  # a range is not stretched
    ("D", "+ batches", 5.0, False, "holds"),
    ("D", "serial", 1.0, False, "the measure of the others"),
    ("B", "documents", "2,717,700", False, "reproduced to the digit"),
    ("B", "documents", "2,717,699", False, "differs by 1"),
    ("C5", "array type of the ids", "uint32", False, "does not hold here"),
    ("B", "16: share of pretokenizing", 0.65, False, "holds"),
    ("B", "16: share of pretokenizing", 0.5, False, "does not hold: it is less"),
    ("B", "16: share of pretokenizing", 0.95, False, "does not hold: it is more"),
    ("C5", "tokens per byte: web, own", 0.25, False, "holds"),
    ("C5", "tokens per byte: web, own", 0.30, False, "does not hold: it is more"),
    ("E", "3 of 10 million: quality lost", 0.07, False, "holds"),
    ("E", "3 of 10 million: quality lost", 0.01, False, "does not hold: it is less"),
    ("E", "3 of 10 million: quality lost", 0.2, False, "does not hold: it is more"),
])
def test_verdicts(figure, name, value, last, words):
    assert verdict(Line(figure, name, value, last=last)).startswith(words)


def test_a_reason_comes_before_any_number():
    line = Line("A4", "total", 1.0, reason="another text")
    assert verdict(line) == "not comparable: another text"
    assert better(line) is None


def test_scaled_is_said():
    line = Line("A4", "total", 53.5, last=True, scaled=True)
    assert better(line) == 10
    assert verdict(line) == "beaten, 10.0 times; scaled to the published size"


def test_a_range_is_compared_by_its_kinder_end():
    assert better(Line("A1", "speed test: write-up A", 0.1)) == 2


def test_an_unknown_row_is_an_error():
    with pytest.raises(KeyError):
        verdict(Line("A2", "no such row", 1.0))


def test_slips_are_resolved_where_there_are_some():
    assert {name for name in FIGURES if slips(name)} == {"A2", "A5", "B", "C2", "C4", "E"}
