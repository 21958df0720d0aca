"""One run at a time in a folder."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from cs336_bpe.common.paths import AnyPath

try:
    import fcntl
except ImportError:  # Windows: two runs have to be kept apart by their user
    fcntl = None  # type: ignore[assignment]

_held: set[int] = set()  # open folders


def _let_go() -> None:
    """In a process that was forked: the lock is its parent's, and must not outlive that."""
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


@contextmanager
def alone_in(folder: AnyPath) -> Iterator[None]:
    """Keep other runs out of a folder; an OSError says so if there is one.

    The folder itself is locked, so there is no file to remove. The system takes the lock away when
    the program ends, however it ends. On a file system without locks for folders (NFS), nobody is
    kept out.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, alone_in(folder):
    ...     try:
    ...         with alone_in(folder):
    ...             print("never")
    ...     except OSError as error:
    ...         print(error.strerror)
    Another run is at work in this folder; wait for it, or choose another folder
    """
    if fcntl is None:
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    _held.add(number)
    process = os.getpid()
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(errno.EBUSY, "Another run is at work in this folder; wait for it, or "
                                       "choose another folder", os.fsdecode(folder)) from None
        except OSError:  # there are no locks here
            pass
        yield
    finally:
        if os.getpid() == process:  # not if a child comes this way
            _held.discard(number)
            os.close(number)
