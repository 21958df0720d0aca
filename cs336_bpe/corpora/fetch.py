"""The corpora of the coursework: where they are, and how to get them.

The addresses are those of the README of CS336's first assignment. Sizes and checksums are of the
texts (after unpacking). They were not computed by this project: they are what several people who
downloaded the files report independently; for TinyStories, some also quote them from the hub.

`huggingface_hub` asks and retries. Its `http_get` is called, not `hf_hub_download`, because that
removes what has come when a download is stopped: gigabytes, which the next call would load again.

>>> sorted(CORPORA)
['owt-train', 'owt-valid', 'tinystories-train', 'tinystories-valid']
"""

import errno
import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.bars import Bar
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress, reporting

__all__ = ["CORPORA", "Corpus", "FetchError", "fetch"]

HUB = "https://huggingface.co/datasets"
BLOCK = 1 << 20
MARK = 16  # hexadecimal digits in the name of a part


class FetchError(OSError):
    """A file could not be downloaded, or is not the right one."""


@dataclass(frozen=True)
class Corpus:
    """One file: where it is, and what it must be."""

    place: str  # on the hub
    size: int  # of the text, in bytes
    sha256: str  # of the text

    @property
    def remote_name(self) -> str:
        return self.place.rpartition("/")[2]

    @property
    def name(self) -> str:
        """The name of the text.

        >>> CORPORA["owt-valid"].remote_name, CORPORA["owt-valid"].name
        ('owt_valid.txt.gz', 'owt_valid.txt')
        """
        return self.remote_name.removesuffix(".gz")

    @property
    def packed(self) -> bool:
        return self.remote_name.endswith(".gz")


CORPORA = {
    "tinystories-valid": Corpus(
        "roneneldan/TinyStories/resolve/main/TinyStoriesV2-GPT4-valid.txt", 22_502_601,
        "6874bae9a4c1a4e7edcf0e53b86c17817e9cf881fc75ff2368da457b80c0585d"),
    "tinystories-train": Corpus(
        "roneneldan/TinyStories/resolve/main/TinyStoriesV2-GPT4-train.txt", 2_227_753_162,
        "6418d412de72888f52b5142c761ac21a582f7d1166f0bfbdb5f03ccfdec90443"),
    "owt-valid": Corpus(
        "stanford-cs336/owt-sample/resolve/main/owt_valid.txt.gz", 289_998_753,
        "2406f278e71829d273b315e9b403285baea7022b26a96d2728dd8b776ea40660"),
    "owt-train": Corpus(
        "stanford-cs336/owt-sample/resolve/main/owt_train.txt.gz", 11_920_511_059,
        "bbeb7f291a981ecfd5cf44b84d0f654b9e96c53dff99f2556b7d2cccaf8c1918"),
}


def fetch(name: str, folder: AnyPath, *, url: str | None = None,
          progress: Progress = None) -> Path:
    """Download a corpus of the coursework into a folder, unpack it, and return its path.

    If it is there already, nothing is asked of the network. A download that was cut off goes on
    where it stopped, in the same call or in a later one: what has come is in a file that ends in
    `.part`. The text takes its name when its size and checksum have been found right, so what has
    the name is complete. `url` is another place that has the same files, such as a mirror; it
    stands for `https://huggingface.co/datasets`.

    Without a network, put the file in place by hand: the error says from where and to where. A
    packed one may stay packed; `fetch` unpacks what it finds.
    """
    if name not in CORPORA:
        raise ValueError(f"{name!r} is not a corpus of the coursework; there are "
                         f"{', '.join(CORPORA)}")
    corpus = CORPORA[name]
    folder = Path(folder)
    target, by_hand = folder / corpus.name, folder / corpus.remote_name
    if target.exists():
        if (size := target.stat().st_size) != corpus.size:
            raise FetchError(f"{target} is there, but it has {size:,} bytes and must have "
                             f"{corpus.size:,}; remove or rename it, and fetch again")
        return target
    folder.mkdir(parents=True, exist_ok=True)
    if by_hand.exists():  # then it is packed
        _finish(by_hand, target, corpus, progress)
        return target
    address = f"{(url or HUB).rstrip('/')}/{corpus.place}"
    try:
        part = _download(address, by_hand, corpus, progress)
    except FetchError as error:
        if error.errno is not None:  # such as a full disk: another way to save it doesn't help
            raise
        raise FetchError(f"{error}. To put it in place by hand, save {address} as {by_hand}"
                         ) from error.__cause__
    try:
        _finish(part, target, corpus, progress)
    except FetchError as error:
        if error.errno is not None:
            raise
        part.unlink(missing_ok=True)  # or it would be found complete, and wrong, each time
        raise FetchError(f"{error}; it was removed: fetch again, and if that does not help, the "
                         f"file at {address} is another one by now") from error.__cause__
    for rest in folder.glob(f"{corpus.remote_name}.{'[0-9a-f]' * MARK}.*"):
        rest.unlink()  # a lock, or a part of what the server had before
    return target


