"""Text that ends where memory does: nothing is read behind it, or written."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import cs336_bpe

PACKAGE = Path(cs336_bpe.__file__).parent


@pytest.mark.skipif(sys.platform == "win32", reason="asks for memory as other systems do")
def test_nothing_is_read_behind_the_end(tmp_path):
    compiler = shutil.which("g++")
    headers = Path(sysconfig.get_path("include"))
    if compiler is None or not (headers / "Python.h").exists():
        pytest.skip("there is no g++, or no Python.h")
    program = tmp_path / "program"
    rooms = (f"-I{folder}" for folder in (PACKAGE / "native", PACKAGE / "decode", headers))
    subprocess.run([compiler, "-std=c++17", "-O1", *rooms,
                    Path(__file__).with_name("check_text.cpp"), "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout
