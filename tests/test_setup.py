"""setup.py with a compiler, without one, and with a module that does not compile."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("Cython")
pytest.importorskip("setuptools")

SETUP = Path(__file__).parent.parent / "setup.py"
SMALL = "# distutils: language = c++\ndef answer():\n    return 42\n"
BROKEN = 'cdef extern from *:\n    """\n    #error broken\n    """\n'


def build(folder, source, **environment):
    """What setup.py says about a package of one module, and the modules that it makes."""
    room = folder / "cs336_bpe" / "room"
    room.mkdir(parents=True)
    (room / "small.pyx").write_text(source, encoding="utf-8")
    shutil.copy(SETUP, folder)
    done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder,
                          env=os.environ | environment, capture_output=True, text=True)
    return done, [path for path in room.iterdir() if path.suffix in (".so", ".pyd")]


@pytest.mark.skipif(not shutil.which("g++"), reason="there is no g++")
def test_with_a_compiler(tmp_path):
    done, made = build(tmp_path, SMALL)
    assert done.returncode == 0, done.stderr
    assert "building 1 module" in done.stderr
    assert len(made) == 1


@pytest.mark.skipif(os.name == "nt", reason="the compiler is found in another way")
def test_without_a_compiler_nothing_is_built_and_that_is_said(tmp_path):
    done, made = build(tmp_path, SMALL, CC="/bin/false", CXX="/bin/false")
    assert done.returncode == 0, done.stderr
    assert "no C++ compiler" in done.stderr
    assert made == []


@pytest.mark.skipif(not shutil.which("g++"), reason="there is no g++")
def test_what_does_not_compile_is_an_error(tmp_path):
    done, made = build(tmp_path, SMALL + BROKEN)
    assert done.returncode != 0
    assert "no C++ compiler" not in done.stderr
    assert made == []
