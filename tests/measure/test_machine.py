"""What is saved with a timing is what this machine and this build are."""

import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from cs336_bpe.measure.machine import describe_machine, read_machine
from cs336_bpe.native import build


def test_machine():
    machine = read_machine(["numpy", "regex"])
    assert machine["cores"] == os.cpu_count()
    assert machine["python"].endswith(platform.python_version())
    assert machine["packages"] == {name: importlib.metadata.version(name)
                                   for name in ("numpy", "regex")}
    assert machine["processor"] in describe_machine()


def test_the_build_knows_its_compiler_and_flags():
    assert any(letter.isdigit() for letter in build.COMPILER)
    flags = build.FLAGS.split()
    assert any(flag.startswith(("-O", "/O")) for flag in flags), "built without setup.py?"
    assert read_machine()["flags"] == build.FLAGS


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="only Linux tells it this way")
def test_memory():
    line = Path("/proc/meminfo").read_text().splitlines()[0]
    assert read_machine()["memory_bytes"] == int(line.split()[1]) * 1024


def test_without_compiled_modules():
    """The plain Python stages can be measured before anything was built."""
    code = ("import sys; sys.modules['cs336_bpe.native.build'] = None\n"
            "from cs336_bpe.measure.machine import read_machine\n"
            "print(read_machine()['compiler'])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "None", done.stderr