# --- From the network to a part ------------------------------------------------------------


class _Part(io.BufferedWriter):
    """What has come so far, and more."""

    report: Callable[[int], None]

    def write(self, data: Any) -> int:
        number = super().write(data)
        self.report(self.tell())
        return number


class _NoBar(Bar):
    """In place of the library's own progress bar."""

    def __init__(self, **_: object) -> None:
        super().__init__(disable=True)


def _download(address: str, name: Path, corpus: Corpus, progress: Progress) -> Path:
    """The path of a file with all that the server has. If it was cut off, a later call goes on."""
    try:
        from filelock import FileLock, Timeout
        from huggingface_hub import get_hf_file_metadata
        from huggingface_hub.file_download import http_get
    except ImportError as error:
        raise FetchError("fetch needs huggingface_hub, which is not installed: "
                         "pip install huggingface_hub") from error
    headers = {"Accept-Encoding": "identity"}  # or a part would be of the packed bytes
    part = name
    try:
        known = get_hf_file_metadata(address, token=False, headers=headers)
        if not corpus.packed and known.size != corpus.size:
            raise FetchError(f"{address} has {known.size or 0:,} bytes, but the file that is meant "
                             f"has {corpus.size:,}: it is another one")
        # Another file on the server has another mark (ETag), and so another part.
        mark = hashlib.sha256(f"{address} {known.etag} {known.size}".encode()).hexdigest()[:MARK]
        part = name.with_name(f"{name.name}.{mark}.part")
        with (FileLock(part.with_suffix(".lock"), blocking=False),
              _Part(io.FileIO(part, "ab" if known.etag else "wb")) as file,
              reporting(progress, "download", known.size or 0) as report):
            file.report = report
            if file.tell() > (known.size or 0):
                file.truncate(file.seek(0))  # it is not the beginning of that file
            report(file.tell())
            http_get(known.location, file, resume_size=file.tell(), headers=headers,
                     expected_size=known.size, tqdm_class=_NoBar)
    except FetchError:
        raise
    except Timeout as error:
        raise FetchError(errno.EAGAIN, "another program is downloading to it; wait for that",
                         str(part)) from error
    except Exception as error:
        # The library's own errors are OSErrors, or those of httpx (of whichever version).
        if (isinstance(error, OSError) and error.errno and error.filename in (None, str(part))
                and not isinstance(error, ConnectionError)):
            raise FetchError(error.errno, f"could not write: {error.strerror}; what has come is "
                             f"kept, so make room and try again", str(part)) from error
        if not isinstance(error, OSError) and not type(error).__module__.startswith("httpx"):
            raise
        raise FetchError(f"could not download {address}: {error}") from error
    return part


# --- From a part to the text ---------------------------------------------------------------


def _finish(part: Path, target: Path, corpus: Corpus, progress: Progress) -> None:
    """Unpack a file if it is packed, check it, and give the text its name."""
    digest, size = hashlib.sha256(), 0
    try:
        with (part.open("rb") as raw,
              atomic_writer(target) if corpus.packed else nullcontext() as out,
              reporting(progress, "unpack" if corpus.packed else "check",
                        part.stat().st_size) as report):
            source = gzip.GzipFile(fileobj=raw) if corpus.packed else raw
            while block := source.read(BLOCK):
                digest.update(block)
                size += len(block)
                if size > corpus.size:  # before it fills the disk
                    raise FetchError(f"{part} has more than the {corpus.size:,} bytes of "
                                     f"{corpus.name}")
                if out is not None:
                    out.write(block)
                report(raw.tell())
            if (size, digest.hexdigest()) != (corpus.size, corpus.sha256):
                raise FetchError(f"{part} has {size:,} bytes with the SHA-256 "
                                 f"{digest.hexdigest()}, but {corpus.name} has {corpus.size:,} "
                                 f"with {corpus.sha256}")
        if not corpus.packed:
            os.replace(part, target)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FetchError(f"{part} can't be unpacked ({error})") from error
    except FetchError:
        raise
    except OSError as error:
        raise FetchError(error.errno, f"could not write: {error.strerror}; {part.name} is kept, so "
                         f"make room for {corpus.size:,} bytes and try again",
                         str(target)) from error
