"""What a run is asked to do, and the learning rate of each step. Nothing here needs torch."""

import math
from dataclasses import dataclass

from cs336_bpe.cost.transformer import Shape, cost
from cs336_bpe.cost.vocabulary_size import TRAINING


@dataclass(frozen=True)
class Settings:
    """All that decides the weights of a run, but for the ids."""

    shape: Shape
    steps: int
    sequences: int = 8  # of `shape.context` tokens, in a batch
    learning_rate: float = 6e-3  # the highest
    warm_up: float = 0.1  # of the steps
    last_rate: float = 0.1  # of the highest learning rate
    weight_decay: float = 0.1
    betas: tuple[float, float] = (0.9, 0.95)
    clip: float = 1.0  # the largest norm of all gradients together
    seed: int = 0

    @property
    def tokens(self) -> int:
        return self.steps * self.sequences * self.shape.context

    @property
    def flops(self) -> int:
        """Of the whole run: a forward pass and twice as much backward for each sequence."""
        return TRAINING * cost(self.shape).total_flops * self.steps * self.sequences


def learning_rate(settings: Settings, step: int) -> float:
    """Rise in a straight line from near zero, then fall along half a cosine."""
    rising = max(1, round(settings.warm_up * settings.steps))
    if step < rising:
        return settings.learning_rate * (step + 1) / rising
    done = (step - rising) / max(1, settings.steps - rising)
    fallen = settings.last_rate + (1 - settings.last_rate) * (1 + math.cos(math.pi * done)) / 2
    return settings.learning_rate * fallen
