"""Bits per byte: how many bits a model needs for each byte of a text that it has not seen.

The loss per token says nothing about a tokenizer: fewer and longer tokens are harder to predict,
each of them. All tokens together say it, divided by something that no tokenizer can change:

    bits per byte = sum of -log2 p(token | tokens before it) / bytes of the documents

Each document stands for itself. It begins after an end of text, and the end of text after it has to
be predicted too; its own bytes don't count, since the mark is ours. A document that is longer than
the context is read in windows that advance by half a context, and each window predicts what the one
before it has not. So a token is predicted from all that came before, or half a context at least.

`bits_per_byte` does this in batches, from a file of ids. `slow_bits_per_byte` has no windows, no
batches, no file and no float32: for each token it asks the model anew. The two agree.
"""

import math

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from .data import windows

BATCH_TOKENS = 8192
IGNORED = -100  # what cross_entropy leaves out


@torch.inference_mode()
def bits_per_byte(model, ids: np.ndarray, end_of_text: int, num_bytes: int) -> float:
    """From the ids of documents, each with an end of text after it, and their bytes."""
    ends = np.flatnonzero(ids == end_of_text)
    begins = [0, *(ends[:-1] + 1)]
    documents = [np.concatenate([[end_of_text], ids[begin:end + 1]]).astype(np.int64)
                 for begin, end in zip(begins, ends)]
    context = model.shape.context
    todo = sorted((window for one in documents for window in windows(one, context)),
                  key=lambda window: len(window[0]))  # alike together: less to fill up
    rows = max(1, BATCH_TOKENS // context)
    nats = sum(batch_loss(model, todo[first:first + rows]) for first in range(0, len(todo), rows))
    return nats / math.log(2) / num_bytes


def batch_loss(model, batch) -> float:
    longest = max(len(ids) for ids, _ in batch)
    given = torch.zeros(len(batch), longest - 1, dtype=torch.long)
    wanted = torch.full_like(given, IGNORED)
    for row, (ids, seen) in enumerate(batch):
        ids = torch.from_numpy(ids)
        given[row, :len(ids) - 1] = ids[:-1]
        wanted[row, seen:len(ids) - 1] = ids[seen + 1:]
    losses = cross_entropy(model(given).flatten(0, 1), wanted.flatten(), ignore_index=IGNORED,
                           reduction="none")
    return losses.double().sum().item()  # many small numbers: 32 bits would lose some


@torch.inference_mode()
def slow_bits_per_byte(model, tokenizer, documents, end_of_text: int) -> float:
    """The definition, token by token, in 64 bits; `model` must be in double precision.

    The bytes are those that the ids decode to, and not those of a file.
    """
    context, half = model.shape.context, model.shape.context // 2
    bits, num_bytes = 0.0, 0
    for text in documents:
        ids = tokenizer.encode(text)
        num_bytes += len(tokenizer.decode_bytes(ids))
        ids = [end_of_text, *ids, end_of_text]
        for place in range(1, len(ids)):
            skipped = math.ceil(max(0, place - context) / half) * half  # whole half contexts
            scores = model(torch.tensor([ids[skipped:place]]))[0, -1].numpy()
            highest = scores.max()
            log_sum = highest + np.log(np.exp(scores - highest).sum())
            bits += (log_sum - scores[ids[place]]) / np.log(2)
    return bits / num_bytes
