"""Writing a file so that a reader finds the whole of it, or what was there before; never a part.

A program can be stopped at any moment: by a full disk, by Ctrl-C, by a power cut. One that writes
straight into a file then leaves half of a new file where there was a good old one. So the bytes
go to another name in the same folder first, and take the final name when all of them are on the
disk. Renaming within a folder is one step: nobody sees it half done.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from cs336_bpe.common.paths import AnyPath

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def atomic_writer(path: AnyPath) -> Iterator[BinaryIO]:
    """A binary file to write to, which takes the name `path` if the `with` block ends well.

    If the block raises anything, KeyboardInterrupt too, what was written is removed and a file
    that had the name before is as it was. Its permission bits are kept; a new file gets the usual
    ones. If `path` is a symbolic link, the file that it points to is replaced, not the link.

    What the system refuses (no such folder, no permission, no space left) is an OSError that
    names `path`. So is an OSError from within the block that names no file.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "numbers.bin")
    ...     with atomic_writer(path) as file:
    ...         _ = file.write(b"one two")
    ...     try:
    ...         with atomic_writer(path) as file:
    ...             _ = file.write(b"thr")
    ...             raise RuntimeError("stopped half-way")
    ...     except RuntimeError:
    ...         print(path.read_bytes(), os.listdir(folder))
    b'one two' ['numbers.bin']
    """
    name = os.fsdecode(path)
    target = os.path.realpath(name)  # renaming onto a link would replace the link
    # In the same folder, because a file can't be renamed from one disk to another. Two programs
    # that write the same file at the same time need two names; the last to finish wins.
    folder, name_alone = os.path.split(target)
    # Truncate, so that the suffix fits even if the name has the maximal length.
    part = os.path.join(folder, f"{name_alone[:60]}.part{os.urandom(8).hex()}")
    file: BinaryIO | None = None
    try:
        mode = _permissions(name, target)
        _sweep(folder, name_alone)

        def create(part: str, flags: int) -> int:
            return os.open(part, flags, 0o666 if mode is None else mode)

        file = open(part, "xb", opener=create)  # noqa: SIM115 (closed below, in either case)
        while not _claim(file):
            file.close()
            file = open(part, "xb", opener=create)  # noqa: SIM115
        if mode is not None:
            os.chmod(part, mode)  # os.open has taken away the bits that the umask forbids
        yield file
        file.flush()
        # Without this, a power cut soon after can leave the final name on an empty file: the new
        # name may reach the disk before the bytes do.
        os.fsync(file.fileno())
        file.close()
        os.replace(part, target)
    except BaseException as error:
        if file is not None:
            with suppress(OSError):  # closing writes what is in the buffer: to a full disk, again
                file.close()
        with suppress(OSError):  # there may be none yet
            os.unlink(part)
        if isinstance(error, OSError):
            _name_the_file(error, name, target, part)
        raise


# A program that is killed can't clean up after itself. So whoever writes a file holds a lock on it,
# which ends with the process, and whoever writes to the same name next removes what nobody holds.


def _claim(file: BinaryIO) -> bool:
    """Lock a new file; false if somebody has swept it away before that."""
    if fcntl is None:
        return True
    with suppress(OSError):  # a file system without locks
        fcntl.flock(file, fcntl.LOCK_EX)
    return os.fstat(file.fileno()).st_nlink > 0


def _sweep(folder: str, name_alone: str) -> None:
    """Remove what a program has left that was killed while it wrote to this name."""
    if fcntl is None:
        return
    left = re.compile(re.escape(name_alone[:60]) + r"\.part[0-9a-f]{16}")
    with suppress(OSError):
        for name in filter(left.fullmatch, os.listdir(folder or ".")):
            path = os.path.join(folder, name)
            with suppress(OSError), open(path, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if it is held
                os.unlink(path)


def _permissions(name: str, target: str) -> int | None:
    """The permission bits of the file that will be replaced; None if there is none."""
    if not os.path.basename(name):
        raise IsADirectoryError(errno.EISDIR, "Names a folder; give the name of a file", name)
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory; give the name of a file", name)
    if not stat.S_ISREG(mode):  # a device or a pipe: it would be gone, with a file in its place
        raise OSError(errno.EINVAL, "Is not a regular file, so it can't be replaced", name)
    # Renaming needs no right to write to the old file; but who made it read-only meant it.
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "Is read-only; choose another name", name)
    return stat.S_IMODE(mode)


def _name_the_file(error: OSError, name: str, target: str, part: str) -> None:
    """Put the name that the caller knows into the error, not the one that we made up."""
    if error.errno is None or error.filename not in (None, target, part):
        return
    error.filename = name
    if error.filename2 is not None:  # from os.replace
        del error.filename2
    if error.errno == errno.ENOENT and not os.path.isdir(os.path.dirname(target)):
        error.strerror = "The folder does not exist; make it first"
