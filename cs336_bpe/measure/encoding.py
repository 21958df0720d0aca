"""Time and memory of one encoding stage, measured in a fresh process with fresh encoders.

An encoder starts cold: one with a cache has to see each pretoken first. A fast stage is run several
times in the same process, each time with a new encoder, and the median counts.

Building the encoder is not timed, and neither is splitting the text. The exception are stages that
take whole texts: they get documents, so their splitting is timed. All of them make Python lists.
Every pretoken is a new bytes object, as it would be for somebody who cuts a text into words; if it
were the same object each time, Python would have its hash already, and a cache would look faster.

The clock is the processor time of the thread. Encoding pretokens is one thread that never waits
for anything, so on an idle machine that is the time on the wall; on a busy one it leaves out the
time in which others had the processor.
"""

import statistics
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, chain, pairwise
from multiprocessing.connection import Connection
from time import thread_time
from typing import Any

from cs336_bpe.measure.process import (
    ENOUGH_SECONDS,
    MAX_REPEATS,
    Report,
    in_fresh_process,
    peak_memory,
    reset_peak_memory,
)
from cs336_bpe.rules import GPT2_PATTERN, Pair, check_pattern
from cs336_bpe.stages import Stage
from cs336_bpe.text.specials import split_at_specials

LARGEST_BATCH = 1024
ENOUGH_FOR_A_BATCH = 0.02
END = 2**32 - 1  # stands after the ids of each pretoken; no id is as great


@dataclass
class EncodeMeasurement:
    """What one encoding stage did: `seconds` for the first `num_bytes` bytes of the text."""

    stage: str
    wanted_bytes: int
    num_bytes: int
    num_pretokens: int
    num_tokens: int
    seconds: float  # the median of `all_seconds`
    all_seconds: list[float]
    build_seconds: float  # for making the encoder, which is in no other time
    peak_bytes: int  # resident memory at its peak, less what was there before; with the encoder
    complete: bool  # or cut short, because the whole text would have taken longer than the limit
    ids: "array[int]"  # of all pretokens that were encoded, each followed by END; or of a text

    @property
    def bytes_per_second(self) -> float:
        return self.num_bytes / self.seconds if self.seconds else 0.0

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        del values["ids"]
        return {**values, "bytes_per_second": self.bytes_per_second}


def split_text(text: str, special_tokens: list[str]) -> list[bytes]:
    """The pretokens of a text, in order, each as often as it occurs; an empty one where a special
    token was.

    >>> split_text("low, low<|endoftext|>low", ["<|endoftext|>"])
    [b'low', b',', b' low', b'', b'low']
    """
    find = check_pattern(GPT2_PATTERN).findall
    pretokens: list[bytes] = []
    for part in split_at_specials(text, special_tokens):
        pretokens.extend(pretoken.encode() for pretoken in find(part))
        pretokens.append(b"")
    return pretokens[:-1]


def measure_encoding(
    stage: Stage,
    vocab: Mapping[int, bytes],
    merges: Sequence[Pair],
    pretokens: Sequence[bytes],
    *,
    limit: float = float("inf"),
    report: Report = lambda done, total: None,
) -> EncodeMeasurement:
    """Run an encoding stage over the pretokens, several times if it is fast.

    After `limit` seconds it stops, and what it has done until then is what is measured.
    """
    ids = array("I")

    def receive(done: int, total: int, some: "array[int]") -> None:
        ids.extend(some)
        report(done, total)

    ends = array("q", accumulate(map(len, pretokens)))
    run = in_fresh_process(_encode_here, stage, receive, dict(vocab), list(merges),
                           b"".join(pretokens), ends, limit)
    assert isinstance(run, EncodeMeasurement)
    run.ids = ids
    run.num_tokens = len(ids) - ids.count(END)
    return run


def _encode_here(pipe: Connection, stage: Stage, vocab: dict[int, bytes], merges: list[Pair],
                 text: bytes, ends: "array[int]", limit: float) -> None:
    try:
        make = stage.load().Encoder
        before = reset_peak_memory()
        all_seconds: list[float] = []
        done = num_bytes = peak = 0
        while not all_seconds or (done == len(ends) and sum(all_seconds) < ENOUGH_SECONDS
                                  and len(all_seconds) < MAX_REPEATS):
            encoder = None  # the old one goes before the new one comes
            start = thread_time()
            encoder = make(vocab, merges)
            build_seconds = thread_time() - start
            encode = encoder.encode_pretoken
            seconds = 0.0
            if stage.whole_texts:
                seconds, ids = _encode_documents(encoder.encode_text, text, ends)
                done, num_bytes = len(ends), len(text)
                if not all_seconds:
                    pipe.send(("progress", (num_bytes, len(text), ids)))
            done, size = done if seconds else 0, 1
            while done < len(ends) and (seconds < limit or done == 0):
                batch = list(_cut(text, ends, done, done + size))
                start = thread_time()
                results = [encode(pretoken) for pretoken in batch]
                taken = thread_time() - start
                seconds += taken
                done += len(batch)
                num_bytes = ends[done - 1]
                if not all_seconds:  # the first time, somebody wants to see the results
                    pipe.send(("progress", (num_bytes, len(text), _flat(results))))
                if taken < ENOUGH_FOR_A_BATCH:
                    size = min(2 * size, LARGEST_BATCH)
            all_seconds.append(seconds)
            peak = peak or max(0, peak_memory() - before)
        pipe.send(("result", EncodeMeasurement(
            stage.name, len(text), num_bytes, done, 0, statistics.median(all_seconds), all_seconds,
            build_seconds, peak, done == len(ends), array("I"))))
    except BaseException as error:
        pipe.send(("error", error))


def _encode_documents(encode: Callable[[bytes], list[int]], text: bytes,
                      ends: "array[int]") -> "tuple[float, array[int]]":
    """Encode a text from one empty pretoken to the next, and return the seconds and the ids."""
    seconds = 0.0
    ids = array("I")
    start = 0
    empty = (end for before, end in pairwise(ends) if before == end)
    for end in chain(empty, [len(text)]):
        document = text[start:end]
        begin = thread_time()
        result = encode(document)
        seconds += thread_time() - begin
        ids.extend(result)
        start = end
    return seconds, ids


def _cut(text: bytes, ends: "array[int]", first: int, last: int) -> Iterator[bytes]:
    """Pretokens number `first` to `last`, as far as there are any.

    >>> list(_cut(b"abcdef", array("q", [1, 3, 6]), 1, 5))
    [b'bc', b'def']
    """
    start = ends[first - 1] if first else 0
    for end in ends[first:last]:
        yield text[start:end]
        start = end


def _flat(results: Iterable[list[int]]) -> "array[int]":
    ids = array("I")
    for result in results:
        ids.extend(result)
        ids.append(END)
    return ids
