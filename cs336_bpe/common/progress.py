"""Progress: one callback for everything that takes long.

`progress` may be `None` (say nothing), `True` (a bar on standard error) or a function that is
called as `progress(phase, done, total)`: the phase is "merge" (in merges), or one of "count",
"encode", "download", "check", "unpack", "read" and "copy" (in bytes), and `done` reaches its last
value in a last call. What the function raises stops the work and reaches the caller.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Literal

from tqdm import tqdm

Progress = Callable[[str, int, int], None] | Literal[True] | None

SECONDS_BETWEEN_CALLS = 0.1


class Bar(tqdm):  # type: ignore[misc]
    """A progress bar without tqdm's monitor, a thread that would outlive it."""

    monitor_interval = 0


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
        unit = " merges" if phase == "merge" else "B"
        with Bar(total=total or None, desc=phase, unit=unit, unit_scale=True) as bar:
            def move(phase: str, done: int, total: int) -> None:
                bar.update(done - bar.n)
            with reporting(move, phase, total) as report_to_bar:
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
