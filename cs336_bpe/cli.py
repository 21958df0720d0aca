"""The command line: `cs336-bpe`, or `python -m cs336_bpe`. The commands are in `commands/`."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from cs336_bpe._version import __version__
from cs336_bpe.commands import COMMANDS
from cs336_bpe.commands.console import package_notes
from cs336_bpe.commands.errors import ReaderIsGone, UsageError, in_one_line
from cs336_bpe.commands.parser import Parser, configure

FAILED, INTERRUPTED, PIPE_CLOSED = 1, 130, 141
DEADLY = 128  # plus the number of a signal: what a shell says of a program that it has ended


class Ended(KeyboardInterrupt):
    """The system, a scheduler or a closed terminal wants us to end: as with Ctrl-C, parts of files
    are removed and threads end first."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    debug = "--debug" in arguments
    words: Callable[[str], str] = str  # before a command is known
    try:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # so that no token is unprintable anywhere
                stream.reconfigure(errors="backslashreplace")
        arguments = asked_for_help(arguments)
        parser = make_parser(arguments[0] if arguments else None)
        options = parser.parse_args(arguments)
        words = options.parser.in_own_words
        try:
            with package_notes(options), ending_as_by_an_interrupt():
                result = options.run(options)
        except UsageError as error:
            options.parser.error(words(str(error)))
        assert isinstance(result, int)
        return result
    except Ended as error:
        if debug:
            raise
        complain(f"ended by {signal.Signals(error.number).name}")
        return DEADLY + error.number
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
        complain(in_one_line(error, words))
        return FAILED


@contextmanager
def ending_as_by_an_interrupt() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does, and not on the spot.

    One that is ignored, as SIGHUP is after `nohup`, stays so; and if somebody else has a handler,
    that is left alone.
    """
    if threading.current_thread() is not threading.main_thread():  # only that one can set handlers
        yield
        return
    here = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if os.getpid() == here:
            raise Ended(number)
        signal.signal(number, signal.SIG_DFL)  # a worker process: its parent cleans up
        os.kill(os.getpid(), number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [number for name in names
               if signal.getsignal(number := getattr(signal, name)) == signal.SIG_DFL]
    try:
        for number in numbers:
            signal.signal(number, end)
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def asked_for_help(arguments: list[str]) -> list[str]:
    """`help` and `help COMMAND` are what people type who don't know the command line yet.

    >>> asked_for_help(["help", "train"]), asked_for_help(["help"]), asked_for_help(["train"])
    (['train', '--help'], ['--help'], ['train'])
    """
    if arguments[:1] != ["help"]:
        return arguments
    return [*arguments[1:2], "--help"]


def make_parser(command: str | None) -> Parser:
    """The parser for a command line that begins with this command.

    The arguments of other commands are not added, because that would import their modules.
    """
    parser = Parser(
        prog="cs336-bpe", description="Byte-level BPE: train, encode, decode, look inside.",
        epilog="'cs336-bpe COMMAND --help' says more about a command, with an example.")
    parser.add_argument("--version", action="version", version=__version__)
    parser.commands = tuple(COMMANDS)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for name, (_, summary, example) in COMMANDS.items():
        one = commands.add_parser(name, help=summary, epilog=f"example: {example}")
        if name == command:
            configure(one, name)
    return parser


def complain(message: str) -> None:
    # The terminal may have a progress bar half-drawn.
    print(f"cs336-bpe: {message}", file=sys.stderr)


