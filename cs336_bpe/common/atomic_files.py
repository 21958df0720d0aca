"""Writing a file so that a reader finds the whole of it, or what was there before; never a part.

A program can be stopped at any moment: by a full disk, by Ctrl-C, by a power cut. One that writes
straight into a file then leaves half of a new file where there was a good old one. So the bytes
go to another name in the same folder first, and take the final name when all of them are on the
disk. Renaming within a folder is one step: nobody sees it half done.

A program that is killed (`kill -9`) can't remove what it has written under the other name. The
next one that writes the same file does: each writer holds a lock on its part, which the system
takes away when the program ends, however it ends. A part that nobody holds is removed.
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
except ImportError:  # Windows: a part that was left behind stays
    fcntl = None  # type: ignore[assignment]


@contextmanager
def atomic_writer(path: AnyPath) -> Iterator[BinaryIO]:
    """A binary file to write to, which takes the name `path` if the `with` block ends well.

    If the block raises anything, KeyboardInterrupt too, what was written is removed and a file
    that had the name before is as it was. Its permission bits are kept; a new file gets the usual
    ones. If `path` is a symbolic link, the file that it points to is replaced, not the link.
    Parts of the same file that a killed program has left behind are removed.

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
    stem = f"{name_alone[:60]}.part"
    part = ""
    file: BinaryIO | None = None
    try:
        mode = _permissions(name, target)
        _remove_abandoned(folder, stem)

        def create(part: str, flags: int) -> int:
            return os.open(part, flags, 0o666 if mode is None else mode)

        while file is None:
            part = os.path.join(folder, stem + os.urandom(8).hex())
            file = open(part, "xb", opener=create)  # noqa: SIM115 (closed below, in either case)
            if not _hold(file.fileno(), part):
                file.close()
                file = None
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


def _remove_abandoned(folder: str, stem: str) -> None:
    """Remove the parts of programs that have ended without doing so themselves."""
    if fcntl is None:
        return
    of_a_part = re.compile(re.escape(stem) + "[0-9a-f]{16}")
    with suppress(OSError):  # what is wrong with the folder is said when a file is made in it
        for name in os.listdir(folder):
            if of_a_part.fullmatch(name):
                with suppress(OSError):  # gone already, or somebody else's
                    _remove_unless_held(os.path.join(folder, name))


def _remove_unless_held(part: str) -> None:
    # Not through a link, and without waiting for the other end of a pipe: nobody made that here.
    number = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(part)
    finally:
        os.close(number)


def _hold(number: int, part: str) -> bool:
    """Lock a part that was made just now. False if another program took it for abandoned before."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:  # the other one has it right now
        return False
    except OSError:  # a file system without locks: then nobody else gets one either
        return True
    try:
        return os.path.samestat(os.fstat(number), os.stat(part))
    except FileNotFoundError:
        return False


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
