"""A crew of threads: over the blocks of a text, over any items in order, or over some calls.

Compiled code releases the interpreter's lock while it works, so threads really run at the same
time. Blocks are given out in the order of the file. What is made of them can be used in that order
too: a thread that is early leaves its result to the one that is late, and goes on. No more blocks
are in memory than there are threads, and no more than twice as many results.

What every crew keeps to:

- If something fails, the error that is raised is the first one in the file, not the first in time.
  Blocks are given out in order, so when one fails, all before it are done or under way. Each thread
  ends after the block it has, and then the error with the lowest number is raised.
- Ctrl-C, and whatever `report` raises, ends the work in the same way. Before the call returns, all
  threads have ended, so the file can be closed and the tables freed.
- The main thread waits for a word from a thread, 50 ms at most at a time. That a thread has ended
  is written down, so no interrupt can use it up.
- Ctrl-C may come between any two steps of the main thread's Python code. Much of `threading` is
  such code: an interrupt within a semaphore, a condition or `Thread.start` can leave a lock taken
  for ever, and in Python 3.9 to 3.12 a `Thread.join` that is interrupted takes the thread for
  ended. So the main thread uses only what is written in C: threads of `_thread`, a queue and a
  plain lock. Each of their operations is done, or it is not.
"""

import threading
from _thread import start_new_thread
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from cs336_bpe.text.blocks import Block, Reader

MAX_THREADS = 256
SECONDS_BETWEEN_LOOKS = 0.05

Item = TypeVar("Item")
Result = TypeVar("Result")


