"""All experiments by the names of their figures, and about how long each takes."""

from collections.abc import Callable
from dataclasses import dataclass

from cs336_bpe.reproduce.arithmetic import c6
from cs336_bpe.reproduce.encode_a_c import a5, c4, c5
from cs336_bpe.reproduce.pool import d
from cs336_bpe.reproduce.sampling import e
from cs336_bpe.reproduce.texts import Lab
from cs336_bpe.reproduce.train_a import a1, a2, a3, a4
from cs336_bpe.reproduce.train_b_c import b, c1, c2, c3
from cs336_bpe.reproduce.verdicts import Outcome
from cs336_bpe.reproduce.workers import a6


@dataclass(frozen=True)
class Experiment:
    """What measures a published figure; the seconds are rough, for two cores."""

    run: Callable[[Lab], Outcome]
    quick_seconds: int
    full_seconds: int


EXPERIMENTS = {
    "A1": Experiment(a1, 30, 1800),
    "A2": Experiment(a2, 40, 500),
    "A3": Experiment(a3, 40, 1000),
    "A4": Experiment(a4, 15, 1500),
    "A5": Experiment(a5, 35, 600),
    "A6": Experiment(a6, 30, 120),
    "B": Experiment(b, 40, 1800),
    "C1": Experiment(c1, 25, 60),
    "C2": Experiment(c2, 20, 120),
    "C3": Experiment(c3, 60, 700),
    "C4": Experiment(c4, 30, 150),
    "C5": Experiment(c5, 10, 30),
    "C6": Experiment(c6, 1, 1),
    "D": Experiment(d, 60, 600),
    "E": Experiment(e, 15, 60),
}


def choose(names: list[str]) -> list[str]:
    """The figures that were asked for, in the book's order; a letter stands for all of its own.

    >>> choose(["c4", "A1"]), choose(["C"])
    (['A1', 'C4'], ['C1', 'C2', 'C3', 'C4', 'C5', 'C6'])
    >>> choose(["A9"])
    Traceback (most recent call last):
    ValueError: there is no figure 'A9'; there are A1, A2, A3, A4, A5, A6, B, C1, C2, C3, C4, C5, \
C6, D, E, and 'all'
    """
    chosen = set()
    for name in names:
        found = {figure for figure in EXPERIMENTS
                 if name.lower() in ("all", figure.lower(), figure[0].lower())}
        if not found:
            raise ValueError(f"there is no figure {name!r}; there are {', '.join(EXPERIMENTS)}, "
                             f"and 'all'")
        chosen |= found
    return [figure for figure in EXPERIMENTS if figure in chosen]


def about_seconds(names: list[str], quick: bool) -> int:
    """How long they take, roughly."""
    return sum(EXPERIMENTS[name].quick_seconds if quick else EXPERIMENTS[name].full_seconds
               for name in names)
