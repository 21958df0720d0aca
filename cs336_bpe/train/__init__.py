"""Training end to end: from a file, or from counts, to a vocabulary and its merges."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType

from cs336_bpe import stages
from cs336_bpe.common.built import is_built, say_not_built
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress
from cs336_bpe.pretokenize import count_pretokens, count_pretokens_in
from cs336_bpe.rules import (
    GPT2_PATTERN,
    EarlyStopWarning,
    LearnMerges,
    Pair,
    TieBreak,
    Vocab,
    assemble_vocab,
    check_special_tokens,
    check_tie_break,
    check_vocab_size,
)
from cs336_bpe.train.continuing import check_given, continue_merges

ENGINE = "stage13_prefetch"
"""The stage that trains unless another one is asked for. A new rung changes nothing here."""

PLAIN_ENGINE = "stage07_interned_words"
"""The stage that trains if nothing is compiled."""


def train_bpe(
    input_path: AnyPath | Iterable[AnyPath],
    vocab_size: int,
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    tie_break: TieBreak = "lexicographic",
    errors: str = "strict",
    workers: int | None = None,
    progress: Progress = None,
    stage: str | None = None,
    continue_from: Sequence[Pair] = (),
    input_format: str | None = None,
    field: str = "text",
    specials_in_documents: bool = False,
) -> tuple[Vocab, list[Pair]]:
    """Train a byte-level BPE tokenizer on a file, or on several.

    Files may be text, compressed, JSON lines or parquet, and folders of these: see
    `count_pretokens`, which has `input_format`, `field` and `specials_in_documents` too. For
    texts that are in memory there is `train_bpe_from_texts`.

    Returns the vocabulary (id -> bytes) and the merges in the order in which they were learned.
    Ids 0-255 are the bytes, then come the special tokens, then the merges. `stage` names a
    stage of the training ladder; the default is `ENGINE`. If the text runs out of pairs
    before the size is reached, the vocabulary is smaller and an `EarlyStopWarning` says so.
    `continue_from` has merges that come first; the others are learned after them.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "corpus.txt")
    ...     _ = path.write_text("low low lower<|endoftext|>lowest", encoding="utf-8")
    ...     vocab, merges = train_bpe(path, 260, ["<|endoftext|>"])
    >>> merges
    [(b'o', b'w'), (b'l', b'ow'), (b'low', b'e')]
    """
    specials = check_special_tokens(special_tokens)
    check_given(continue_from, check_vocab_size(vocab_size, len(specials)))
    check_tie_break(tie_break)
    find_stage(stage)  # what can go wrong should go wrong before the long part
    counts = count_pretokens(
        input_path, specials, pattern=pattern, errors=errors, workers=workers, progress=progress,
        input_format=input_format, field=field, specials_in_documents=specials_in_documents,
    )
    return train_bpe_from_counts(
        counts, vocab_size, specials, tie_break=tie_break, progress=progress, stage=stage,
        continue_from=continue_from,
    )


def train_bpe_from_texts(
    texts: Iterable[str | bytes],
    vocab_size: int,
    special_tokens: Iterable[str],
    *,
    pattern: str = GPT2_PATTERN,
    tie_break: TieBreak = "lexicographic",
    errors: str = "strict",
    workers: int | None = None,
    progress: Progress = None,
    stage: str | None = None,
    continue_from: Sequence[Pair] = (),
    field: str = "text",
    specials_in_documents: bool = False,
) -> tuple[Vocab, list[Pair]]:
    """Train on texts that a program has: any iterable of `str` or `bytes`, also a dataset.

    Each text is a document: no pretoken spans two, and what looks like a special token in one is
    text unless `specials_in_documents`. They are read once and not kept.

    >>> vocab, merges = train_bpe_from_texts(["low low", "lower"], 259, ["<|endoftext|>"])
    >>> merges
    [(b'o', b'w'), (b'l', b'ow')]
    """
    specials = check_special_tokens(special_tokens)
    check_given(continue_from, check_vocab_size(vocab_size, len(specials)))
    check_tie_break(tie_break)
    find_stage(stage)
    if isinstance(texts, (str, bytes)):
        raise TypeError("texts is one text; give an iterable of them, such as [text], or for the "
                        "path of a file use train_bpe")
    counts = count_pretokens_in(
        texts, specials, pattern=pattern, errors=errors, workers=workers, progress=progress,
        field=field, specials_in_documents=specials_in_documents,
    )
    return train_bpe_from_counts(
        counts, vocab_size, specials, tie_break=tie_break, progress=progress, stage=stage,
        continue_from=continue_from,
    )


def train_bpe_from_counts(
    counts: Mapping[bytes, int],
    vocab_size: int,
    special_tokens: Iterable[str],
    *,
    tie_break: TieBreak = "lexicographic",
    progress: Progress = None,
    stage: str | None = None,
    continue_from: Sequence[Pair] = (),
) -> tuple[Vocab, list[Pair]]:
    """Train from how often each pretoken occurs; all that training needs to know of a corpus.

    >>> vocab, merges = train_bpe_from_counts({b"low": 5, b"lower": 2}, 258, [])
    >>> merges
    [(b'o', b'w'), (b'l', b'ow')]
    >>> vocab[257]
    b'low'

    One run to a size, and going on to a larger one, is one run to the larger size:

    >>> counts = {b"low": 5, b"lower": 2}
    >>> _, longer = train_bpe_from_counts(counts, 260, [], continue_from=merges)
    >>> longer == train_bpe_from_counts(counts, 260, [])[1]
    True
    """
    specials = check_special_tokens(special_tokens)
    num_merges = check_vocab_size(vocab_size, len(specials))
    learn_merges: LearnMerges = find_stage(stage).learn_merges
    given = check_given(continue_from, num_merges)
    if given:
        merges = continue_merges(counts, given, num_merges, learn_merges, tie_break, progress)
    else:
        merges = learn_merges(counts, num_merges, tie_break=tie_break, progress=progress)
    vocab = assemble_vocab(specials, merges)
    if len(merges) < num_merges:
        warnings.warn(
            f"no pair is left after {len(merges)} merges: the vocabulary has {len(vocab)} "
            f"tokens, not the {vocab_size} asked for; train on more text for a larger one",
            EarlyStopWarning, stacklevel=2,
        )
    return vocab, merges


def find_stage(stage: str | None) -> ModuleType:
    """The stage asked for, imported; by default the product's engine."""
    if stage is None:
        stage = ENGINE
        if not is_built():
            say_not_built()
            stage = PLAIN_ENGINE
    return stages.find("train", stage).load()
