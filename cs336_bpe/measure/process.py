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
SECONDS_BETWEEN_LOOKS = 0.05


def in_fresh_process(target: Callable[..., None], stage: Stage, report: Callable[..., None],
                     *arguments: object, look: Callable[[int], None] = lambda pid: None) -> object:
    """Call `target(pipe, stage, *arguments)` in a new process and return the result it sends.

    What it sends as "progress" on the way goes to `report`; an "error" is raised here. While
    nothing comes, `look` is called now and then with the number of the process.
    """
    stage.load()  # if it can't be imported, say so here
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(there, stage, *arguments))
    process.start()
    there.close()
    try:
        while True:
            while not here.poll(SECONDS_BETWEEN_LOOKS):
                assert process.pid is not None
                look(process.pid)
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


class ChildrenMemory:
    """Memory that the children of a process have for themselves, at its peak, all together.

    Their private pages are added up: what a fork shares with its parent is not among them. It is
    looked for from outside, because a stage may do otherwise if another thread runs in its process.
    Where there is no /proc, nothing is found.
    """

    def __init__(self) -> None:
        self.peak = 0

    def look(self, pid: int) -> None:
        try:
            tasks = list(Path(f"/proc/{pid}/task").iterdir())
            children = [child for task in tasks
                        for child in (task / "children").read_text().split()]
        except OSError:
            return
        self.peak = max(self.peak, sum(map(_private_memory, children)))


def _private_memory(pid: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))


def reset_peak_memory() -> int:
    """Forget the peak so far, where the system can, and return the memory in use."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return peak_memory()


def peak_memory() -> int:
    """Resident memory at its peak since the start, or since it was reset."""
    try:
        return _status("VmHWM")
    except OSError:
        import resource  # POSIX only, and so is what follows

        kilo = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kilo


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {name} in /proc/self/status")
