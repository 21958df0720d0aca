"""Processes that end with the one that started them, however that ends.

A process that is killed can't end those that it has started. They would wait for ever for work
that nobody sends. So each of them watches the other end of a pipe that only its parent holds.
"""

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import wait


def end_with_parent() -> None:
    """Call this in a process that `multiprocessing` has started; it can be an initializer."""
    parent = multiprocessing.parent_process()
    if parent is None:  # this is no such process
        return
    sentinel = parent.sentinel

    def watch() -> None:
        wait([sentinel])
        # At once, whatever the other threads do. Where there is no SIGKILL, SIGTERM does the same.
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

    threading.Thread(target=watch, daemon=True, name="watches the parent").start()
