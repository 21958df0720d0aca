"""Words and pairs that were made to collide, by somebody who knows the secret of the hashes."""

import subprocess
from pathlib import Path

import pytest
from native.programs import built

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("tables", ["COUNTS", "WORDS", "RANKS", "CACHE"])
def test_entries_that_collide_move_a_table_once(tables, tmp_path):
    program = built(Path(__file__).with_name("check_tables.cpp"), tables, folder=tmp_path)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("tables", ["COUNT", "CACHE", "RANKS", "NUMBERS", "TRAIN"])
def test_crafted_words_look_at_few_places_more_than_random_ones(tables, tmp_path):
    """Twice 20,000 words, and all places that were looked at, those before a table moved too."""
    program = built(ROOT / "benchmarks" / "crafted_words.cpp", tables, folder=tmp_path)
    done = subprocess.run([program, "20000"], capture_output=True, text=True, check=True,
                          timeout=600)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    places = {(table, words): int(number) for table, words, _, _, number in rows}
    assert len(places) == len(rows) >= 3
    for table in {table for table, _ in places}:
        random = places[table, "random"]
        assert 40_000 <= random <= 200_000
        assert places[table, "another secret"] <= 1.2 * random
        assert places[table, "this secret"] <= 3 * random
