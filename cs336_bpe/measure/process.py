"""Call a function in a fresh process, and how much memory this one uses.

A fresh process, because memory that one stage has freed is given to the next, and because what
one stage leaves in the caches helps the next. Only the call of the stage's function is timed.
"""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from time import perf_counter
from typing import Any

from cs336_bpe.common.families import end_with_parent
from cs336_bpe.stages import Stage

Report = Callable[[int, int], None]

MAX_REPEATS = 7
ENOUGH_SECONDS = 1.0
SAMPLE_SECONDS = 0.02  # between two looks at the memory of a stage's own processes


def in_fresh_process(target: Callable[..., None], stage: Stage, report: Callable[..., None],
                     *arguments: object, watch: Callable[[int], None] | None = None) -> object:
    """Call `target(pipe, stage, *arguments)` in a new process and return the result it sends.

    What it sends as "progress" on the way goes to `report`; an "error" is raised here. While it
    works, `watch` is called with its process id, many times a second.
    """
    stage.load()  # if it can't be imported, say so here
    return _in_fresh_process(target, stage.name, report, (stage, *arguments), watch)


def _in_fresh_process(target: Callable[..., None], name: str, report: Callable[..., None],
                      arguments: tuple[object, ...],
                      watch: Callable[[int], None] | None) -> object:
    _start_tracker()
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_undisturbed, args=(target, there, *arguments))
    process.start()
    there.close()
    try:
        while True:
            while watch is not None and process.pid and not here.poll(SAMPLE_SECONDS):
                watch(process.pid)
            kind, value = here.recv()
            if kind == "progress":
                report(*value)
            elif kind == "error":
                raise value
            else:
                return value
    except EOFError:
        raise RuntimeError(f"the process that measured {name} died") from None
    finally:
        here.close()
        end_family(process)


def _start_tracker() -> None:
    """Start the process that frees what processes leave behind, if it does not run yet.

    It warns of semaphores that it had to free. But a process that was ended on purpose leaves
    some, and nobody has to know.
    """
    if os.name == "posix":
        from multiprocessing import resource_tracker

        sys.warnoptions.append("ignore:resource_tracker:UserWarning")
        try:
            resource_tracker.ensure_running()
        finally:
            sys.warnoptions.pop()


def _undisturbed(target: Callable[..., None], *arguments: object) -> None:
    """Ctrl-C reaches all processes of a terminal. The one that measures ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()  # if it could not
    target(*arguments)


def end_family(process: SpawnProcess) -> None:
    """End a process and all that it has started, which it may not have had the time to end."""
    if process.pid and hasattr(signal, "SIGSTOP"):
        with suppress(OSError):  # it has ended
            os.kill(process.pid, signal.SIGSTOP)  # so that it starts no more of them
    started = _descendants(process.pid) if process.pid else []
    process.kill()
    process.join()
    for pid in started:
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)


@dataclass(frozen=True)
class Call:
    """What a function returned in a process of its own, how long it took, and its memory."""

    value: Any
    seconds: float
    peak_bytes: int  # of its process and of all that it started, less what was there before


def measure_call(function: Callable[..., Any], *arguments: object,
                 watch: Callable[[int], None] = lambda pid: None) -> Call:
    """Call a function of a module in a fresh process; `watch` sees its id many times a second.

    >>> measure_call(max, 3, 4).value
    4
    """
    started = WorkersMemory()

    def look(pid: int) -> None:
        started.watch(pid)
        watch(pid)
    call = _in_fresh_process(_call_here, function.__name__, lambda done: None,
                             (function, *arguments), look)
    assert isinstance(call, Call)
    return Call(call.value, call.seconds, call.peak_bytes + started.peak_bytes)


def _call_here(pipe: Connection, function: Callable[..., Any], *arguments: object) -> None:
    try:
        before = reset_peak_memory()
        start = perf_counter()
        value = function(*arguments)
        seconds = perf_counter() - start
        pipe.send(("result", Call(value, seconds, max(0, peak_memory() - before))))
    except BaseException as error:
        pipe.send(("error", error))


class WorkersMemory:
    """The most memory that all processes started by a process had together, as far as was seen.

    Memory that several processes share counts once. 0 where the system does not tell.
    """

    def __init__(self) -> None:
        self.peak_bytes = 0

    def watch(self, pid: int) -> None:
        self.peak_bytes = max(self.peak_bytes, sum(map(_own_bytes, _descendants(pid))))


@dataclass(frozen=True)
class Usage:
    """What a process and all that it has started use now: the report of write-up D."""

    processes: int
    num_bytes: int
    cpu_seconds: float  # of those that live


def family_usage(pid: int) -> Usage | None:
    """None where the system does not tell.

    >>> usage = family_usage(os.getpid())
    >>> usage is None or usage.processes >= 1
    True
    """
    family = [pid, *_descendants(pid)]
    seconds = [_cpu_seconds(one) for one in family]
    if not any(seconds):
        return None
    return Usage(len(family), sum(map(_own_bytes, family)), sum(seconds))


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


def _descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended, or the system has no such file
        return []
    return [one for child in map(int, children) for one in (child, *_descendants(child))]


def _own_bytes(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def reset_peak_memory() -> int:
    """Forget the peak so far, where the system can, and return the memory in use."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return peak_memory()


def peak_memory() -> int:
    """Resident memory at its peak since the start, or since it was reset; 0 if nobody tells."""
    try:
        return _status("VmHWM")
    except OSError:
        try:
            import resource
        except ImportError:  # Windows
            return 0
        kilo = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kilo


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {name} in /proc/self/status")
