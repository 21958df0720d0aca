"""A page on which one steps through an index from pairs to positions, as stage 10 has it."""

from collections.abc import Mapping
from typing import Any

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.pages.page import byte_string, write_page
from cs336_bpe.pages.play.flat_words import FlatWords, Ids
from cs336_bpe.pages.play.words import WORDS, words_to_show
from cs336_bpe.rules import check_size

NUM_MERGES = 12
NEST = WORDS | {b"nest": 2}
"""With one word more, so that a merge comes to a position that is stale."""


def write_positions_page(path: AnyPath, counts: Mapping[bytes, int] | None = None,
                         num_merges: int = NUM_MERGES, *,
                         title: str = "An index of positions") -> int:
    """Write a page that steps through training by positions in one array; return its size in
    bytes. The words are those of `write_training_page`, and `nest`.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     size = write_positions_page(Path(folder, "positions.html"), {b"banana": 2, b"band": 1})
    ...     size == Path(folder, "positions.html").stat().st_size
    True
    """
    words = words_to_show(NEST if counts is None else counts)
    most = check_size("num_merges", num_merges)
    flat = FlatWords(words)
    steps = [_step(flat, "start")]
    best = flat.best()
    while best is not None and len(flat.merges) < most:
        steps.append(_step(flat, "choose", best))
        for here, there in flat.merge(best):
            steps.append(_step(flat, "merge" if there else "stale", best, here))
        steps.append(_step(flat, "done", best))
        best = flat.best()
    return write_page(path, "play/positions", title, {
        "tokens": [byte_string(token) for token in flat.tokens], "counts": flat.counts,
        "steps": steps})


def _step(flat: FlatWords, kind: str, pair: Ids | None = None, at: int = 0) -> dict[str, Any]:
    """What has been done, and everything as it is then."""
    return {
        "kind": kind, "pair": pair, "at": at, "merged": len(flat.merges), "cells": list(flat.cells),
        "index": [[*key, flat.pair_counts.get(key, 0),
                   [[place, int(not flat.is_at(key, place))] for place in places]]
                  for key, places in flat.places_of.items()]}
