"""How long each phase of a command took, and how much memory."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from cs336_bpe.common import tables
from cs336_bpe.measure.process import peak_memory, reset_peak_memory


@dataclass(frozen=True)
class Phase:
    """`peak_bytes` is what the whole process had at the most while the phase lasted, 0 if the
    system doesn't tell."""

    name: str
    seconds: float
    peak_bytes: int
    work: str  # how much was done


class Phases:
    """
    >>> phases = Phases()
    >>> with phases.measured("count") as set_work:
    ...     set_work(f"{sum(range(5))} bytes")
    >>> [(phase["name"], phase["work"]) for phase in phases.as_json()]
    [('count', '10 bytes')]
    """

    def __init__(self) -> None:
        self.done: list[Phase] = []

    @contextmanager
    def measured(self, name: str) -> Iterator[Callable[[str], None]]:
        """Measure what is in the `with` block, which may set how much work it was."""
        work: list[str] = [""]
        reset_peak_memory()
        start = perf_counter()
        yield work.append
        self.done.append(Phase(name, perf_counter() - start, peak_memory(), work[-1]))

    def as_json(self) -> list[dict[str, Any]]:
        return [asdict(phase) for phase in self.done]

    def table(self) -> str:
        cells: list[tuple[str, ...]] = [("phase", "seconds", "peak MB", "work")]
        cells += [(phase.name, f"{phase.seconds:.3f}",
                   f"{phase.peak_bytes / 1e6:,.0f}" if phase.peak_bytes else "", phase.work)
                  for phase in self.done]
        return tables.as_text(cells, tables.terminal_width())
