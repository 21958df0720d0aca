"""A run of several experiments that can be interrupted: what is finished is kept in a file.

The file is written after each experiment, in one step. A later run with the same settings takes
from it what is there and goes on with the rest.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import Any

from cs336_bpe._version import __version__
from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.measure.machine import describe_machine
from cs336_bpe.reproduce.experiments import EXPERIMENTS
from cs336_bpe.reproduce.texts import Lab
from cs336_bpe.reproduce.verdicts import Outcome


@dataclass(frozen=True)
class Result:
    """An experiment that is finished."""

    figure: str
    outcome: Outcome
    seconds: float
    date: str
    machine: str
    settings: str  # results with other settings are not taken for these

    def as_json(self) -> dict[str, Any]:
        return {"figure": self.figure, "date": self.date, "machine": self.machine,
                "settings": self.settings, "seconds": self.seconds, **self.outcome.as_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Result":
        return cls(value["figure"], Outcome.from_json(value), value["seconds"], value["date"],
                   value["machine"], value["settings"])


class State:
    """The finished experiments, in a file or, without one, in memory only."""

    def __init__(self, path: Path | None, forget: Iterable[str] = ()) -> None:
        self.path = path
        forget = set(forget)
        self.results: dict[str, Result] = {}
        if path is not None and path.exists():
            try:
                saved = json.loads(path.read_text(encoding="utf-8"))
                self.results = {name: Result.from_json(one) for name, one in
                                saved["figures"].items() if name not in forget}
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                if forget:
                    return
                raise ValueError(f"{path} is not a file of finished experiments ({error}); remove "
                                 f"it, name another with --state, or use --fresh") from error

    def kept(self, figure: str, settings: str) -> Result | None:
        """The result of an experiment with these settings, if there is one."""
        result = self.results.get(figure)
        return result if result is not None and result.settings == settings else None

    def add(self, result: Result) -> None:
        self.results[result.figure] = result
        if self.path is not None:
            value = {"figures": {name: one.as_json() for name, one in self.results.items()}}
            with atomic_writer(self.path) as file:
                file.write((json.dumps(value, indent=1) + "\n").encode())


def settings_of(lab: Lab) -> str:
    """What must be the same for a result to be kept."""
    data = "generated text" if lab.data is None else f"data from {lab.data.resolve()}"
    return f"{lab.effort}, {data}, version {__version__}"


def run_session(names: list[str], lab: Lab, state: State,
                begin: Callable[[str, Result | None], None] = lambda name, kept: None
                ) -> Iterator[Result]:
    """Run the experiments that are not finished yet, and yield all results in order."""
    settings = settings_of(lab)
    for name in names:
        kept = state.kept(name, settings)
        begin(name, kept)
        if kept is None:
            start = perf_counter()
            outcome = EXPERIMENTS[name].run(lab)
            kept = Result(name, outcome, perf_counter() - start,
                          datetime.now(timezone.utc).strftime("%Y-%m-%d"), describe_machine(),
                          settings)
            state.add(kept)
        yield kept


# --- The book's machine --------------------------------------------------------------------

BOOK = "book.json"


def load_book() -> dict[str, Result]:
    """What the book's machine gave, as it was saved."""
    text = (files("cs336_bpe.reproduce") / BOOK).read_text(encoding="utf-8")
    return {name: Result.from_json(one) for name, one in json.loads(text)["figures"].items()}