def num_threads(reader: Reader, workers: int) -> int:
    """How many threads are worth having: no more than there are blocks."""
    if reader.end is not None:
        workers = min(workers, -(-reader.end // reader.block_bytes))
    return max(1, min(workers, MAX_THREADS))


def over_blocks(
    reader: Reader,
    works: Sequence[Callable[[Block], Result]],
    report: Callable[[int], None],
    *,
    use: Callable[[Result], None] | None = None,
    padding: int = 0,
) -> None:
    """Call a function for each block of a text, in as many threads as there are functions.

    Each thread has a function of its own, which may keep something between two blocks. If there is
    only one, no thread is started. `use` is called with each result, one at a time and in the order
    of the blocks. `report` is called now and then with the number of bytes of input that are done.
    `padding` bytes after a block can be read, and have no meaning.

    >>> import io
    >>> from cs336_bpe.text.blocks import BlockReader
    >>> from cs336_bpe.text.cuts import Cutter
    >>> reader = BlockReader(io.BytesIO(b"one two three"), "a text", Cutter([]), 5)
    >>> def word(block):
    ...     return bytes(block.buffer[:block.size])
    >>> over_blocks(reader, [word, word], lambda done: None, use=print)
    b'one'
    b' two'
    b' three'
    """
    buffers: dict[int, bytearray] = {}
    done = 0

    def take(thread: int) -> Block | None:
        buffer = buffers[thread]
        block = reader.read_block(buffer)
        if block is not None and len(buffer) < block.size + padding:
            buffer.extend(bytes(padding))
        return block

    def end(block: Block) -> None:
        nonlocal done
        done += block.input_bytes

    def begin(thread: int) -> None:  # in the thread itself, and not under the lock
        buffers[thread] = bytearray(reader.block_bytes + padding)

    _Crew(take, works, use, begin, end).run(lambda: report(done))


def over_items(items: Iterator[Item], work: Callable[[Item], Result], workers: int,
               report: Callable[[], None], *, use: Callable[[Result], None]) -> None:
    """Call a function for each item, in several threads, and `use` each result, in order.

    No more items are taken than there are threads; one thread at a time takes one. `report` is
    called now and then.

    >>> over_items(iter([3, 1, 2]), lambda item: 10 * item, 2, lambda: None, use=print)
    30
    10
    20
    """
    works = [work] * max(1, min(workers, MAX_THREADS))
    _Crew(lambda thread: next(items, None), works, use).run(report)


def over_calls(calls: Iterable[Callable[[], None]], workers: int) -> None:
    """Call each function once, in several threads, and return when all have returned.

    >>> seen = []
    >>> over_calls([lambda: seen.append(1), lambda: seen.append(2)], workers=2)
    >>> sorted(seen)
    [1, 2]
    """
    all_calls = list(calls)
    left = iter(all_calls)

    def work(call: Callable[[], None]) -> None:
        call()

    workers = max(1, min(workers, len(all_calls), MAX_THREADS))
    _Crew(lambda thread: next(left, None), [work] * workers).run(lambda: None)


def _nothing(value: object) -> None:
    pass


class _Crew(Generic[Item, Result]):
    """What the threads of one run share."""

    def __init__(self, take: Callable[[int], Item | None],
                 works: Sequence[Callable[[Item], Result]],
                 use: Callable[[Result], None] | None = None,
                 begin: Callable[[int], None] = _nothing,
                 end: Callable[[Item], None] = _nothing) -> None:
        self.take = take
        self.works = works
        self.use = use
        self.begin = begin
        self.end = end
        self.taking = threading.Lock()  # around `take`, so items are given out in order
        self.num_taken = 0
        self.numbers = [0] * len(works)  # of the item that each thread has, or is about to take
        self.lock = threading.Lock()
        self.turn = threading.Condition(self.lock)  # around `use` and all that follows
        self.early: dict[int, tuple[Result, Item]] = {}  # results that wait to be used
        self.is_using = False  # somebody uses results, and the lock is not held meanwhile
        self.num_used = 0
        self.num_started = 0  # threads, of which we know
        self.ended = [False] * len(works)
        self.failures: list[tuple[int, BaseException]] = []  # the item's number, and what it raised
        self.stopped = False
        self.may_begin: SimpleQueue[None] = SimpleQueue()  # at least one for each thread
        self.has_ended: SimpleQueue[None] = SimpleQueue()  # one each time that a thread has

    def run(self, report: Callable[[], None]) -> None:
        if len(self.works) == 1:
            self.begin(0)
            while self.do_one(0):
                report()
            return
        try:
            try:
                self.start()
                self.let_begin()
                while not self.have_ended():
                    self.wait_a_little()
                    report()
            finally:
                self.wait_for_all()
        finally:
            self.wait_for_all()  # a second Ctrl-C may have come at the first step of the other one
        report()
        if self.failures:
            raise min(self.failures, key=lambda failure: failure[0])[1]

    def start(self) -> None:
        """Start as many threads as there is memory for; at least one."""
        for number in range(len(self.works)):
            try:
                start_new_thread(self.work, (number,))
            except RuntimeError:  # "can't start new thread"; fewer do the same work
                if number == 0:
                    raise MemoryError("no memory for a thread; try workers=1") from None
                return
            # If Ctrl-C comes before this, nobody waits for that thread. It will find that we have
            # stopped, and do nothing.
            self.num_started = number + 1

    def have_ended(self) -> bool:
        return all(self.ended[: self.num_started])

    def wait_for_all(self) -> None:
        """Return when all threads have ended, even if Ctrl-C comes again, or another signal whose
        handler raises something."""
        interrupt = None
        while True:
            try:
                self.stop()
                while not self.have_ended():
                    self.wait_a_little()
                break
            except BaseException as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt

    def wait_a_little(self) -> None:
        """Until a thread has ended, or 50 ms."""
        with suppress(Empty):
            self.has_ended.get(timeout=SECONDS_BETWEEN_LOOKS)

    def let_begin(self) -> None:
        for _ in self.works:
            self.may_begin.put(None)

    def stop(self) -> None:
        self.stopped = True
        self.let_begin()
        with self.lock:
            self.turn.notify_all()

    def work(self, thread: int) -> None:
        """What a thread does."""
        try:
            self.may_begin.get()
            if not self.stopped:
                self.begin(thread)
            while not self.stopped and self.do_one(thread):
                pass
        except BaseException as error:
            with self.turn:
                self.failures.append((self.numbers[thread], error))
            self.stop()
        finally:
            self.ended[thread] = True
            self.has_ended.put(None)

    def do_one(self, thread: int) -> bool:
        """Take an item, work on it, and have the result used in its turn; False at the end."""
        with self.taking:
            self.wait_for_the_late()
            if self.stopped:  # or two threads could fail to take the same item, in two ways
                return False
            number = self.numbers[thread] = self.num_taken
            try:
                item = self.take(thread)
            except BaseException:
                self.stopped = True
                raise
            if item is None:
                return False
            self.num_taken += 1
        result = self.works[thread](item)
        if self.use is None:
            with self.turn:
                self.end(item)
            return True
        with self.turn:
            self.early[number] = result, item
        self.use_results(thread, self.use)
        return True

    def wait_for_the_late(self) -> None:
        """Return when no more results wait to be used than may."""
        most = 2 * len(self.works)
        with self.turn:
            while self.use and self.num_taken - self.num_used >= most and not self.stopped:
                self.turn.wait()

    def use_results(self, thread: int, use: Callable[[Result], None]) -> None:
        """Use all results whose turn it is, unless another thread is at it and will see ours."""
        with self.turn:
            if self.is_using:
                return
            self.is_using = True
        while True:
            with self.turn:
                if self.num_used not in self.early:
                    self.is_using = False
                    return
                result, item = self.early.pop(self.num_used)
            self.numbers[thread] = self.num_used  # if it fails, that is the one that has
            use(result)
            with self.turn:
                self.num_used += 1
                self.end(item)
                self.turn.notify_all()
