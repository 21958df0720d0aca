"""The command line: `cs336-bpe`, or `python -m cs336_bpe`. The commands are in `commands/`."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from cs336_bpe._version import __version__
from cs336_bpe.commands import COMMANDS
from cs336_bpe.commands.console import package_notes
from cs336_bpe.commands.errors import ReaderIsGone, UsageError, in_one_line

FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    debug = "--debug" in arguments
    try:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # so that no token is unprintable anywhere
                stream.reconfigure(errors="backslashreplace")
        parser = make_parser(arguments[0] if arguments else None)
        options = parser.parse_args(arguments)
        try:
            with package_notes(options):
                result = options.run(options)
        except UsageError as error:
            options.parser.error(str(error))
        assert isinstance(result, int)
        return result
    except KeyboardInterrupt:
        if debug:
            raise
        complain("interrupted")
        return INTERRUPTED
    except ReaderIsGone:
        return PIPE_CLOSED
    except Exception as error:
        if debug:
            raise
        complain(in_one_line(error))
        return FAILED


def make_parser(command: str | None) -> argparse.ArgumentParser:
    """The parser for a command line that begins with this command.

    The arguments of other commands are not added, because that would import their modules.
    """
    parser = argparse.ArgumentParser(
        prog="cs336-bpe", description="Byte-level BPE: train, encode, decode, look inside.",
        epilog="'cs336-bpe COMMAND --help' says more about a command, with an example.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for name, (module_name, summary, example) in COMMANDS.items():
        one = commands.add_parser(name, help=summary, epilog=f"example: {example}")
        if name == command:
            module = import_module(f"cs336_bpe.commands.{module_name}")
            function = name.replace("-", "_")
            getattr(module, f"configure_{function}")(one)
            one.set_defaults(run=getattr(module, f"run_{function}"), parser=one)
    return parser


def complain(message: str) -> None:
    # The terminal may have a progress bar half-drawn.
    print(f"cs336-bpe: {message}", file=sys.stderr)


