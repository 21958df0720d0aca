"""The examples of docs/commands/command_line.md, run in turn, print what the page says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "commands" / "command_line.md"


def examples():
    """Pairs of a command and what it prints."""
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    for block in blocks:
        for example in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = example.partition("\n")
            yield command, output


def without_measurements(text):
    text = re.sub(r"^(\w+) +\d+\.\d{3} +\d+  ", r"\1  ", text, flags=re.M)
    text = re.sub(r"… +[\d,]+$", "…", text, flags=re.M)  # characters, in some version of Unicode
    return re.sub(r'"seconds": [\d.e-]+', '"seconds": 0', text)


def test_examples(tmp_path, cs336):
    python = shlex.quote(sys.executable)
    found = list(examples())
    assert len(found) > 15
    for command, expected in found:
        line = command.replace("cs336-bpe ", f"{python} -m cs336_bpe ")
        done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, timeout=120,
                              encoding="utf-8", env=cs336.environment({}))
        assert done.returncode == 0, (command, done.stderr)
        assert without_measurements(done.stdout) == without_measurements(expected), command
