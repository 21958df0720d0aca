"""Words and pairs that were made to collide, by somebody who knows the secret of the hashes."""

import shutil
import subprocess
from pathlib import Path

import pytest

import cs336_bpe

PACKAGE = Path(cs336_bpe.__file__).parent


@pytest.mark.parametrize("tables", ["COUNTS", "RANKS", "CACHE"])
def test_entries_that_collide_move_a_table_once(tables, tmp_path):
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++")
    program = tmp_path / "check"
    subprocess.run([compiler, "-std=c++17", "-O1", f"-D{tables}", "-Dprivate=public",
                    *(f"-I{PACKAGE / room}" for room in ("native", "pretokenize", "encode")),
                    Path(__file__).with_name("check_tables.cpp"), "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout
