"""Tasks over executors: nothing is lost, nothing piles up, and hopeless errors come at once."""

import os
import signal
import threading
import time
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)

import pytest

from cs336_bpe.common.tasks import LostWorkerWarning, run_tasks


def square(number):
    return number * number


def die_once(task):
    """Kill the process that runs this, the first time."""
    number, folder = task
    if number == 5 and not os.path.exists(os.path.join(folder, "died")):
        with open(os.path.join(folder, "died"), "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(task):
    os.kill(os.getpid(), signal.SIGKILL)


def test_results_of_all():
    with ThreadPoolExecutor(3) as executor:
        results = dict(run_tasks(executor, square, range(100), in_flight=7))
    assert results == {number: number * number for number in range(100)}


def test_no_more_than_so_many_at_once():
    taken = used = most = 0

    def items():
        nonlocal taken
        for number in range(50):
            taken += 1
            yield number

    with ThreadPoolExecutor(3) as executor:
        for _ in run_tasks(executor, square, items(), in_flight=5):
            used += 1
            most = max(most, taken - used)
    assert (taken, used) == (50, 50)
    assert most <= 5


def test_a_task_that_fails_now_and_then():
    failures = {3: 2, 4: 3}
    lock = threading.Lock()

    def work(number):
        with lock:
            if failures.get(number):
                failures[number] -= 1
                raise OSError(5, "the disk is tired")
        return number

    with ThreadPoolExecutor(2) as executor:
        assert dict(run_tasks(executor, work, range(10))) == dict(enumerate(range(10)))
        failures[7] = 4
        with pytest.raises(OSError, match="tired"):
            dict(run_tasks(executor, work, range(10)))


def test_a_hopeless_error_is_raised_at_once():
    calls = []

    def work(number):
        calls.append(number)
        if number == 2:
            raise ValueError("line 5 is broken")
        time.sleep(0.01)

    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="line 5"):
        dict(run_tasks(executor, work, range(1_000), in_flight=8))
    assert calls.count(2) == 1
    assert len(calls) < 20


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # of tests before it
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_pool_that_breaks_is_replaced(tmp_path):
    tasks = [(number, str(tmp_path)) for number in range(30)]
    with ProcessPoolExecutor(2) as executor, pytest.warns(LostWorkerWarning, match="was lost"):
        assert dict(run_tasks(executor, die_once, tasks, in_flight=6)) == dict(enumerate(range(30)))
    assert (tmp_path / "died").exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.filterwarnings("ignore::cs336_bpe.common.tasks.LostWorkerWarning")
def test_a_task_that_always_kills_is_given_up():
    with ProcessPoolExecutor(1) as executor, pytest.raises(BrokenExecutor):
        dict(run_tasks(executor, die, [1], retries=1))


def test_a_broken_executor_of_another_kind_is_an_error():
    class Broken(Executor):
        def submit(self, function, /, *arguments):
            future = Future()
            future.set_exception(BrokenExecutor("gone"))
            return future

    with pytest.raises(BrokenExecutor, match="gone"):
        # Nobody knows how to make another one, and trying for ever would be worse.
        dict(run_tasks(Broken(), square, range(3)))
    with pytest.raises(TypeError, match="executor is a int"):
        dict(run_tasks(5, square, range(3)))


def test_items_may_run_dry_until_a_result_comes():
    class Chain:
        """The next item is known when the last one is done."""

        def __init__(self):
            self.ready = [1]

        def __iter__(self):
            return self

        def __next__(self):
            if not self.ready:
                raise StopIteration
            return self.ready.pop()

    chain = Chain()
    seen = []
    with ThreadPoolExecutor(2) as executor:
        for _, result in run_tasks(executor, square, chain):
            seen.append(result)
            if result < 1_000:
                chain.ready.append(result + 1)
    assert seen == [1, 4, 25, 676, 458329]
