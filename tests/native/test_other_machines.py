"""The scanner compiled for another machine, and run by an emulator, where both are installed.

The path without SIMD is also compiled for this machine, whatever is installed, and
tests/pretokenize/test_scanner.py tries all paths that this machine has.

    apt install g++-aarch64-linux-gnu g++-s390x-linux-gnu qemu-user-static
"""

import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
import regex

from cs336_bpe.native import classes
from cs336_bpe.native.masked_patterns import MASKED_PATTERNS

HERE = Path(__file__).parent
NATIVE = Path(classes.__file__).parent
PIECES = ["'", "'s", "'LL", "'ſ", "ve", " ", "   ", "\n", "\r\n", "\t", "\xa0", "\u3000", "\x85",
          "a", "é", "жук", "猫", "한국", "ที่", "𝒳", "0", "1234", "٣", "𝟘", "１２",
          "AB", "猫A", "/", "\n/", "!", "--", "…", "🙂", "\u0301"]


def with_size(data):
    return struct.pack("<I", len(data)) + data


def texts_and_starts(number):
    rng = random.Random(0)
    splits = [regex.compile(pattern) for pattern in MASKED_PATTERNS.values()]
    for _ in range(number):
        few = rng.sample(PIECES, rng.choice([2, 4, 10]))
        text = "x" * rng.randrange(66) + "".join(rng.choices(few, k=rng.randrange(40)))
        yield with_size(text.encode())
        for split in splits:
            starts, at = [], 0
            for pretoken in split.findall(text):
                starts.append(at)
                at += len(pretoken.encode())
            yield struct.pack(f"<I{len(starts)}I", len(starts), *starts)


def machine(compiler, emulator, path):
    return pytest.param(compiler, emulator, path, marks=pytest.mark.needs(compiler, emulator))


@pytest.mark.parametrize(("compiler", "emulator", "path"), [
    machine("aarch64-linux-gnu-g++", "qemu-aarch64-static", "neon"),
    machine("s390x-linux-gnu-g++", "qemu-s390x-static", "portable"),  # the other order of bytes
])
def test_the_scanner_on(tmp_path, compiler, emulator, path):
    check(tmp_path, [compiler, "-static"], [emulator], path)


@pytest.mark.skipif(not shutil.which("g++"), reason="there is no g++")
def test_the_scanner_of_a_compiler_without_builtins(tmp_path):
    check(tmp_path, ["g++", "-DCS336_BPE_NO_BUILTINS", "-DCS336_BPE_PORTABLE"], [], "portable")


def check(tmp_path, compiler, emulator, path):
    program, tables, texts = tmp_path / "check", tmp_path / "tables", tmp_path / "texts"
    subprocess.run([*compiler, "-O2", f"-I{NATIVE}", HERE / "check_paths.cpp", "-o", program],
                   check=True)
    tables.write_bytes(b"".join(map(with_size, [*classes.tables(), *classes.case_tables()])))
    texts.write_bytes(b"".join(texts_and_starts(1000)))
    done = subprocess.run([*emulator, program, tables, texts], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert path in done.stdout
    assert "scanned 1000 texts" in done.stdout
