"""The pages have every published row, and what they say in words is what was saved."""

import json
from pathlib import Path

import pytest

from cs336_bpe.reproduce import digits
from cs336_bpe.reproduce.published import FIGURES, rows_of
from cs336_bpe.reproduce.verdicts import shown_published

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("figure", FIGURES)
def test_every_row_is_on_its_page(figure):
    page = (ROOT / f"docs/published/{figure[0].lower()}.md").read_text(encoding="utf-8")
    block = page.partition(f"<!-- generated:published {figure} -->")[2].partition("<!-- /gen")[0]
    first_table = block.strip().partition("\n\n")[0]
    lines = [line.split(" | ") for line in first_table.splitlines()]
    for row in rows_of(figure):
        found = [line for line in lines if line[0] == f"| {row.name}"]
        assert len(found) == 1, row.name
        assert found[0][1] == shown_published(row)
        assert len(found[0][-1]) > 5  # a verdict


def test_no_rule_for_ties_explains_the_difference():
    """Which is what write-up A's page says."""
    saved = json.loads((ROOT / "benchmarks/results/reproduce_ties.json").read_text("utf-8"))
    ties = {row["tokens"] for row in saved["rows"] if row["what"].startswith("ties")}
    assert len(ties) == 4
    assert all(row["tokens"] != digits.PUBLISHED_TOKENS for row in saved["rows"])
    assert saved["carriage_returns"] == 0
