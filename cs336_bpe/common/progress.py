"""Progress: one callback for everything that takes long.

`progress` may be `None` (say nothing), `True` (a bar on standard error) or a function that is
called as `progress(phase, done, total)`: the phase is "merge" (in merges), or one of "count",
"encode", "decode", "download", "check", "unpack", "read" and "copy" (in bytes), and `done` reaches
its last value in a last call. What the function raises stops the work and reaches the caller.

`Bars` and `Lines` are two such functions, for a terminal and for everything else.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from time import perf_counter
from typing import Any, Literal

from cs336_bpe.common.amounts import readable_size

Progress = Callable[[str, int, int], None] | Literal[True] | None

SECONDS_BETWEEN_CALLS = 0.1
SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def reporting(progress: Progress, phase: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield `report(done)`, which is cheap enough to be called at every step.

    >>> with reporting(lambda *seen: print(*seen), "merge", 2) as report:
    ...     report(1)
    ...     report(2)
    merge 2 2
    """
    if progress is None:
        yield lambda done: None
        return
    if progress is True:
        with closing(Bars()) as bars, reporting(bars, phase, total) as report_to_bar:
            yield report_to_bar
        return
    if not callable(progress):
        raise TypeError(f"progress is {progress!r}; it must be None, True or a function "
                        f"that takes (phase, done, total)")

    last_done = 0
    next_call = perf_counter() + SECONDS_BETWEEN_CALLS

    def report(done: int) -> None:
        nonlocal last_done, next_call
        last_done = done
        if perf_counter() >= next_call:
            progress(phase, done, total)
            next_call = perf_counter() + SECONDS_BETWEEN_CALLS

    yield report
    progress(phase, last_done, total)


class Bars:
    """A bar for each phase."""

    def __init__(self) -> None:
        self.phase = ""
        self.bar: Any = None

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != self.phase or self.bar is None or done < self.bar.n:
            from cs336_bpe.common.bars import Bar

            self.close()
            unit = " merges" if phase == "merge" else "B"
            self.phase = phase
            self.bar = Bar(total=total or None, desc=phase, unit=unit, unit_scale=True)
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class Lines:
    """A line when a phase ends, and now and then while it lasts: for files and pipes.

    >>> import contextlib
    >>> with contextlib.redirect_stderr(sys.stdout), closing(Lines()) as lines:
    ...     lines("count", 4_200_000, 9_000_000)
    ...     lines("count", 9_000_000, 9_000_000)
    ...     lines("merge", 500, 800)  # doctest: +ELLIPSIS
    count: 9.0 MB, ... s
    merge: 500 of 800, ... s
    """

    def __init__(self) -> None:
        self.phase, self.done, self.total = "", 0, 0
        self.start = self.last_line = perf_counter()

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = perf_counter()
        if phase != self.phase or done < self.done:
            self.close()
            self.start = self.last_line = now
        self.phase, self.done, self.total = phase, done, total
        if now - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = now
            self.write()

    def close(self) -> None:
        if self.phase:
            self.write()
        self.phase, self.done = "", 0

    def write(self) -> None:
        numbers = [self.done] if self.total <= self.done else [self.done, self.total]
        amount = " of ".join(f"{number:,}" if self.phase == "merge" else readable_size(number)
                             for number in numbers)
        with suppress(OSError):  # that nobody reads this is no reason to stop
            print(f"{self.phase}: {amount}, {perf_counter() - self.start:.1f} s", file=sys.stderr,
                  flush=True)
