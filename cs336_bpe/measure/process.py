"""Call a function in a fresh process, and how much memory this one uses.

A fresh process, because memory that one stage has freed is given to the next, and because what
one stage leaves in the caches helps the next. Only the call of the stage's function is timed.
"""

import multiprocessing
import sys
from collections.abc import Callable
from pathlib import Path

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
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(there, stage, *arguments))
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
        raise RuntimeError(f"the process that measured {stage.name} died") from None
    finally:
        here.close()
        process.terminate()
        process.join()


class WorkersMemory:
    """The most memory that all processes started by a process had together, as far as was seen.

    Memory that several processes share counts once. 0 where the system does not tell.
    """

    def __init__(self) -> None:
        self.peak_bytes = 0

    def watch(self, pid: int) -> None:
        self.peak_bytes = max(self.peak_bytes, sum(map(_own_bytes, _descendants(pid))))


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
