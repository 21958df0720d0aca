"""What all commands do alike: common options, results, notes and progress.

What was asked for goes to standard output, as text or with `--json` as one JSON object. Everything
else (progress, notes, errors) goes to standard error.
"""

import argparse
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from cs336_bpe.commands.errors import ReaderIsGone
from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.progress import Bars, Lines
from cs336_bpe.common.tables import terminal_width

Callback = Callable[[str, int, int], None]


def add_common(parser: argparse.ArgumentParser, *, json_file: bool = False) -> None:
    """The options that every command has."""
    parser.add_argument("--quiet", action="store_true",
                        help="no progress, no notes and no summary; only what was asked for")
    if json_file:
        parser.add_argument("--json", nargs="?", const="-", metavar="FILE",
                            help="results as JSON instead of text; with FILE, saved there as well")
    else:
        parser.add_argument("--json", action="store_true",
                            help="results as JSON on standard output, instead of text")
    parser.add_argument("--debug", action="store_true", help="show a traceback on errors")


def print_result(options: argparse.Namespace, value: dict[str, Any], text: str, *,
                 summary: bool = False) -> None:
    """Print a result, as text or as JSON. A summary is what `--quiet` leaves out."""
    if options.json:
        write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
    elif not (summary and options.quiet):
        write_text(text + "\n")


def fitted(lines: Iterable[str]) -> list[str]:
    """Lines of prose, each wrapped if the terminal is not wide enough for it."""
    width = terminal_width()
    return [part for line in lines for part in
            ([line] if len(line) <= width else
             textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False))]


def save_json(options: argparse.Namespace, value: dict[str, Any]) -> None:
    """If `--json` names a file, write it there; what is printed is then text."""
    if options.json and options.json != "-":
        with atomic_writer(options.json) as file:
            file.write((json.dumps(value, indent=1) + "\n").encode())
        options.json = None


def note(options: argparse.Namespace, text: str) -> None:
    if not options.quiet:
        print(text, file=sys.stderr)


@contextmanager
def package_notes(options: argparse.Namespace) -> Iterator[None]:
    """What the package logs, such as that a pattern is slow, is a note like others."""
    import logging

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("cs336-bpe: note: %(message)s"))
    logger = logging.getLogger("cs336_bpe")
    before = logger.propagate, logger.level
    logger.propagate = False
    logger.setLevel(logging.ERROR if options.quiet else logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate, logger.level = before


# --- Standard output -----------------------------------------------------------------------


def write_text(text: str) -> None:
    with watching_the_reader():
        sys.stdout.write(text)
        sys.stdout.flush()


@contextmanager
def watching_the_reader() -> Iterator[None]:
    """Turn the error of a closed pipe into one that is not told to the user.

    Only around writing to standard output: a pipe to a process of our own that breaks is an
    error like any other.
    """
    try:
        yield
    except BrokenPipeError:
        # Or Python would try to flush again when it exits, and complain.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        raise ReaderIsGone from None


# --- Progress ------------------------------------------------------------------------------


@contextmanager
def progress_of(options: argparse.Namespace) -> Iterator[Callback | None]:
    """A function to report progress to: a bar on a terminal, plain lines elsewhere."""
    if options.quiet:
        yield None
        return
    sink: Bars | Lines = Bars() if sys.stderr.isatty() else Lines()
    with closing(sink) as shown:
        yield shown
