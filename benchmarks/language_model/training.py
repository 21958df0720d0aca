"""The training loop: AdamW, a cosine schedule, clipped gradients, and checkpoints.

A run that is killed and started again ends with the same weights as one that was left alone: the
batch and the learning rate follow from the number of the step, and a checkpoint has all the rest,
the weights and the optimizer's two moments of each. It takes its name only when it is complete, so
a run never finds half of one.
"""

import zlib
from dataclasses import asdict
from pathlib import Path
from time import process_time
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

from cs336_bpe.common.atomic_files import atomic_writer

from .data import Batches
from .model import Transformer
from .settings import Settings, learning_rate


def make_optimizer(model: Transformer, settings: Settings) -> torch.optim.AdamW:
    """Matrices decay towards zero. Gains of norms don't: their right value isn't small."""
    matrices = [weight for weight in model.parameters() if weight.dim() > 1]
    gains = [weight for weight in model.parameters() if weight.dim() == 1]
    groups = [{"params": matrices, "weight_decay": settings.weight_decay},
              {"params": gains, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=settings.learning_rate, betas=settings.betas)


class Diverged(Exception):
    """The loss is not a number any more."""


class Trained(NamedTuple):
    model: Transformer
    seconds: float  # of the processor, those before an interruption too


def train(settings: Settings, ids, checkpoint: Path | None = None, every: int = 50,
          report=None) -> Trained:
    """Train, from the checkpoint if there is one.

    `checkpoint` is written every so many steps and at the end. `report(step, loss)` is called after
    each step. Weights are the same to the bit for the same number of threads.
    """
    model = Transformer(settings.shape, settings.seed)
    optimizer = make_optimizer(model, settings)
    run = {"settings": asdict(settings), "ids": [len(ids), zlib.crc32(ids)]}
    first, seconds = load_checkpoint(checkpoint, run, model, optimizer)
    began = process_time() - seconds
    batches = Batches(ids, settings.shape.context, settings.sequences, settings.seed)
    for step in range(first, settings.steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(settings, step)
        given, wanted = batches[step]
        loss = cross_entropy(model(given).flatten(0, 1), wanted.flatten())
        if not loss.isfinite():
            raise Diverged(f"step {step}: the loss is {loss.item()}; "
                           f"try a lower learning rate than {settings.learning_rate:g}")
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
        seconds = process_time() - began
        if checkpoint and ((step + 1) % every == 0 or step + 1 == settings.steps):
            with atomic_writer(checkpoint) as file:
                torch.save({**run, "steps_done": step + 1, "seconds": seconds,
                            "model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
        if report:
            report(step, loss.item())
    return Trained(model, seconds)


def load_checkpoint(path: Path | None, run, model, optimizer) -> tuple[int, float]:
    """How many steps are done and how long they took; zeros if there is no checkpoint."""
    if path is None or not path.exists():
        return 0, 0.0
    saved = torch.load(path, weights_only=True)
    if any(saved[key] != run[key] for key in run):
        raise ValueError(f"{path} is the checkpoint of a run with other settings or other ids; "
                         f"remove it or give another name")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    return saved["steps_done"], saved["seconds"]
