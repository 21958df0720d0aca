"""The corpora of the coursework: where they are, and how to get them.

The addresses are those of the README of CS336's first assignment. Sizes and checksums are of the
texts (after unpacking). They were not computed by this project: they are what several people who
downloaded the files report independently; for TinyStories, some also quote them from the hub.

>>> sorted(CORPORA)
['owt-train', 'owt-valid', 'tinystories-train', 'tinystories-valid']
"""

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.corpora.download import discard, download
from cs336_bpe.corpora.http_ranges import FetchError

__all__ = ["CORPORA", "Corpus", "FetchError", "fetch"]

HUB = "https://huggingface.co/datasets"
BLOCK = 1 << 20


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


def fetch(
    name: str,
    folder: str | os.PathLike[str],
    *,
    url: str | None = None,
    progress: Progress = None,
) -> Path:
    """Download a corpus of the coursework into a folder, unpack it, and return its path.

    If it is there already, nothing is asked of the network. A download that was cut off goes on
    where it stopped, in the same call or in a later one: what has come is in `NAME.part`. The text
    takes its name when its size and checksum have been found right, so what has the name is
    complete. `url` is another place that has the same files, such as a mirror; it stands for
    `https://huggingface.co/datasets`.

    Without a network, put the file in place by hand: the error says from where and to where. A
    packed one may stay packed; `fetch` unpacks what it finds.
    """
    if name not in CORPORA:
        raise ValueError(f"{name!r} is no corpus of the coursework; there are "
                         f"{', '.join(CORPORA)}")
    corpus = CORPORA[name]
    folder = Path(folder)
    target = folder / corpus.name
    address = f"{(url or HUB).rstrip('/')}/{corpus.place}"
    if target.exists():
        return _check_present(target, corpus)
    folder.mkdir(parents=True, exist_ok=True)
    by_hand = folder / corpus.remote_name
    try:
        if corpus.packed and by_hand.exists():
            _unpack(by_hand, target, corpus, progress)
        else:
            _download(address, target, corpus, progress)
    except FetchError as error:
        raise _with_advice(error, address, by_hand) from error.__cause__
    return target


def _check_present(target: Path, corpus: Corpus) -> Path:
    """A file with the right name: its size can be checked at no cost, so it is."""
    if (size := target.stat().st_size) != corpus.size:
        raise FetchError(f"{target} is there, but it has {size:,} bytes and must have "
                         f"{corpus.size:,}; remove or rename it, and fetch again")
    return target


def _download(address: str, target: Path, corpus: Corpus, progress: Progress) -> None:
    part = target.with_name(corpus.remote_name + ".part")
    size = None if corpus.packed else corpus.size
    note = download(address, part, size=size, progress=progress)
    try:
        if corpus.packed:
            if note.sha256 is not None:
                _check_digest(part, note.sha256, progress)
            _unpack(part, target, corpus, progress)
        else:
            _check_digest(part, corpus.sha256, progress)
            os.replace(part, target)
    except _WrongFile as error:
        discard(part)  # it would be found complete, and wrong, each time
        raise FetchError(f"{error}; it was removed: fetch again, and if that does not help, the "
                         f"file at {address} is another one by now") from error.__cause__
    discard(part)


class _WrongFile(FetchError):
    """What was downloaded is not what it should be."""


def _check_digest(path: Path, sha256: str, progress: Progress) -> None:
    digest = hashlib.sha256()
    with path.open("rb") as file, reporting(progress, "check", path.stat().st_size) as report:
        while block := file.read(BLOCK):
            digest.update(block)
            report(file.tell())
    if digest.hexdigest() != sha256:
        raise _WrongFile(f"{path} has the SHA-256 {digest.hexdigest()}, but it must be {sha256}")


def _unpack(packed: Path, target: Path, corpus: Corpus, progress: Progress) -> None:
    digest = hashlib.sha256()
    size = 0
    try:
        with atomic_writer(target) as out:
            for block in _unpacked(packed, progress):
                digest.update(block)
                size += len(block)
                if size > corpus.size:  # before it fills the disk
                    raise _WrongFile(f"{packed} unpacks to more than the {corpus.size:,} bytes "
                                     f"that {corpus.name} has")
                out.write(block)
            if (size, digest.hexdigest()) != (corpus.size, corpus.sha256):
                raise _WrongFile(f"{packed} unpacks to {size:,} bytes with the SHA-256 "
                                 f"{digest.hexdigest()}, but {corpus.name} has {corpus.size:,} "
                                 f"with {corpus.sha256}")
    except FetchError:
        raise
    except OSError as error:
        raise FetchError(error.errno, f"could not unpack {packed.name}: {error.strerror}; it is "
                         f"kept, so make room for {corpus.size:,} bytes and try again",
                         str(target)) from error


def _unpacked(packed: Path, progress: Progress) -> Iterator[bytes]:
    with (packed.open("rb") as raw, gzip.GzipFile(fileobj=raw) as file,
          reporting(progress, "unpack", packed.stat().st_size) as report):
        while True:
            try:
                block = file.read(BLOCK)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise _WrongFile(f"{packed} can't be unpacked ({error})") from error
            if not block:
                return
            yield block
            report(raw.tell())


def _with_advice(error: FetchError, address: str, by_hand: Path) -> FetchError:
    advice = f"To put it in place by hand, save {address} as {by_hand}"
    if error.errno is not None:  # such as a full disk, which another way of saving does not help
        return error
    if isinstance(error, _WrongFile):
        return FetchError(str(error))
    return FetchError(f"{error}. {advice}")
