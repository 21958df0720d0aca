"""What single steps cost on this machine: in Python, in its caches, in its memory.

These are the figures that the pages under docs/machine speak of. Each is the least of several
measurements, because other programs can only make one slower. They are meant to be compared with
each other, not with another machine's: a read by numpy, for instance, has some nanoseconds of
numpy's own in it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pickle import dumps, loads
from time import perf_counter
from timeit import Timer

REPEATS = 5
CACHE_SIZES = (16, 256, 4096, 65536)
"""In kilobytes. Most processors have caches between these."""


@dataclass(frozen=True)
class Cost:
    """A step, how long it takes, and the page under docs/machine that explains it."""

    what: str
    nanoseconds: float
    page: str


def least_seconds(function: Callable[[], object], repeats: int = REPEATS) -> float:
    """The shortest of several runs.

    >>> least_seconds(lambda: sum(range(1000))) > 0
    True
    """
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        seconds.append(perf_counter() - start)
    return min(seconds)


def measure_costs() -> Iterator[Cost]:
    """The costs, one by one as they are measured; about a second in all."""
    yield from _python()
    yield from _reads()
    yield from _pages()
    yield from _wide()


def _python(number: int = 100_000) -> Iterator[Cost]:
    word = "(b'n', b'e', b'w', b'e', b's', b't')"
    for what, statement, setup in (
        ("Python: add two numbers", "a + b", "a, b = 1000, 2000"),
        ("Python: call a function", "f(a)", "a = 1\ndef f(a):\n    return a"),
        ("Python: dict, by a number", "d[77]", "d = {77: 1}"),
        ("Python: dict, by six tokens", "d[word]", f"word = {word}\nd = {{word: 1}}"),
    ):
        seconds = min(Timer(statement, setup).repeat(REPEATS, number))
        yield Cost(what, seconds / number * 1e9, "python")
    words = [tuple(bytes([byte]) for byte in f"word{n}".encode()) for n in range(2000)]
    yield Cost("Python: pickle a word, and back",
               least_seconds(lambda: loads(dumps(words))) / len(words) * 1e9, "threads")


def _reads(reads: int = 500_000) -> Iterator[Cost]:
    import numpy as np  # late, as everywhere in a command

    random = np.random.default_rng(1)
    found = np.empty(reads, dtype=np.int64)  # beforehand, so that no fresh page is in the time
    for kilobytes in CACHE_SIZES:
        array = np.ones(kilobytes * 128, dtype=np.int64)  # 8 bytes each
        places = random.integers(0, len(array), reads)
        seconds = least_seconds(partial(array.take, places, out=found, mode="clip"))
        yield Cost(f"read at random from {kilobytes:,} kB", seconds / reads * 1e9, "processor")
    # In order, and each time another part, which no cache has.
    parts = iter([np.arange(start, start + reads) for start in range(0, reads * REPEATS, reads)])
    seconds = least_seconds(lambda: array.take(next(parts), out=found, mode="clip"))
    yield Cost(f"read in order from {kilobytes:,} kB", seconds / reads * 1e9, "processor")


def _pages(pages: int = 8000, page_bytes: int = 4096) -> Iterator[Cost]:
    import numpy as np

    fresh = np.empty(pages * page_bytes, dtype=np.uint8)
    first = least_seconds(lambda: fresh.fill(1), repeats=1)
    yield Cost("write 4 kB for the first time", first / pages * 1e9, "processor")
    yield Cost("write 4 kB again", least_seconds(lambda: fresh.fill(2)) / pages * 1e9, "processor")


def _wide(numbers: int = 8192) -> Iterator[Cost]:
    import numpy as np

    for kind, name in ((np.uint8, "one byte"), (np.uint64, "eight bytes")):
        array = np.ones(numbers, dtype=kind)
        out = np.empty_like(array)
        seconds = least_seconds(partial(np.add, array, array, out=out), repeats=200)
        yield Cost(f"add 64 numbers of {name} each", seconds / numbers * 64 * 1e9, "processor")
