"""What all fuzzers share: cases that can be written down, counting, making a failure small.

A mode is a module with two functions. `make(rng)` gives a case: a dict of plain values, so that it
can be printed and made smaller. `check(same, **case)` runs it; `same(found, expected, what)` counts
a comparison and stops at a difference. Whatever else is raised is a failure as well. `OPTIONS`
names the values of a case that stay as they are when the rest is made smaller.
"""

import atexit
import faulthandler
import os
import random
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

Case = dict[str, Any]
MOST_TRIES = 1_000  # to make one failure smaller
STUCK = 600  # seconds after which twenty cases are taken for an endless loop


class Difference(AssertionError):
    """Two results that should be equal and are not."""

    def __init__(self, what: str, found: object, expected: object) -> None:
        super().__init__(f"{what}: found {found!r:.300}, expected {expected!r:.300}")
        self.what = f"{what}: {_short(found)} for {_short(expected)}"


def _short(value: object) -> str:
    """Whether it is an error, or of which type: a smaller case must fail in the same way."""
    return str(value[0]) if isinstance(value, tuple) and value else type(value).__name__


class Comparisons:
    """Counts what is compared."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, found: object, expected: object, what: str) -> None:
        self.number += 1
        if type(found) is not type(expected) or found != expected:
            raise Difference(what, found, expected)


@dataclass
class Failure:
    mode: ModuleType
    seed: str
    case: Case
    error: BaseException

    @property
    def kind(self) -> tuple[str, ...]:
        """What it has in common with the same failure of a smaller case."""
        return kind_of(self.error)

    def as_test(self) -> str:
        """A test that fails as this case does."""
        name = self.mode.__name__.rpartition(".")[2]
        arguments = "".join(f"        {key}={value!r},\n" for key, value in self.case.items())
        return (f"def test_{name}_{abs(hash(repr(self.case))) % 10**6}():\n"
                f'    """{type(self.error).__name__}: {str(self.error)[:200]!r} ({self.seed})"""\n'
                f"    {name}.check(\n        Comparisons(),\n{arguments}    )\n")


def kind_of(error: BaseException) -> tuple[str, ...]:
    if isinstance(error, Difference):
        return "Difference", error.what
    place = traceback.extract_tb(error.__traceback__)[-1]
    return type(error).__name__, place.filename, place.name


def case_of(mode: ModuleType, seed: str) -> Case:
    """The same seed gives the same case, whatever was made before."""
    case: Case = mode.make(random.Random(f"{mode.__name__.rpartition('.')[2]} {seed}"))
    return case


def run_case(mode: ModuleType, seed: str, case: Case, same: Comparisons) -> Failure | None:
    """A failure, or None. A warning (text that a pattern leaves out) is not a failure."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mode.check(same, **case)
    except Exception as error:
        return Failure(mode, seed, case, error)
    return None


@dataclass
class Tally:
    cases: int = 0
    comparisons: int = 0
    seconds: float = 0.0
    failures: list[Failure] | None = None

    def __str__(self) -> str:
        return (f"{self.cases:,} cases, {self.comparisons:,} comparisons, "
                f"{len(self.failures or [])} failures, {self.seconds:.0f} s")


def run(mode: ModuleType, seed: int, cases: int | None = None,
        seconds: float | None = None) -> Tally:
    """Run so many cases, or so long; of each kind of failure the first one is kept, made small."""
    same = Comparisons()
    tally = Tally(failures=[])
    kinds = set()
    start = time.monotonic()
    while ((cases is None or tally.cases < cases)
           and (seconds is None or time.monotonic() - start < seconds)):
        name = f"{seed}/{tally.cases}"
        tally.cases += 1
        if tally.cases % 20 == 1:
            # The file stays if this is stuck.
            (folder() / "running").write_text(f"{mode.__name__} {name}")
            faulthandler.dump_traceback_later(STUCK, exit=True)
        failure = run_case(mode, name, case_of(mode, name), same)
        if failure is not None and failure.kind not in kinds:
            kinds.add(failure.kind)
            print(f"a failure with the seed {name}; making it smaller", flush=True)
            faulthandler.cancel_dump_traceback_later()
            tally.failures.append(smaller(failure))
    faulthandler.cancel_dump_traceback_later()
    tally.comparisons = same.number
    tally.seconds = time.monotonic() - start
    return tally


# --- Making a failure smaller -------------------------------------------------------------------


def smaller(failure: Failure) -> Failure:
    """The same failure with as little as possible: whatever can be left out is left out."""
    tries = 0
    changed = True
    while changed and tries < MOST_TRIES:
        changed = False
        for key in failure.case.keys() - failure.mode.OPTIONS:
            for value in simpler(failure.case[key]):
                tries += 1
                found = run_case(failure.mode, failure.seed, failure.case | {key: value},
                                 Comparisons())
                if found is not None and found.kind == failure.kind:
                    failure, changed = found, True
                    break
                if tries >= MOST_TRIES:
                    break
    return failure


def simpler(value: object) -> Any:
    """Values like this one with something left out, the largest parts first."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        yield from dict.fromkeys(n for n in (0, 1, 2, value // 2, value - 1) if 0 <= n < value)
    elif isinstance(value, dict):
        for keys in simpler(list(value)):
            if set(keys) <= value.keys():
                yield {key: value[key] for key in keys}
        for key, part in value.items():
            for less in simpler(part):
                yield value | {key: less}
    elif isinstance(value, (str, bytes, list, tuple)):
        size = len(value)
        while size:
            for start in range(0, len(value), size):
                yield value[:start] + value[start + size :]
            size //= 2
        for place, part in enumerate(value) if isinstance(value, (list, tuple)) else ():
            for less in simpler(part):
                yield value[:place] + type(value)([less]) + value[place + 1 :]


# --- For the modes ------------------------------------------------------------------------------


@cache
def folder() -> Path:
    """A folder for this run, removed at its end; in memory where there is such a place."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    made = TemporaryDirectory(prefix="cs336_bpe_fuzz", dir=memory)
    atexit.register(made.cleanup)
    return Path(made.name)


@contextmanager
def setting(module: ModuleType, name: str, value: object) -> Iterator[None]:
    """Another value of a module's constant for a while, such as the size of blocks."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def outcome(call: Callable[[], object]) -> tuple[str, object]:
    """What a call returns, or that it refuses, which is a result too."""
    try:
        return "result", call()
    except ValueError:
        return "error", "ValueError"


def pieces(rng: random.Random, whole: Any) -> list[Any]:
    """A text or bytes, cut at random places; parts may be empty."""
    number = rng.choice([0, 1, 2, 5, len(whole)])
    cuts = sorted(rng.choices(range(len(whole) + 1), k=number))
    if number == len(whole) and rng.random() < 0.5:
        cuts = list(range(1, len(whole)))  # one character at a time
    return [whole[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(whole)])]
