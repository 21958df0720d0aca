"""Are there threads that were not there before? For tests of what starts some."""

import os
import threading
import time
from contextlib import contextmanager


def num_threads():
    """Of this process. Python's own count leaves out those that `threading` did not start."""
    try:
        return len(os.listdir("/proc/self/task"))
    except FileNotFoundError:  # not Linux
        return threading.active_count()


@contextmanager
def no_thread_left():
    """A thread that has done everything may need a moment to end."""
    first = threading.Thread(target=int)  # the first one may start others, of a sanitizer
    first.start()
    first.join()
    before = num_threads()
    yield
    end = time.monotonic() + 5
    while num_threads() > before and time.monotonic() < end:
        time.sleep(0.001)
    assert num_threads() <= before
