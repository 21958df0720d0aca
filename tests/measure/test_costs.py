"""`cs336-bpe machine`: every step is measured, and shown as text and as JSON."""

import json
from pathlib import Path

from cs336_bpe.cli import main
from cs336_bpe.measure.costs import CACHE_SIZES, least_seconds, measure_costs

DOCS = Path(__file__).parent.parent.parent / "docs/machine"


def test_it_repeats():
    calls = []
    assert least_seconds(lambda: calls.append(1), repeats=3) >= 0
    assert len(calls) == 3


def test_every_step_is_measured():
    costs = list(measure_costs())
    names = [cost.what for cost in costs]
    assert len(set(names)) == len(names) == 14
    assert all(f"read at random from {size:,} kB" in names for size in CACHE_SIZES)
    assert all(0 < cost.nanoseconds < 1e9 for cost in costs)
    assert all((DOCS / f"{cost.page}.md").exists() for cost in costs)


def test_the_command(capsys):
    assert main(["machine"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("Python: add two numbers") for line in lines)
    assert main(["machine", "--json"]) == 0
    saved = json.loads(capsys.readouterr().out)
    assert len(saved["costs"]) == 14
    assert saved["machine"]["cores"]
