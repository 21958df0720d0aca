"""Words and pairs that were made to collide, by somebody who knows the secret of the hashes."""

import shutil
import subprocess
from pathlib import Path

import pytest

import cs336_bpe

PACKAGE = Path(cs336_bpe.__file__).parent
ROOT = Path(__file__).resolve().parents[2]


def built(source, *options, folder):
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++")
    program = folder / "program"
    rooms = (f"-I{PACKAGE / room}" for room in ("native", "pretokenize", "encode", "train"))
    subprocess.run([compiler, "-std=c++17", "-O1", *(f"-D{option}" for option in options),
                    "-pthread", "-Dprivate=public", *rooms, source, "-o", program], check=True)
    return program


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
