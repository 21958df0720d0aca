"""`completion`: a script for a shell, written from the parsers of all commands."""

import argparse
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cs336_bpe.commands import COMMANDS
from cs336_bpe.commands.console import add_common, print_result
from cs336_bpe.commands.parser import Parser, configure
from cs336_bpe.rules import PATTERNS

PROGRAM = "cs336-bpe"
FILE_NAMES = re.compile(r"(FILE|PATH|DIR|FOLDER|OUT|IN|A|B)\b")  # what a name for files begins with

HOW = {
    "bash": "source <(cs336-bpe completion bash)      # in ~/.bashrc",
    "zsh": "cs336-bpe completion zsh > _cs336-bpe    # in a folder of $fpath",
    "fish": "cs336-bpe completion fish > ~/.config/fish/completions/cs336-bpe.fish",
}


def configure_completion(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "\n".join([
        "Print a script that lets a shell complete commands, options and their values:", "",
        *(f"  {line}" for line in HOW.values())])
    parser.add_argument("shell", metavar="SHELL", choices=list(SCRIPTS),
                        help=f"one of {', '.join(SCRIPTS)}")
    add_common(parser)


def run_completion(options: argparse.Namespace) -> int:
    script = SCRIPTS[options.shell](read_commands())
    print_result(options, {"shell": options.shell, "script": script}, script)
    return 0


# --- What there is to complete ---------------------------------------------------------------


@dataclass(frozen=True)
class Slot:
    """An option, or an argument without a name: what may stand there."""

    names: tuple[str, ...]  # of an option
    what: str
    words: tuple[str, ...]  # of which one is chosen
    files: bool
    takes_value: bool
    repeated: bool

    @property
    def short(self) -> list[str]:
        return [name for name in self.names if not name.startswith("--")]

    @property
    def long(self) -> list[str]:
        return [name for name in self.names if name.startswith("--")]


@dataclass(frozen=True)
class Described:
    """A command with its options and arguments."""

    name: str
    summary: str
    options: tuple[Slot, ...]
    arguments: tuple[Slot, ...]


def read_commands() -> list[Described]:
    """All commands, from their parsers."""
    described = []
    for name, command in COMMANDS.items():
        parser = Parser(prog=f"{PROGRAM} {name}")
        configure(parser, name)
        options = dict.fromkeys(parser.options().values())
        described.append(Described(name, command.summary, tuple(map(read_slot, options)),
                                   tuple(map(read_slot, parser.positionals()))))
    return described


def read_slot(action: argparse.Action) -> Slot:
    metavar = str(action.metavar or "")
    words = tuple(map(str, action.choices or ()))
    if not words and metavar == "NAME|REGEX":
        words = tuple(PATTERNS)
    help_text = " ".join((action.help or "").split())
    return Slot(tuple(action.option_strings), re.split(r"; | \(|: ", help_text)[0].strip(),
                words, not words and bool(FILE_NAMES.match(metavar.rpartition("|")[2])),
                action.nargs != 0, action.nargs in ("*", "+"))


# --- bash ------------------------------------------------------------------------------------


def bash(commands: list[Described]) -> str:
    """Words for the place of the cursor come from two `case`s: on the command, on the option."""
    lines = [
        f"# Completion of {PROGRAM} for bash:  {HOW['bash']}",
        "_cs336_bpe() {",
        '    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"',
        '    local options="" words="" files=""',
        "    COMPREPLY=()",
        '    if [[ "$prev" == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi',
        '    if [[ "$cur" == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-1]}"; cur=""; fi',
        "    if (( COMP_CWORD == 1 )); then",
        f'        words="{" ".join(one.name for one in commands)} --help --version"',
        "    else",
        '        case "${COMP_WORDS[1]}" in',
    ]
    for one in commands:
        lines += [f"        {one.name})", *(f"            {line}" for line in bash_command(one)),
                  "            ;;"]
    return "\n".join([
        *lines,
        "        esac",
        "    fi",
        '    if [[ "$cur" == -* && -n "$options" ]]; then words="$options" files=""; fi',
        '    if [[ -n "$words" ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi',
        '    if [[ -n "$files" ]]; then',
        "        local IFS=$'\\n'",
        '        COMPREPLY+=($(compgen -f -- "$cur"))',
        "    fi",
        "}",
        f"complete -o filenames -F _cs336_bpe {PROGRAM}"])


def bash_command(one: Described) -> Iterator[str]:
    yield f'options="{" ".join(name for slot in one.options for name in slot.names)}"'
    yield 'case "$prev" in'
    for slot in one.options:
        if slot.takes_value:
            # After an option with a value there is no other option.
            yield f"    {'|'.join(slot.names)}) options=\"\" {bash_values(slot)};;"
    words = " ".join(word for slot in one.arguments for word in slot.words)
    files = any(slot.files for slot in one.arguments)
    yield f"    *) words=\"{words}\" files={'yes' if files else ''};;"
    yield "esac"


def bash_values(slot: Slot) -> str:
    return f"words=\"{' '.join(slot.words)}\" files={'yes' if slot.files else ''}"


# --- zsh -------------------------------------------------------------------------------------


def zsh(commands: list[Described]) -> str:
    lines = [f"#compdef {PROGRAM}", f"# Completion for zsh:  {HOW['zsh']}", "",
             "_cs336_bpe() {", "    local -a commands", "    commands=("]
    lines += [f"        {quoted(one.name + ':' + one.summary)}" for one in commands]
    lines += ["    )", "    if (( CURRENT == 2 )); then", "        _describe command commands",
              "        return", "    fi", "    shift words", "    (( CURRENT-- ))",
              '    case "$words[1]" in']
    for one in commands:
        lines.append(f"    {one.name})")
        specs = [spec for slot in one.options for spec in zsh_option(slot)]
        specs += [("*" if slot.repeated else str(place)) + zsh_value(slot)
                  for place, slot in enumerate(one.arguments, 1)]
        lines.append("        _arguments \\")
        lines += [f"            {quoted(spec)} \\" for spec in specs[:-1]]
        lines += [f"            {quoted(specs[-1])}", "        ;;"]
    return "\n".join([*lines, "    esac", "}", "", '_cs336_bpe "$@"'])


def zsh_option(slot: Slot) -> Iterator[str]:
    what = re.sub(r"([\[\]:\\])", r"\\\1", slot.what)
    for name in slot.names:
        yield f"*{name}[{what}]{zsh_value(slot) if slot.takes_value else ''}"


def zsh_value(slot: Slot) -> str:
    if slot.words:
        return f":value:({' '.join(slot.words)})"
    return ":file:_files" if slot.files else ":value: "


# --- fish ------------------------------------------------------------------------------------


def fish(commands: list[Described]) -> str:
    lines = [f"# Completion of {PROGRAM} for fish:  {HOW['fish']}",
             f"complete -c {PROGRAM} -f"]
    lines += [f"complete -c {PROGRAM} -n __fish_use_subcommand -a {one.name} "
              f"-d {quoted(one.summary)}" for one in commands]
    for one in commands:
        begin = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {one.name}'"
        for slot in one.options:
            names = [f"-s {name[1:]}" for name in slot.short]
            names += [f"-l {name[2:]}" for name in slot.long]
            lines.append(" ".join([begin, *names, *fish_values(slot), "-d", quoted(slot.what)]))
        for slot in one.arguments:
            if slot.words or slot.files:
                lines.append(" ".join([begin, *fish_values(slot)]).replace(" -r", ""))
    return "\n".join(lines)


def fish_values(slot: Slot) -> list[str]:
    if slot.words:
        return ["-r", "-a", quoted(" ".join(slot.words))]
    if slot.files:
        return ["-r", "-F"]
    return ["-r"] if slot.takes_value else []


def quoted(text: str) -> str:
    """
    >>> print(quoted("don't"))
    'don'\\''t'
    """
    return "'" + text.replace("'", "'\\''") + "'"


SCRIPTS: dict[str, Callable[[list[Described]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
