"""The list of mistakes fits the code: what each one changes is there, once."""

from pathlib import Path

import pytest
from mutants.mistakes import MISTAKES, TABLES, TEXT

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("file", sorted({one.file for one in MISTAKES}))
def test_what_is_to_be_changed_is_there_once(file):
    text = (ROOT / file).read_text()
    wrong = [one.name for one in MISTAKES if one.file == file
             and (text.count(one.old) != 1 or one.old == one.new)]
    assert not wrong, "write these mistakes anew, for the code as it is now"


def test_names_tests_and_modules():
    assert len({one.name for one in MISTAKES}) == len(MISTAKES)
    for one in MISTAKES:
        paths = [test for test in one.tests if test.startswith(("tests", "cs336_bpe"))]
        assert paths
        assert all((ROOT / path).exists() for path in paths), one.name
        for module in one.modules:
            assert (ROOT / "cs336_bpe" / (module.replace(".", "/") + ".pyx")).exists(), one.name
        compiled = one.file.endswith((".h", ".pxd", ".pyx")) and one.tests not in (TABLES, TEXT)
        assert bool(one.modules) == compiled, one.name
