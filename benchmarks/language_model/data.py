"""Texts, tokenizers, files of ids as `encode` writes them, and batches of those.

A text is a row of documents with `<|endoftext|>` after each one. Its last documents are held out:
neither the tokenizer nor the model sees them before the evaluation. Only a batch needs torch.
"""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cs336_bpe import EarlyStopWarning, Tokenizer, train_bpe_from_texts
from cs336_bpe.rules import END_OF_TEXT, GPT2_PATTERN

if TYPE_CHECKING:
    import torch

ID_TYPE = np.dtype("uint16")


@dataclass(frozen=True)
class Documents:
    """What is learnt from, and what is held out, each a list of texts."""

    learnt: list[str]
    held_out: list[str]

    @property
    def held_out_bytes(self) -> int:
        """Without the marks between documents."""
        return sum(len(text.encode()) for text in self.held_out)


def split(text: str, learnt_bytes: int, held_out_bytes: int) -> Documents:
    """The first documents of a text to learn from, and the last ones to evaluate on.

    Each side has at most the given number of bytes, and ends with a whole document.
    """
    documents = [one.strip() for one in text.split(END_OF_TEXT)]
    documents = [one for one in documents if one]
    learnt = first_bytes(documents, learnt_bytes)
    held_out = first_bytes(documents[len(learnt):][::-1], held_out_bytes)
    if not learnt or not held_out:
        raise ValueError(f"a text of {len(documents)} documents is too short for {learnt_bytes:,} "
                         f"bytes to learn from and {held_out_bytes:,} held out")
    return Documents(learnt, held_out)


def first_bytes(documents: list[str], num_bytes: int) -> list[str]:
    """The first documents that have together at most so many bytes."""
    for place, text in enumerate(documents):
        num_bytes -= len(text.encode())
        if num_bytes < 0:
            return documents[:place]
    return documents


def make_tokenizer(texts: list[str], vocab_size: int, pattern: str = GPT2_PATTERN) -> Tokenizer:
    """257 is no BPE at all: bytes, and the end of text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EarlyStopWarning)  # then there are fewer; see vocab_size
        vocab, merges = train_bpe_from_texts(texts, vocab_size, [END_OF_TEXT], pattern=pattern)
    return Tokenizer(vocab, merges, [END_OF_TEXT], pattern=pattern)


def write_ids(tokenizer: Tokenizer, texts: list[str], path: Path) -> np.memmap:
    """Encode documents, each with the end of text after it, to a file of 16-bit ids."""
    text_path = path.with_suffix(".txt")
    text_path.write_text("".join(text + END_OF_TEXT for text in texts), encoding="utf-8",
                         newline="")
    tokenizer.encode_file(text_path, path, dtype=ID_TYPE)
    return open_ids(path)


def open_ids(path: Path) -> np.memmap:
    """The ids stay on the disk; only what a batch needs is read."""
    return np.memmap(path, dtype=ID_TYPE, mode="r")


class Batches:
    """Batch number s of a run, for any s: nothing has to be remembered to go on at step s.

    In each epoch the ids are cut into sequences of `context` tokens, at places that differ from
    epoch to epoch, and shuffled. Both follow from (seed, epoch) alone.
    """

    def __init__(self, ids: np.ndarray, context: int, sequences: int, seed: int) -> None:
        self.ids, self.context, self.sequences, self.seed = ids, context, sequences, seed
        self.per_epoch = (len(ids) - context) // context  # one less, for the shift
        if self.per_epoch < 1:
            raise ValueError(f"{len(ids)} tokens are too few for sequences of {context}; "
                             f"two of them are needed at least")
        self.epoch, self.starts = -1, np.empty(0)

    def start_of(self, number: int) -> int:
        epoch, place = divmod(number, self.per_epoch)
        if epoch != self.epoch:
            random = np.random.default_rng([self.seed, epoch])
            shift = random.integers(self.context)
            self.starts = shift + self.context * random.permutation(self.per_epoch)
            self.epoch = epoch
        return int(self.starts[place])

    def rows(self, step: int) -> np.ndarray:
        """The sequences of a step, each with the token after it."""
        first = step * self.sequences
        starts = [self.start_of(first + row) for row in range(self.sequences)]
        rows = np.stack([self.ids[start:start + self.context + 1] for start in starts])
        return rows.astype(np.int64)

    def __getitem__(self, step: int) -> "tuple[torch.Tensor, torch.Tensor]":
        """The ids that go in and those that should come out, one place later."""
        import torch  # slow to import, and of no use for what is above

        ids = torch.from_numpy(self.rows(step))
        return ids[:, :-1], ids[:, 1:]


def windows(document: np.ndarray, context: int):
    """The windows of a document: ids, and how many of the first are there only to be seen.

    A document is its tokens with an end of text before and after.

    >>> [(ids.tolist(), seen) for ids, seen in windows(np.arange(8), 4)]
    [([0, 1, 2, 3, 4], 0), ([2, 3, 4, 5, 6], 2), ([4, 5, 6, 7], 2)]
    """
    half = context // 2
    yield document[:context + 1], 0
    for start in range(half, len(document) - 1 - (context - half), half):
        yield document[start:start + context + 1], context - half
