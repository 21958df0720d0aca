"""What all commands do alike: common options, results, notes and progress.

What was asked for goes to standard output, as text or with `--json` as one JSON object. Everything
else (progress, notes, errors) goes to standard error.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import perf_counter
from typing import Any, BinaryIO

from cs336_bpe.commands.errors import ReaderIsGone

SECONDS_BETWEEN_LINES = 10.0

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


def note(options: argparse.Namespace, text: str) -> None:
    if not options.quiet:
        print(text, file=sys.stderr)


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


class StandardOutput:
    """Standard output for bytes."""

    name = "standard output"

    def write(self, data: Any) -> None:
        with watching_the_reader():
            sys.stdout.buffer.write(data)

    def flush(self) -> None:
        with watching_the_reader():
            sys.stdout.buffer.flush()


def standard_input() -> BinaryIO:
    return sys.stdin.buffer


# --- Progress ------------------------------------------------------------------------------


@contextmanager
def progress_of(options: argparse.Namespace) -> Iterator[Callback | None]:
    """A function to report progress to: a bar on a terminal, plain lines elsewhere."""
    if options.quiet:
        yield None
        return
    shown: _Bars | _Lines = _Bars() if sys.stderr.isatty() else _Lines()
    try:
        yield shown
    finally:
        shown.finish()


class _Bars:
    """A bar for each phase."""

    def __init__(self) -> None:
        self.phase = ""
        self.bar: Any = None

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != self.phase or self.bar is None or done < self.bar.n:
            from cs336_bpe.common.progress import Bar

            self.finish()
            unit = " merges" if phase == "merge" else "B"
            self.phase = phase
            self.bar = Bar(total=total or None, desc=phase, unit=unit, unit_scale=True)
        self.bar.update(done - self.bar.n)

    def finish(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class _Lines:
    """A line when a phase ends, and now and then while it lasts: for files and pipes.

    >>> import contextlib
    >>> lines = _Lines()
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     lines("count", 4_200_000, 9_000_000)
    ...     lines("count", 9_000_000, 9_000_000)
    ...     lines("merge", 500, 800)
    ...     lines.finish()  # doctest: +ELLIPSIS
    count: 9.0 MB, ... s
    merge: 500 of 800, ... s
    """

    def __init__(self) -> None:
        self.phase, self.done, self.total = "", 0, 0
        self.start = self.last_line = perf_counter()

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = perf_counter()
        if phase != self.phase or done < self.done:
            self.finish()
            self.start = self.last_line = now
        self.phase, self.done, self.total = phase, done, total
        if now - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = now
            self.write()

    def finish(self) -> None:
        if self.phase:
            self.write()
        self.phase, self.done = "", 0

    def write(self) -> None:
        amount = f"{self.done:,}" if self.phase == "merge" else megabytes(self.done)
        if self.total > self.done:
            total = f"{self.total:,}" if self.phase == "merge" else megabytes(self.total)
            amount = f"{amount} of {total}"
        seconds = perf_counter() - self.start
        with suppress(OSError):  # that nobody reads this is no reason to stop
            print(f"{self.phase}: {amount}, {seconds:.1f} s", file=sys.stderr, flush=True)


def megabytes(number: float) -> str:
    """
    >>> megabytes(21_460_000), megabytes(2_227_753_162), megabytes(999), megabytes(999_960)
    ('21.5 MB', '2.23 GB', '999 B', '1,000.0 kB')
    """
    if number < 1_000:
        return f"{number:.0f} B"
    if number < 1_000_000:
        return f"{number / 1e3:,.1f} kB"
    if number < 1_000_000_000:
        return f"{number / 1e6:,.1f} MB"
    return f"{number / 1e9:,.2f} GB"
