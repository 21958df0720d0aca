"""A chart of measured ladders, into which a reader drops a measurement of their own."""

from collections.abc import Mapping, Sequence
from typing import Any

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.pages.page import write_page

LADDERS = ("pretokenize", "train", "encode", "decode")
ABOUT = ("title", "corpus", "vocab_size", "machine", "date", "command")
ROW = ("stage", "idea", "predecessor", "workers", "seconds", "all_seconds", "num_bytes", "complete",
       "wanted", "num_merges", "whole_seconds", "bytes_per_second", "all_bytes_per_second",
       "num_tokens", "medians")


def write_ladder_page(path: AnyPath, results: Sequence[Mapping[str, Any]] = (), *,
                      title: str = "The ladders, as they were measured") -> int:
    """Write a chart of ladders that were measured; return the size of the file in bytes.

    A result is what `cs336-bpe ladder --json` prints, or a file of `benchmarks/results` about one
    ladder. The page takes such files too, from a reader who drops one in, and shows both together.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> rows = [{"stage": "stage01_whole_text", "idea": "the definition", "predecessor": None,
    ...          "workers": 1, "num_bytes": 10**6, "seconds": 0.5, "all_seconds": [0.4, 0.5]}]
    >>> with TemporaryDirectory() as folder:
    ...     size = write_ladder_page(Path(folder, "ladder.html"), [{"pretokenize": rows}])
    ...     size == Path(folder, "ladder.html").stat().st_size
    True
    """
    return write_page(path, "play/ladder", title, {"results": [_needed(one) for one in results]})


def _needed(result: Mapping[str, Any]) -> dict[str, Any]:
    """What the page needs of a result. It may be large: machines, digests, and more."""
    if not isinstance(result, Mapping):
        raise TypeError(f"a result is a {type(result).__name__}; it must be a mapping, as "
                        f"`cs336-bpe ladder --json` prints it")
    tables = {name: result[name] for name in ("rows", *LADDERS) if result.get(name)}
    if not tables:
        raise ValueError(f"a result has no rows; it must have a list of them for one of "
                         f"{', '.join(LADDERS)}, as `cs336-bpe ladder --json` prints it")
    about = {name: result[name] for name in ABOUT if isinstance(result.get(name), (str, int))}
    return about | {name: [{key: row[key] for key in ROW if key in row} for row in rows]
                    for name, rows in tables.items()}
