"""Counting with other processes and machines: parts of the corpus out, columns of counts back.

A task is a few hundred bytes: which part of which file, and how to count. It reads its part itself.
What comes back are the distinct pretokens of the part and their counts, in the smallest integers
that hold them, and it is added to a sum as it comes.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.built import is_built
from cs336_bpe.common.folder_locks import alone_in
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.tasks import run_tasks
from cs336_bpe.inputs import Part
from cs336_bpe.pretokenize.counts import PretokenCounts, columns_to_dict

if TYPE_CHECKING:
    from cs336_bpe.pretokenize.total import Total

SECONDS_BETWEEN_CHECKPOINTS = 60.0

Packed = tuple[bytes, Any, Any]  # all pretokens, their lengths, their counts


@dataclass(frozen=True)
class CountTask:
    """What a worker is told."""

    parts: tuple[Part, ...]
    field: str
    specials: tuple[str, ...]
    pattern: str
    errors: str
    block_bytes: int
    specials_in_documents: bool
    workers: int

    @property
    def input_bytes(self) -> int:
        return sum(part.nominal_bytes for part in self.parts)


def pack_counts(counts: PretokenCounts) -> Packed:
    """Counts as columns in the smallest integers.

    >>> text, lengths, counts = pack_counts(PretokenCounts({b"low": 5, b"newer": 300}))
    >>> text, lengths.dtype.name, counts.tolist()
    (b'lownewer', 'uint8', [5, 300])
    """
    if counts.columns is not None:
        text, lengths, numbers = counts.columns
    else:
        text = b"".join(counts)
        lengths, numbers = list(map(len, counts)), list(counts.values())  # type: ignore[assignment]
    return text, smallest(lengths), smallest(numbers)


def smallest(numbers: Any) -> Any:
    array = numpy.asarray(numbers, numpy.uint64)
    return array.astype(numpy.min_scalar_type(int(array.max()) if len(array) else 0))


class PlainTotal:
    """A sum of counts, if nothing is compiled; see `total.pyx`."""

    def __init__(self) -> None:
        self._counts = PretokenCounts()

    def add(self, text: bytes, lengths: Any, counts: Any) -> None:
        self._counts += columns_to_dict(text, lengths.tolist(), counts.tolist())

    def as_counts(self) -> PretokenCounts:
        return self._counts


def new_total() -> "Total | PlainTotal":
    """An empty sum."""
    if is_built():
        from cs336_bpe.pretokenize.total import Total

        return Total()
    return PlainTotal()


class Checkpoint:
    """A sum of counts in a folder, with the tasks that are in it.

    The counts are written under a new name first, and the small file that names them takes their
    place in one step. So whenever the work is stopped, the two fit.
    """

    def __init__(self, folder: AnyPath, tasks: list[CountTask]) -> None:
        self.folder = Path(folder)
        self.plan = hashlib.sha256(repr(tasks).encode()).hexdigest()
        self.done: set[int] = set()
        self.last = monotonic()

    def load(self, total: "Total | PlainTotal") -> None:
        """Add what was counted before to the sum."""
        try:
            state = json.loads((self.folder / "state.json").read_bytes())
        except FileNotFoundError:
            return
        if state["plan"] != self.plan:
            raise ValueError(f"{self.folder} is a checkpoint of other files or options; remove it, "
                             f"or choose another folder")
        total.add(*pack_counts(PretokenCounts.load(self.folder / state["counts"])))
        self.done = set(state["done"])

    def save(self, total: "Total | PlainTotal") -> None:
        """Write the sum as it is now."""
        name = f"{len(self.done):08}-{token_hex(4)}.counts"
        total.as_counts().save(self.folder / name)
        with atomic_writer(self.folder / "state.json") as file:
            file.write(json.dumps({"plan": self.plan, "counts": name,
                                   "done": sorted(self.done)}).encode())
        for old in self.folder.glob("*.counts"):
            if old.name != name:
                old.unlink()
        self.last = monotonic()

    def save_now_and_then(self, total: "Total | PlainTotal") -> None:
        if monotonic() - self.last >= SECONDS_BETWEEN_CHECKPOINTS:
            self.save(total)

    def remove(self) -> None:
        for file in [self.folder / "state.json", *self.folder.glob("*.counts")]:
            with suppress(FileNotFoundError):
                file.unlink()
        with suppress(OSError):
            os.rmdir(self.folder)


def count_with(executor: Executor, tasks: Iterable[CountTask],
               count: Callable[[CountTask], Packed], report: Callable[[int], None],
               in_flight: int, checkpoint: AnyPath | None) -> PretokenCounts:
    """Count all tasks, and add up what they find."""
    all_tasks = list(tasks)
    if checkpoint is None:
        return _add_up(executor, all_tasks, count, report, in_flight, None)
    Path(checkpoint).mkdir(parents=True, exist_ok=True)
    with alone_in(checkpoint):
        return _add_up(executor, all_tasks, count, report, in_flight,
                       Checkpoint(checkpoint, all_tasks))


def _add_up(executor: Executor, all_tasks: list[CountTask], count: Callable[[CountTask], Packed],
            report: Callable[[int], None], in_flight: int,
            saved: Checkpoint | None) -> PretokenCounts:
    total = new_total()
    if saved is not None:
        saved.load(total)
    left = [number for number in range(len(all_tasks)) if not saved or number not in saved.done]
    done = sum(task.input_bytes for task in all_tasks) - sum(
        all_tasks[number].input_bytes for number in left)
    whole = True  # the sum is of the tasks that are done, and not of a part of another one
    try:
        for place, packed in run_tasks(executor, count, (all_tasks[number] for number in left),
                                       in_flight=in_flight):
            whole = False
            total.add(*packed)
            if saved is not None:
                saved.done.add(left[place])
            whole = True
            done += all_tasks[left[place]].input_bytes
            if saved is not None:
                saved.save_now_and_then(total)
            report(done)
    except BaseException:
        if saved is not None and saved.done and whole:
            saved.save(total)
        raise
    counts = total.as_counts()
    if saved is not None:
        saved.remove()
    return counts
