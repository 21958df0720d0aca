"""A reader's own code, in a process of its own, with limits of time and memory.

The code may raise, never end, take all memory, print, or leave the process: whatever it does, the
caller gets an `Outcome` that says so, and goes on.
"""

import importlib
import importlib.util
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

from cs336_bpe.common.families import end_with_parent
from cs336_bpe.measure.process import end_family

Calls = dict[str, Callable[..., Any]]

SECONDS_BETWEEN_LOOKS = 0.02
START_SECONDS = 60.0  # to import what the reader's module imports


@dataclass(frozen=True)
class Outcome:
    """What a call came to: a value, or a problem in words."""

    kind: str  # "done", "raised", "time", "memory", "died" or "missing"
    value: Any = None
    problem: str = ""
    seconds: float = 0.0

    @property
    def is_done(self) -> bool:
        return self.kind == "done"


class Sandbox:
    """Calls functions of `module:name` in another process, which is started anew if it dies.

    `make_calls(target)` runs in that process: it gets what `module:name` stands for, and returns
    the functions that can be called by name. It must be a function of a module, so that it can be
    found there.
    """

    def __init__(self, name: str, make_calls: Callable[[Any], Calls], *, seconds: float = 10.0,
                 megabytes: int = 1000) -> None:
        self.name = name
        self.make_calls = make_calls
        self.seconds = seconds
        self.megabytes = megabytes
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            end_family(self._process)
        self._process = self._pipe = None

    def call(self, function: str, *arguments: Any, seconds: float | None = None) -> Outcome:
        """Call one of the functions, and wait for what comes of it."""
        if self._process is None:
            outcome = self._start()
            if not outcome.is_done:
                return outcome
        assert self._pipe is not None
        self._pipe.send((function, arguments))
        return self._wait(self.seconds if seconds is None else seconds)

    def _start(self) -> Outcome:
        context = multiprocessing.get_context("spawn")
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, daemon=True,
                                        args=(there, self.name, self.make_calls, os.getcwd()))
        self._process.start()
        there.close()
        return self._wait(START_SECONDS)

    def _wait(self, seconds: float) -> Outcome:
        assert self._pipe is not None
        assert self._process is not None
        end = monotonic() + seconds
        try:
            while not self._pipe.poll(SECONDS_BETWEEN_LOOKS):
                if monotonic() > end:
                    self.close()
                    return Outcome("time", problem=f"it did not end within {seconds:g} seconds",
                                   seconds=seconds)
                if _resident_megabytes(self._process.pid) > self.megabytes:
                    self.close()
                    return Outcome("memory", problem=f"it took more than {self.megabytes:,} MB of "
                                                     f"memory")
            outcome = self._pipe.recv()
        except (EOFError, ConnectionError):
            self._process.join(5)
            code = self._process.exitcode
            self.close()
            return Outcome("died", problem=f"it ended its process (exit code {code})")
        assert isinstance(outcome, Outcome)
        return outcome


def find_target(name: str, folder: str) -> Any:
    """What `module:name` or `path/to/file.py:name` stands for, seen from a folder.

    >>> find_target("os.path:join", ".") is os.path.join
    True
    """
    module_name, _, attribute = name.rpartition(":")
    if not module_name or not attribute:
        raise ValueError(f"{name!r} must be module:name or path/to/file.py:name")
    sys.path.insert(0, folder)
    if module_name.endswith(".py"):
        path = Path(folder, module_name)
        if not path.exists():
            raise ValueError(f"there is no file {module_name}")
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(module_name)
    target: Any = module
    for part in attribute.split("."):
        if not hasattr(target, part):
            raise ValueError(f"{module_name} has no {attribute!r}")
        target = getattr(target, part)
    return target


def _serve(pipe: Connection, name: str, make_calls: Callable[[Any], Calls], folder: str) -> None:
    end_with_parent()
    try:
        calls = make_calls(find_target(name, folder))
    except BaseException as error:
        pipe.send(Outcome("missing", problem=f"{name} can't be used: {_in_words(error)}"))
        return
    pipe.send(Outcome("done"))
    with suppress(EOFError, ConnectionError, KeyboardInterrupt):
        while True:
            function, arguments = pipe.recv()
            start = perf_counter()
            try:
                value = calls[function](*arguments)
                outcome = Outcome("done", value, seconds=perf_counter() - start)
            except MemoryError:
                outcome = Outcome("memory", problem="it ran out of memory")
            except BaseException as error:
                outcome = Outcome("raised", problem=f"it raised {_in_words(error)}",
                                  seconds=perf_counter() - start)
            pipe.send(outcome)


def _in_words(error: BaseException) -> str:
    """The error in one line, with the line of the reader's code that raised it."""
    text = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    own = [frame for frame in traceback.extract_tb(error.__traceback__)
           if frame.filename != __file__ and "importlib" not in frame.filename]
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    return text + where


def _resident_megabytes(pid: int | None) -> float:
    """How much memory a process has; 0 where the system does not say."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0.0
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6
