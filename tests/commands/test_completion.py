"""Completion: bash runs its script; those for other shells have everything in them."""

import shutil
import subprocess

import pytest

from cs336_bpe.commands import COMMANDS
from cs336_bpe.commands.completion import SCRIPTS, read_commands

CASES = {
    "t": {"train"}, "me": {"merge-counts"}, "--v": {"--version"},
    "train --vo": {"--vocab-size"}, "train --tie-break ": {"lexicographic", "huggingface"},
    "train --vocab-size ": set(), "train some.txt -": None,
    "train some": {"some.txt", "some folder"},
    "train -o some": {"some.txt", "some folder"}, "convert x --to h": {"huggingface"},
    "convert x --to = h": {"huggingface"}, "fetch tinystories-v": {"tinystories-valid"},
    "pattern gpt4": {"gpt4", "gpt4o"}, "encode some.txt -t some.": {"some.txt"},
    "completion ": {"bash", "zsh", "fish"}, "no-such-command ": set(),
}


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash(tmp_path):
    (tmp_path / "some.txt").write_text("")
    (tmp_path / "some folder").mkdir()
    script = SCRIPTS["bash"](read_commands())
    lines = [script, "try() { COMP_WORDS=(cs336-bpe \"$@\"); COMP_CWORD=$#; _cs336_bpe",
             "printf '%s\\n' \"${COMPREPLY[@]}\"; echo .; }"]
    for line in CASES:
        *words, last = line.split(" ")
        lines.append("try " + " ".join(f"'{word}'" for word in [*words, last]))
    lines.append("complete -p cs336-bpe")
    done = subprocess.run(["bash", "--norc", "-c", "\n".join(lines)], cwd=tmp_path, text=True,
                          capture_output=True, check=True)
    assert done.stderr == ""
    *answers, last = split(done.stdout)
    assert last == ["complete -o filenames -F _cs336_bpe cs336-bpe"]
    for (line, expected), answer in zip(CASES.items(), answers, strict=True):
        if expected is None:
            assert {"-o", "--out", "--special", "--help"} <= set(answer), line
        else:
            assert set(answer) - {""} == expected, line


def split(output):
    """The lines between lines with a point."""
    parts = [[]]
    for line in output.splitlines():
        if line == ".":
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


@pytest.mark.parametrize("shell", SCRIPTS)
def test_everything_is_there(shell):
    commands = read_commands()
    script = SCRIPTS[shell](commands)
    assert [command.name for command in commands] == list(COMMANDS)
    for command in commands:
        assert command.name in script
        for slot in command.options:
            for name in slot.names:
                assert (name if shell != "fish" else name.lstrip("-")) in script
            for word in slot.words:
                assert word in script


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_shell_itself_reads_it(shell, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    path = tmp_path / "script"
    path.write_text(SCRIPTS[shell](read_commands()))
    subprocess.run([shell, "-n", path], check=True, capture_output=True)
