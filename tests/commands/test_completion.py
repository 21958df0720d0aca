"""Completion: bash runs its script; those for other shells are read as these shells read them."""

import re
import shlex
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


@pytest.mark.parametrize("shell", [
    "bash", *(pytest.param(shell, marks=pytest.mark.needs(shell)) for shell in ("zsh", "fish"))])
def test_the_shell_itself_reads_it(shell, tmp_path):
    """bash is everywhere. For the others, the tests below read their scripts instead."""
    path = tmp_path / "script"
    path.write_text(SCRIPTS[shell](read_commands()))
    subprocess.run([shell, "-n", path], check=True, capture_output=True)


def values_of(slot):
    """What an option or an argument is completed by."""
    return set(slot.words) or ("files" if slot.files else None)


def test_fish_is_told_each_option():
    """Each line is a call of fish's `complete`, with the options of its manual."""
    commands = read_commands()
    told, arguments, first = {}, {}, set()
    for line in SCRIPTS["fish"](commands).splitlines()[2:]:
        word, *words = shlex.split(line)
        assert word == "complete"
        given = {"s": [], "l": []}
        while words:
            option = words.pop(0)
            assert re.fullmatch("-[cnasldrF]", option), line
            if option in ("-s", "-l"):
                given[option[1]].append(words.pop(0))
            else:
                given[option[1]] = True if option in ("-r", "-F") else words.pop(0)
        assert given["c"] == "cs336-bpe"
        values = set(given["a"].split()) if "a" in given else "files" if "F" in given else None
        if given["n"] == "__fish_use_subcommand":
            first |= values
            continue
        [command] = re.fullmatch(r"__fish_seen_subcommand_from (\S+)", given["n"]).groups()
        names = [*(f"-{name}" for name in given["s"]), *(f"--{name}" for name in given["l"])]
        if not names:
            arguments.setdefault(command, []).append(values)
        for name in names:
            told[command, name] = ("r" in given, values)
    assert first == {command.name for command in commands}
    assert told == {(command.name, name): (slot.takes_value, values_of(slot))
                    for command in commands for slot in command.options for name in slot.names}
    for command in commands:
        expected = [values_of(slot) for slot in command.arguments if slot.words or slot.files]
        assert arguments.get(command.name, []) == expected


ZSH_OPTION = re.compile(
    r"\*(?P<name>--?[\w-]+)\[(?:[^\[\]:\\]|\\.)*\](?P<value>:[a-z]+:(?:\(.*\)|_files| ))?")
ZSH_ARGUMENT = re.compile(r"(?:\*|\d+)(?P<value>:[a-z]+:(?:\(.*\)|_files| ))")


def zsh_values(value):
    """What is after the second colon: words, a function, or nothing."""
    if value is None or value.endswith(": "):
        return None
    return "files" if value.endswith(":_files") else set(value.split(":(")[1].rstrip(")").split())


def test_zsh_is_told_each_option():
    """The arms of a `case`, each of which calls `_arguments` with what its manual calls specs."""
    commands = read_commands()
    script = SCRIPTS["zsh"](commands)
    assert script.startswith("#compdef cs336-bpe\n")
    names, = re.findall(r"    commands=\(\n(.*?)\n    \)\n", script, re.S)
    assert [word.partition(":")[0] for word in shlex.split(names)] == list(COMMANDS)
    begin, end = '    case "$words[1]" in\n', '\n    esac\n}\n\n_cs336_bpe "$@"'
    assert script.endswith(end)
    arms = script[script.index(begin) : -len(end)]
    arms = re.findall(r"    ([\w-]+)\)\n        _arguments \\\n(.*?)\n        ;;", arms, re.S)
    assert [name for name, _ in arms] == list(COMMANDS)
    for command, (_, specs) in zip(commands, arms, strict=True):
        assert all(line.endswith(" \\") for line in specs.splitlines()[:-1])
        found, arguments = {}, []
        for spec in shlex.split(specs.replace("\\\n", "")):
            option, argument = ZSH_OPTION.fullmatch(spec), ZSH_ARGUMENT.fullmatch(spec)
            assert option or argument, spec
            if option:
                value = option["value"]
                found[option["name"]] = (value is not None, zsh_values(value))
            else:
                arguments.append(zsh_values(argument["value"]))
        assert found == {name: (slot.takes_value, values_of(slot))
                         for slot in command.options for name in slot.names}
        assert arguments == [values_of(slot) for slot in command.arguments]
