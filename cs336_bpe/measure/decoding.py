"""Time and memory of one decoding stage, measured in a fresh process.

Ids come in two ways, as a list and as an array, and go to bytes or on to text: `WAYS`. Building the
decoder is not timed. The integers of the list are all different objects, as they are in a list that
was read from somewhere; a list in which they are shared is read faster, by every stage.

The clock is the processor time of the thread, as in `encoding`.
"""

import statistics
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from multiprocessing.connection import Connection
from time import thread_time
from typing import Any

from cs336_bpe.measure.process import (
    ENOUGH_SECONDS,
    Report,
    in_fresh_process,
    peak_memory,
    reset_peak_memory,
)
from cs336_bpe.stages import Stage

WAYS = {"text": "a list to text", "list": "a list to bytes", "array": "an array to bytes"}
MOST_REPEATS = 51  # a short text takes microseconds


@dataclass
class DecodeMeasurement:
    """What one decoding stage did, in each of the ways."""

    stage: str
    num_tokens: int
    num_bytes: int
    seconds: float  # from a list to text, which is what most want: the median
    all_seconds: dict[str, list[float]]  # of each way
    build_seconds: float  # for making the decoder, which is in no other time
    peak_bytes: int  # resident memory at its peak, from a list to text, less the list and the rest
    digest: str  # of the bytes and of the text, so that stages can be compared

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure_decoding(
    stage: Stage,
    vocab: Mapping[int, bytes],
    ids: Sequence[int],
    *,
    report: Report = lambda done, total: None,
) -> DecodeMeasurement:
    """Run a decoding stage in every way, several times if it is fast."""
    code = "H" if max(vocab, default=0) < 1 << 16 else "I"
    run = in_fresh_process(_decode_here, stage, report, dict(vocab), array(code, ids))
    assert isinstance(run, DecodeMeasurement)
    return run


def _decode_here(pipe: Connection, stage: Stage, vocab: dict[int, bytes],
                 ids: "array[int]") -> None:
    try:
        make = stage.load().Decoder
        numbers = ids.tolist()
        before = reset_peak_memory()
        start = thread_time()
        decoder = make(vocab)
        build_seconds = thread_time() - start
        calls = {"text": (decoder.decode, numbers), "list": (decoder.decode_bytes, numbers),
                 "array": (decoder.decode_bytes, ids)}
        all_seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        digests: dict[str, str] = {}
        peak = repeats = 0
        spent = 0.0
        while not repeats or (spent < ENOUGH_SECONDS and repeats < MOST_REPEATS):
            for way, (decode, given) in calls.items():
                result: Any = None  # the old one goes before the new one comes
                start = thread_time()
                result = decode(given)
                all_seconds[way].append(thread_time() - start)
                peak = peak or max(0, peak_memory() - before)  # of the first call alone
                if way not in digests:
                    data = result.encode("utf-8") if isinstance(result, str) else result
                    digests[way], num_bytes = sha256(data).hexdigest(), len(data)
            pipe.send(("progress", (len(ids), len(ids))))
            spent = sum(sum(seconds) for seconds in all_seconds.values())
            repeats += 1
        pipe.send(("result", DecodeMeasurement(
            stage.name, len(ids), num_bytes, statistics.median(all_seconds["text"]), all_seconds,
            build_seconds, peak, " ".join(digests.values()))))
    except BaseException as error:
        pipe.send(("error", error))
