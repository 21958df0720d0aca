"""Lazy attributes: computed once, the same for all threads, and in a child that was forked."""

import os
import pickle
import threading

import pytest

from cs336_bpe.common.lazy import lazy


class Slow:
    def __init__(self):
        self.inside = threading.Event()
        self.go_on = threading.Event()
        self.calls = 0

    @lazy
    def value(self):
        """What takes a while."""
        self.calls += 1
        if self.calls == 1:
            self.inside.set()
            assert self.go_on.wait(20)
        return [self.calls]


def test_it_is_made_once_and_kept():
    slow = Slow()
    slow.go_on.set()
    assert slow.value is slow.value
    assert slow.calls == 1
    assert Slow.value.__doc__ == "What takes a while."


def test_two_threads_get_the_same():
    slow = Slow()
    seen = []
    thread = threading.Thread(target=lambda: seen.append(slow.value))
    thread.start()
    assert slow.inside.wait(20)
    mine = slow.value  # the other thread is not ready
    slow.go_on.set()
    thread.join()
    assert seen == [mine] == [[2]]
    assert seen[0] is mine is slow.value


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # Python 3.12: threads run
def test_a_child_that_is_forked_meanwhile_does_not_wait():
    slow = Slow()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert slow.inside.wait(20)
    child = os.fork()
    if not child:
        os._exit(0 if slow.value == [2] else 1)  # it would hang here
    slow.go_on.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


class Plain:
    @lazy
    def number(self):
        return 5


def test_what_was_computed_can_be_pickled():
    plain = Plain()
    assert plain.number == 5
    assert vars(pickle.loads(pickle.dumps(plain))) == {"number": 5}
