"""Tables fit the width that they are given, and lose nothing."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cs336_bpe.common.tables import as_text

WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=1, max_size=6).map(" ".join)
NUMBERS = st.integers(0, 10**9).map("{:,}".format)


@st.composite
def tables(draw):
    columns = draw(st.integers(2, 7))
    row = st.tuples(WORDS, *[NUMBERS] * (columns - 2), WORDS)
    header = draw(st.tuples(*[WORDS] * columns))
    return [header, *draw(st.lists(row, min_size=1, max_size=4))]


def without_space(text):
    return sorted(re.sub(r"[\s-]+", "", text))


@settings(max_examples=200)
@given(tables(), st.integers(40, 120))
def test_no_line_is_wider(cells, width):
    text = as_text(cells, width)
    assert max(map(len, text.splitlines())) <= width
    assert all(word in text for row in cells[1:] for cell in row for word in cell.split())


@given(tables())
def test_without_a_width_a_row_is_a_line(cells):
    assert len(as_text(cells).splitlines()) == len(cells) + 1


@given(tables())
def test_a_table_that_fits_stays_as_it_is(cells):
    text = as_text(cells)
    assert as_text(cells, max(map(len, text.splitlines()))) == text


@pytest.mark.parametrize("width", [1, 5, 12, 20])
def test_very_narrow(width):
    cells = [("text", "bytes per token", "why"), ("stories", "4.06", "short words")]
    shown = as_text(cells, width)
    assert without_space(shown) == without_space(
        "stories bytes per token: 4.06 why: short words")
