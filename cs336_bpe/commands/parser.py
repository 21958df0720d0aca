"""The parser of the command line: what `argparse` does, with errors in one line and in our words.

`argparse` prints the whole usage before an error, and takes `--vocab_size` for a missing
`--vocab-size`. Here an error is one line, and what is misspelt is said first, with what was meant.
"""

import argparse
import difflib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

from cs336_bpe.commands import COMMANDS

WRONG_USAGE = 2

ALSO_CALLED = {"special_tokens": "--special", "n_bytes": "--bytes", "column": "--field",
               "input_path": "FILE"}
"""Arguments of our functions that have another name on the command line."""

GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+")


class Parser(argparse.ArgumentParser):
    """For one command; or for all of them, if `commands` has their names."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.commands: Sequence[str] = ()
        self._inside = False

    def parse_known_args(  # type: ignore[override]
            self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None,
    ) -> tuple[argparse.Namespace, list[str]]:
        if self._inside:
            return super().parse_known_args(args, namespace)
        args = list(sys.argv[1:] if args is None else args)
        if self.commands:
            self.check_command(args)
            return super().parse_known_args(args, namespace)
        self.check_options(args)
        self._inside = True  # what follows calls this method again
        try:
            # Files may be named before and after options; but that loses a "--".
            parse = super().parse_known_args if "--" in args else self.parse_known_intermixed_args
            options, rest = parse(args, namespace)
        finally:
            self._inside = False
        if rest:
            self.error(f"{rest[0]!r} is too much")
        assert options is not None
        return options, []

    def check_command(self, args: Sequence[str]) -> None:
        """Whether there is such a command, and no option that belongs after it."""
        if not args:
            self.error("give a command")
        if args[0].startswith("-"):
            if not self.knows(args[0]):
                self.error(f"unknown option {args[0]}; options of a command come after it")
        elif args[0] not in self.commands:
            self.error(f"there is no command {args[0]!r}{did_you_mean(args[0], self.commands)}")

    def check_options(self, args: Sequence[str]) -> None:
        """Whether all options are known. `argparse` would first say which others are missing."""
        for arg in args:
            if arg == "--":
                return
            name = arg.partition("=")[0]
            if re.match(r"--?[A-Za-z]", name) and " " not in name and not self.knows(name):
                known = [option for option in self.options() if option.startswith("--")]
                self.error(f"unknown option {name}{did_you_mean(name, known)}")

    def knows(self, name: str) -> bool:
        """Whether this is an option, or the beginning of one, or a short one with its value."""
        if name.startswith("--"):
            return any(option.startswith(name) for option in self.options())
        return name[:2] in self.options()

    def options(self) -> dict[str, argparse.Action]:
        """All options, by each of their names."""
        return {name: action for action in self._actions for name in action.option_strings}

    def positionals(self) -> list[argparse.Action]:
        return [action for action in self._actions if not action.option_strings]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = list(map(str, action.choices))
            raise argparse.ArgumentError(
                action, f"there is no {value!r}; choose from {', '.join(names)}"
                f"{did_you_mean(str(value), names)}")

    def error(self, message: str) -> NoReturn:
        message = " ".join(message.removeprefix("argument ").split())
        message = message.replace("the following arguments are required:", "missing:")
        message = message.replace("expected one argument", "a value is missing after it")
        message = re.sub("one of the arguments (.*) is required", r"give one of \1", message)
        self.exit(WRONG_USAGE, f"{self.prog}: {message} ('{self.prog} --help' says more)\n")

    def in_own_words(self, message: str) -> str:
        """An error of one of our functions, with the options' names for its arguments' names."""
        names = {action.dest: max(action.option_strings, key=len)
                 for action in self._actions if action.option_strings}
        names |= {name: option for name, option in ALSO_CALLED.items() if option in self.options()}
        return renamed(message, names)


def configure(parser: Parser, name: str) -> None:
    """Add the arguments of a command, and what runs it. Only its module is imported."""
    module = import_module(f"cs336_bpe.commands.{COMMANDS[name].module}")
    function = name.replace("-", "_")
    getattr(module, f"configure_{function}")(parser)
    parser.set_defaults(run=getattr(module, f"run_{function}"), parser=parser)


def renamed(message: str, names: Mapping[str, str]) -> str:
    """
    >>> names = {"vocab_size": "--vocab-size", "errors": "--errors", "special_tokens": "--special"}
    >>> renamed("vocab_size is 100; it must be at least 256", names)
    '--vocab-size is 100; it must be at least 256'
    >>> renamed("not UTF-8; pass errors='replace', or ask for a larger vocab_size", names)
    'not UTF-8; pass --errors replace, or ask for a larger --vocab-size'
    >>> renamed("special_tokens[1] is '<|a|>', which is there already", names)
    "--special is '<|a|>', which is there already"

    Words that are no names, and names of files, stay:

    >>> renamed("no errors in vocab_size.txt", names)
    'no errors in vocab_size.txt'
    """
    any_name = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if not any_name:
        return message
    alone = rf"(?<![\w./=-])({any_name})"
    message = re.sub(rf"\(({any_name})=, (--[\w-]+)\)", r"(\2)", message)
    message = re.sub(rf"{alone}=(?:'([^']*)'|(\w+))(?: or '(\w+)')?",
                     lambda found: f"{names[found[1]]} {found[2] or found[3] or repr('')}"
                     + (f" or {found[4]}" if found[4] else ""), message)
    message = re.sub(rf"^({any_name})(?:\[\d+\])?(?= (?:is|has|must) )",
                     lambda found: names[found[1]], message)
    return re.sub(rf"{alone}(?:\[\d+\])?(?![\w./=-]*[\w/=-])",
                  lambda found: names[found[1]] if "_" in found[1] else found[0], message)


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """
    >>> did_you_mean("trian", ["train", "encode"]), did_you_mean("hf", ["gpt2", "huggingface"])
    ("; did you mean 'train'?", "; did you mean 'huggingface'?")
    >>> did_you_mean("xyz", ["train", "encode"])
    ''
    """
    names = list(names)
    plain = word.lower().replace("_", "-")
    found = difflib.get_close_matches(plain, names, 1) or [
        name for name in names if shortens(plain, name)]
    return f"; did you mean {found[0]!r}?" if len(found) == 1 else ""


def shortens(short: str, name: str) -> bool:
    """Whether these are letters of the name, in their order, and its first among them."""
    rest = iter(name)
    return len(short) > 1 and short[0] == name[:1] and all(letter in rest for letter in short)


def whole_number(text: str) -> int:
    """
    >>> whole_number("32000"), whole_number("32,000"), whole_number("32_000")
    (32000, 32000, 32000)
    """
    try:
        return int(text.replace(",", "") if GROUPED.fullmatch(text) else text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def any_number(text: str) -> float:
    """
    >>> any_number("0.1")
    0.1
    """
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
