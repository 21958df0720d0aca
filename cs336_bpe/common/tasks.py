"""Many tasks over any `concurrent.futures.Executor`, in bounded memory, and none of them lost.

Processes and machines go away while they work. What is asked for here is that this changes nothing:
a task that fails is tried again, and if a whole pool of processes breaks, as the standard library's
does when one of them is killed, it is replaced and what was under way is begun anew. Tasks must
therefore give the same result however often they run.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import suppress
from typing import Any, TypeVar

from cs336_bpe.common.limits import IN_FLIGHT

RETRIES = 3

HOPELESS = (ValueError, TypeError, AssertionError, ImportError, FileNotFoundError,
            IsADirectoryError, NotADirectoryError, PermissionError)
"""What another try would raise again: errors in the input, not of the machine."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class LostWorkerWarning(UserWarning):
    """A pool of processes broke, and was replaced."""


def run_tasks(executor: Executor, function: Callable[[Item], Result], items: Iterable[Item], *,
              in_flight: int = IN_FLIGHT, retries: int = RETRIES) -> Iterator[tuple[int, Result]]:
    """Call a function with each item, and yield the number of the item and the result as they come.

    No more than `in_flight` items are taken before a result is used, so neither items nor results
    pile up. A task that raises is tried `retries` times more, unless that is hopeless. If the work
    ends early, what has not begun is cancelled.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as executor:
    ...     sorted(run_tasks(executor, len, ["one", "three"]))
    [(0, 3), (1, 5)]
    """
    if not isinstance(executor, Executor) and not hasattr(executor, "submit"):
        raise TypeError(f"executor is a {type(executor).__name__}; it must be a "
                        f"concurrent.futures.Executor (of Dask: client.get_executor())")
    run = _Run(executor, function, retries)
    numbered = enumerate(items)
    try:
        while True:
            while len(run.under_way) < in_flight and (task := next(numbered, None)) is not None:
                run.submit(*task)
            if not run.under_way:
                return
            yield from run.results()
    finally:
        run.end()


class _Run:
    def __init__(self, executor: Executor, function: Callable[[Any], Any], retries: int) -> None:
        self.executor = executor
        self.function = function
        self.retries = retries
        self.under_way: dict[Future[Any], tuple[int, Any]] = {}
        self.tries: dict[int, int] = {}  # of the tasks that have failed before
        self.own: Executor | None = None  # a pool that replaces one that broke

    def submit(self, number: int, item: Any) -> None:
        try:
            future = self.executor.submit(self.function, item)
        except BrokenExecutor as error:
            self.replace(error)
            future = self.executor.submit(self.function, item)
        self.under_way[future] = (number, item)

    def results(self) -> Iterator[tuple[int, Any]]:
        """Wait until something is done, and yield what went well."""
        done, _ = wait(self.under_way, return_when=FIRST_COMPLETED)
        # In the order of the items: of several errors, the first is raised.
        for future in sorted(done, key=lambda future: self.under_way[future][0]):
            number, item = self.under_way.pop(future)
            try:
                result = future.result()
            except (BrokenExecutor, CancelledError) as error:
                # All tasks of the pool end like this, and nobody knows which one broke it.
                self.count_try(number, error)
                if self.is_broken(error):
                    self.replace(error)
                self.submit(number, item)
            except HOPELESS:
                raise
            except Exception as error:
                self.count_try(number, error)
                self.submit(number, item)
            else:
                self.tries.pop(number, None)
                yield number, result

    def count_try(self, number: int, error: BaseException) -> None:
        self.tries[number] = self.tries.get(number, 0) + 1
        if self.tries[number] > self.retries:
            raise error

    def is_broken(self, error: BaseException) -> bool:
        """Whether the pool that is in use is broken, and not only the one before it."""
        try:
            self.executor.submit(int).cancel()
        except BrokenExecutor:
            return True
        except RuntimeError:
            raise error from None  # somebody has shut it down
        return False

    def replace(self, error: BaseException) -> None:
        """Take a new pool instead of one that broke."""
        if type(self.executor) is not ProcessPoolExecutor:
            raise error
        warnings.warn(f"a worker was lost ({error}); its pool is replaced, and what was under way "
                      f"begins anew", LostWorkerWarning, stacklevel=2)
        self.end_own()
        # There is no public way to ask a pool how it was made.
        old = vars(self.executor)
        self.own = self.executor = ProcessPoolExecutor(
            old["_max_workers"], old["_mp_context"], old["_initializer"], old["_initargs"])

    def end_own(self) -> None:
        if self.own is not None:
            self.own.shutdown(wait=False, cancel_futures=True)
            self.own = None

    def end(self) -> None:
        for future in self.under_way:
            with suppress(Exception):
                future.cancel()
        if self.own is not None:
            self.own.shutdown(wait=True, cancel_futures=True)
