"""Programs in C++ that include the package's headers, and look inside."""

import shutil
import subprocess
from pathlib import Path

import pytest

import cs336_bpe

PACKAGE = Path(cs336_bpe.__file__).parent


def built(source, *options, folder):
    """Compile a program, with private parts made public, in `folder`."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++")
    program = folder / "program"
    rooms = (f"-I{PACKAGE / room}" for room in ("native", "pretokenize", "encode", "train"))
    subprocess.run([compiler, "-std=c++17", "-O1", *(f"-D{option}" for option in options),
                    "-pthread", "-Dprivate=public", *rooms, source, "-o", program], check=True)
    return program
