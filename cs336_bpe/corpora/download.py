"""A download that goes on where it was cut off.

What has come so far is kept in a file, the *part*. Beside it stands a note (`.json`) of what the
server said about the file: its size, and a mark that changes when the file does. After a cut
connection the next request asks for the rest only (`Range`), and only if the mark is still the
same (`If-Range`). A server that has another file by now, or that does not know about ranges, sends
all of it, and the part starts over.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import FileIO
from pathlib import Path

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.corpora.http_ranges import CutOff, FetchError, NoConnection, Note, WrongPart, ask

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two programs from downloading to the same part
    fcntl = None  # type: ignore[assignment]

ATTEMPTS = 5  # in a row, without getting further
FURTHER = 1 << 20  # bytes; less than this does not count as getting further
LONGEST_PAUSE = 30.0  # seconds
TIMEOUT = 60.0  # seconds in which nothing comes


def note_path(part: Path) -> Path:
    """Where the note about a part is."""
    return part.with_name(part.name + ".json")


def discard(part: Path) -> None:
    """Remove a part and its note."""
    note_path(part).unlink(missing_ok=True)
    part.unlink(missing_ok=True)


def download(
    url: str,
    part: Path,
    *,
    size: int | None = None,
    timeout: float = TIMEOUT,
    sleep: Callable[[float], object] = time.sleep,
    progress: Progress = None,
) -> Note:
    """Download `url` to `part`, or what is missing of it; return what the server said about it.

    The part is complete then, as far as its size tells; its checksum is for the caller to check.
    `size` is what the size must be, if that is known beforehand. After a cut connection there are
    further attempts, with pauses that double; `ATTEMPTS` in a row that bring nothing end it. A
    FetchError says what was wrong; the part is kept, and the next call goes on with it.
    """
    with _opened(part) as file:
        furthest = failures = 0
        had = _length(file)
        while True:
            try:
                return _attempt(url, part, file, size, timeout, progress)
            except CutOff as error:
                if isinstance(error, WrongPart):
                    _start_over(part, file)
                have = _length(file)
                if have >= furthest + FURTHER:
                    furthest, failures = have, 0
                failures += 1
                if isinstance(error, NoConnection) and have <= had:
                    raise FetchError(f"no connection to {url}: {error}") from error
                if failures >= ATTEMPTS:
                    raise FetchError(f"{error}; gave up after {failures} attempts that brought "
                                     f"nothing more") from error
                sleep(min(2.0 ** (failures - 1), LONGEST_PAUSE))


@contextmanager
def _opened(part: Path) -> Iterator[FileIO]:
    # Without a buffer: what was written is in the file, also when the disk is full after it.
    with open(part, "a+b", buffering=0) as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FetchError(f"another program is downloading to {part}; wait for it") from None
            except OSError:
                pass  # some network drives have no locks
        yield file


def _attempt(url: str, part: Path, file: FileIO, size: int | None, timeout: float,
             progress: Progress) -> Note:
    """One request: for all of the file, or for the rest of it."""
    note = _read_note(part, url)
    have = _length(file) if note else 0
    if note and note.size is not None and have >= note.size:
        if have == note.size:
            return note
        note, have = None, 0  # too long: whatever it is, it is not the beginning of that file
    with ask(url, note, have, timeout) as answer:
        note, have = answer.note, answer.start
        if not have:
            _check_size(note, size)  # before what is here is given up for it
            _start_over(part, file)
        with atomic_writer(note_path(part)) as out:
            out.write((json.dumps(asdict(note), indent=1) + "\n").encode())
        with reporting(progress, "download", note.size or 0) as report:
            report(have)
            while block := answer.read():
                _write(file, block, note.size)
                have += len(block)
                report(have)
    # http.client only says that a body is too short if one reads it in one go.
    if note.size is not None and have != note.size:
        raise CutOff(f"the connection was cut after {have:,} of {note.size:,} bytes")
    return note


def _check_size(note: Note, size: int | None) -> None:
    if note.size is None and note.sha256 is None:
        raise FetchError(f"the server does not say how large {note.url} is, so that nobody could "
                         f"tell whether all of it has come")
    if size is not None and note.size is not None and note.size != size:
        raise FetchError(f"{note.url} has {note.size:,} bytes, but the file that is meant has "
                         f"{size:,}: it is another one")


def _start_over(part: Path, file: FileIO) -> None:
    """First the note goes, so that it never stands beside what it is not about."""
    note_path(part).unlink(missing_ok=True)
    file.truncate(0)


def _read_note(part: Path, url: str) -> Note | None:
    """The note about this URL; None if there is none, or it makes no sense."""
    try:
        values = json.loads(note_path(part).read_bytes())
        note = Note(**{name: values[name] for name in Note.__dataclass_fields__})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    sound = (isinstance(note.size, int | None) and isinstance(note.mark, str | None)
             and isinstance(note.sha256, str | None) and note.url == url)
    if not sound:
        return None
    mark = note.mark or ""  # it goes into a header, so it must be fit for one
    return note if mark.isascii() and mark.isprintable() else None


def _length(file: FileIO) -> int:
    return file.seek(0, 2)


def _write(file: FileIO, block: bytes, size: int | None) -> None:
    rest = memoryview(block)
    try:
        while rest:
            rest = rest[file.write(rest):]
    except OSError as error:
        missing = "" if size is None else f" ({size - _length(file):,} bytes are still to come)"
        raise FetchError(error.errno, f"could not write: {error.strerror}{missing}; what has come "
                         f"is kept, so make room and try again", file.name) from error
