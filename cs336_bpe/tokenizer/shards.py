"""A corpus as shards: files of so many ids each, and an index that says what is in them.

The corpus is cut into chunks without looking into it (`inputs/parts.py`). A task encodes a chunk
to a file of its own, in a folder for what is not done yet. Once all chunks of a shard are there,
another task puts the shard together. Tasks run here, one after the other and with threads, or
anywhere else (`common/tasks.py`); the shards and the index are the same, byte for byte.

A run that was stopped, by whatever, can be started again. It checks the shards and chunks that are
there, and makes only those that are missing.
"""

import hashlib
import json
import os
import zlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.folder_locks import alone_in
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.common.tasks import run_tasks
from cs336_bpe.formats.loading import load_checked, save_model
from cs336_bpe.inputs import Corpus, Part, borders, gather, split
from cs336_bpe.rules import Model, check_size
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES
from cs336_bpe.tokenizer.coder import Coder, Unmatched, coder_of
from cs336_bpe.tokenizer.files import BlockEncoder
from cs336_bpe.tokenizer.shard_formats import FORMATS, write_megatron_index

if TYPE_CHECKING:
    from cs336_bpe.tokenizer.coder import Array

VERSION = 1
INDEX = "index.json"
WORK = ".encoding"  # the folder of what is not done yet
TRAILER = numpy.dtype([("crc", "<u4"), ("magic", "<u4"), ("number", "<u8")])
CHUNK_MAGIC = 0x336


@dataclass(frozen=True)
class Options:
    """How ids are made and written; small enough to be sent with each task."""

    folder: str
    tokenizer_sha256: str
    cache_bytes: int
    unmatched: Unmatched
    dtype: str
    format: str
    specials: Any  # as for `encode_file`
    separator: str | None
    errors: str
    field: str
    workers: int

    @property
    def work(self) -> Path:
        return Path(self.folder, WORK)

    @property
    def tokenizer_path(self) -> Path:
        """For the tasks. Another tokenizer has another name, so none takes the place of this."""
        return self.work / f"tokenizer-{self.tokenizer_sha256}.json"

    def chunk_path(self, number: int) -> Path:
        return self.work / f"chunk-{number:06}"

    def encoder(self) -> BlockEncoder:
        coder = _load_coder(str(self.tokenizer_path), self.cache_bytes, self.unmatched)
        return BlockEncoder(coder, numpy.dtype(self.dtype), self.specials, self.errors,
                            self.separator)


@lru_cache(2)
def _load_coder(path: str, cache_bytes: int, unmatched: Unmatched) -> Coder:
    """The tokenizer, read once per process."""
    return coder_of(load_checked(path), cache_bytes, unmatched)


@dataclass(frozen=True)
class Place:
    """A place between two ids: so many ids from the beginning of a chunk."""

    chunk: int
    ids: int


@dataclass(frozen=True)
class Shard:
    """A shard that is complete."""

    file: str
    tokens: int
    sha256: dict[str, str]  # of each of its files
    begins: dict[str, int]  # at which byte or document of which input
    ends: dict[str, int]
    end: Place


# --- Tasks ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class EncodeTask:
    """Encode some parts to the file of a chunk."""

    options: Options
    chunk: int
    parts: tuple[Part, ...]

    def run(self, report: Callable[[int], None] = lambda done: None) -> int:
        """Returns the number of ids."""
        encoder = self.options.encoder()
        corpus = Corpus.of([part.source for part in self.parts], self.options.field)
        path = self.options.chunk_path(self.chunk)
        temporary = path.with_name(f"{path.name}.part{token_hex(8)}")
        number = crc = 0
        try:
            with open(temporary, "xb") as file:

                def write(ids: "Array") -> None:
                    nonlocal number, crc
                    file.write(ids.data)
                    crc = zlib.crc32(ids.data, crc)
                    number += len(ids)

                with corpus.reader(encoder.cutter, DEFAULT_BLOCK_BYTES, self.options.errors,
                                   parts=self.parts) as reader:
                    encoder.run(reader, self.options.workers, report, write)
                # The sum stands for a sync: what a power cut has spoilt is encoded again.
                file.write(numpy.array([(crc, CHUNK_MAGIC, number)], TRAILER).tobytes())
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        return number


def ids_in_chunk(path: Path, dtype: "numpy.dtype[Any]") -> int | None:
    """How many ids are in the file of a chunk; None if there is none, or it is damaged."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size - TRAILER.itemsize
            if size < 0:
                return None
            crc, left = 0, size
            while left and (data := file.read(min(left, 1 << 20))):
                crc = zlib.crc32(data, crc)
                left -= len(data)
            [trailer] = numpy.frombuffer(file.read(), TRAILER)
    except FileNotFoundError:
        return None
    number = int(trailer["number"])
    good = (crc, CHUNK_MAGIC, size) == (trailer["crc"], trailer["magic"], number * dtype.itemsize)
    return number if good else None


@dataclass(frozen=True)
class Piece:
    """Ids of a chunk that are in a shard, and what the chunk has."""

    chunk: int
    first: int
    number: int
    parts: tuple[Part, ...]
    input: int  # the number of the first input


@dataclass(frozen=True)
class JoinTask:
    """Put a shard together from chunks."""

    options: Options
    shard: int
    name: str
    pieces: tuple[Piece, ...]

    def run(self, report: Callable[[int], None] = lambda done: None) -> Shard:
        options = self.options
        encoder = options.encoder()
        dtype = numpy.dtype(options.dtype)
        shard_format = FORMATS[options.format]
        path = Path(options.folder, self.name)
        number = sum(piece.number for piece in self.pieces)
        ends: list[Array] = [numpy.empty(0, numpy.int64)]  # of documents
        sha = hashlib.sha256()
        with atomic_writer(path) as target:
            header = shard_format.header(dtype, number)
            target.write(header)
            sha.update(header)
            done = 0
            for piece in self.pieces:
                with open(options.chunk_path(piece.chunk), "rb") as file:
                    for ids in read_ids(file, dtype, piece.first, piece.number):
                        target.write(ids.data)
                        sha.update(ids.data)
                        if options.format == "megatron":
                            ends.append(numpy.flatnonzero(ids == encoder.separator) + (done + 1))
                        done += len(ids)
        sums = {path.name: sha.hexdigest()}
        if options.format == "megatron":
            index = path.with_suffix(".idx")
            with atomic_writer(index) as target:
                write_megatron_index(target, dtype, numpy.concatenate(ends), number)
            with open(index, "rb") as file:
                sums[index.name] = sha_of(file)
        first, last = self.pieces[0], self.pieces[-1]
        shard = Shard(self.name, number, sums,
                      self.where(encoder, first, first.first),
                      self.where(encoder, last, last.first + last.number),
                      Place(last.chunk, last.first + last.number))
        with atomic_writer(options.work / f"shard-{self.shard:06}") as file:
            file.write(json.dumps(asdict(shard)).encode())
        return shard

    def where(self, encoder: BlockEncoder, piece: Piece, number: int) -> dict[str, int]:
        """Which place of which input comes after the first `number` ids of a chunk."""
        source = piece.parts[0].source
        place = {"input": piece.input}
        lengths = encoder.coder.token_lengths
        size = documents = since = 0  # bytes, documents, and bytes since the last document
        with open(self.options.chunk_path(piece.chunk), "rb") as file:
            for ids in read_ids(file, numpy.dtype(self.options.dtype), 0, number):
                sizes = lengths[ids]
                size += int(sizes.sum())
                separators = numpy.flatnonzero(ids == encoder.separator)
                documents += len(separators)
                since += int(sizes.sum())
                if len(separators):
                    since = int(sizes[separators[-1] + 1 :].sum())
        if source.format != "text":
            unit = "row_group" if source.format == "parquet" else "from_byte"
            return place | {unit: piece.parts[0].start, "document": documents, "byte": since}
        if piece.parts[0].start:
            with source.open() as file:
                size += borders(file, piece.parts[0], encoder.cutter)[0]
        for part in piece.parts[:-1]:  # small files, one after the other
            if size < (part.source.size or 0):
                break
            size -= part.source.size or 0
            place["input"] += 1
        return place | {"byte": size}


def read_ids(file: BinaryIO, dtype: "numpy.dtype[Any]", first: int, number: int) -> Any:
    """Some ids of a file, in blocks."""
    file.seek(first * dtype.itemsize)
    while number:
        data = file.read(min(number, 1 << 20) * dtype.itemsize)
        if len(data) % dtype.itemsize or not data:
            raise OSError(f"{file.name} became shorter while it was read")
        ids = numpy.frombuffer(data, dtype)
        number -= len(ids)
        yield ids


def sha_of(file: BinaryIO) -> str:
    sha = hashlib.sha256()
    while data := file.read(1 << 20):
        sha.update(data)
    return sha.hexdigest()


def run_task(task: EncodeTask | JoinTask) -> Any:
    """What a worker calls."""
    return task.run()


# --- The whole -----------------------------------------------------------------------------


class ShardRun:
    """One run of `Tokenizer.encode_files`: knows what is done, and what can be done next.

    As an iterator it gives the tasks that can run now. It runs dry while nothing can be done until
    a result comes, and then goes on.
    """

    def __init__(self, options: Options, corpus: Corpus, model: Model, encoder: BlockEncoder, *,
                 shard_tokens: int | None, chunk_bytes: int, prefix: str) -> None:
        if shard_tokens is not None:
            check_size("shard_tokens", shard_tokens, 1)
        check_size("chunk_bytes", chunk_bytes, 1)
        if options.format == "megatron" and encoder.separator is None:
            raise ValueError("Megatron's index says where documents are, which is after each "
                             "separator; give one")
        self.options, self.corpus, self.model = options, corpus, model
        self.encoder = encoder
        self.shard_tokens, self.prefix = shard_tokens, prefix
        can_cut = encoder.cutter.can_cut
        self.chunks = [tuple(parts) for parts in gather(
            split(corpus.inputs, chunk_bytes, field=corpus.field, can_cut=can_cut), chunk_bytes)]
        self.inputs = {id(source): number for number, source in enumerate(corpus.inputs)}
        self.description = self._describe(chunk_bytes)
        self.digest = hashlib.sha256(json.dumps(self.description).encode()).hexdigest()
        self.shards: dict[int, Shard] = {}
        self.counts: dict[int, int] = {}  # ids of the chunks that are encoded
        self.to_encode: deque[int] = deque()
        self.next_shard = 0  # that has no task yet
        self.at = Place(0, 0)  # where it begins
        self.complete = self.oldest = 0  # shards without a gap, and the first chunk they leave

    def _describe(self, chunk_bytes: int) -> dict[str, Any]:
        names = {number: name for name, number in self.encoder.coder.choices.ids.items()}
        separator = self.encoder.separator
        return {
            "version": VERSION, "format": self.options.format, "dtype": self.options.dtype,
            "shard_tokens": self.shard_tokens, "tokenizer_sha256": self.options.tokenizer_sha256,
            "separator": (None if separator is None
                          else {"id": separator, "token": names[separator]}),
            "specials_in_text": sorted(self.encoder.in_text.tokens),
            "specials_in_documents": sorted(self.encoder.in_documents.tokens),
            "field": self.options.field, "errors": self.options.errors,
            "prefix": self.prefix, "chunk_bytes": chunk_bytes,
            "inputs": [{"path": source.path, "bytes": source.size, "changed": source.changed,
                        "format": source.format, "compression": source.compression}
                       for source in self.corpus.inputs],
        }

    def run(self, executor: Executor | None, in_flight: int, progress: Progress) -> list[Shard]:
        """Make all shards, or those that are missing, and the index."""
        folder = Path(self.options.folder)
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        with alone_in(folder):  # or two would take each other's chunks for their own
            return self._run_alone(folder, is_new, executor, in_flight, progress)

    def _run_alone(self, folder: Path, is_new: bool, executor: Executor | None, in_flight: int,
                   progress: Progress) -> list[Shard]:
        if (folder / INDEX).exists():
            return self._check_index(folder)
        self._start(folder)
        try:
            self._run(executor, in_flight, progress)
        except (ValueError, TypeError):
            # Something is wrong with the input, and this can't be continued: nothing is to stay.
            self._remove(folder, is_new)
            raise
        shards = [self.shards[number] for number in sorted(self.shards)]
        self._finish(folder, shards)
        return shards

    def _run(self, executor: Executor | None, in_flight: int, progress: Progress) -> None:
        with reporting(progress, "encode", self.corpus.size) as report:
            done = self.corpus.size - sum(part.nominal_bytes for chunk in self.to_encode
                                          for part in self.chunks[chunk])
            if executor is None:
                for task in self:
                    self.use(task, task.run(shifted(report, done)))
                    done += self._bytes_of(task)
            else:
                self.corpus.check_no_streams()
                given = _Noted(self)
                for number, result in run_tasks(executor, run_task, given, in_flight=in_flight):
                    self.use(given.tasks[number], result)
                    done += self._bytes_of(given.tasks[number])
                    report(done)

    def _bytes_of(self, task: EncodeTask | JoinTask) -> int:
        parts = task.parts if isinstance(task, EncodeTask) else ()
        return sum(part.nominal_bytes for part in parts)

    # --- beginning and ending ------------------------------------------------------------------

    def _start(self, folder: Path) -> None:
        """Begin in an empty folder, or find what an earlier run has left."""
        work = self.options.work
        plan = work / "plan"
        if not plan.exists():
            strange = [name for name in os.listdir(folder) if name != WORK]
            if strange:
                raise ValueError(f"{folder} has files that are not shards of this encoding, such "
                                 f"as {strange[0]}; choose another folder")
            work.mkdir(exist_ok=True)
            with atomic_writer(plan) as file:
                file.write(self.digest.encode())
        elif plan.read_text() != self.digest:
            raise ValueError(f"{folder} has a part of another encoding: of other files, or with "
                             f"other options; remove it, or choose another folder")
        if not self.options.tokenizer_path.exists():
            # Our own file has no place for what may stand around the merges.
            save_model(self.model, self.options.tokenizer_path,
                       "own" if self.model.pipeline is None else "huggingface")
        while (shard := self._known(folder, self.next_shard)) is not None:
            self.shards[self.next_shard] = shard
            self.next_shard += 1
            self.at = shard.end
        for chunk in range(self.at.chunk, len(self.chunks)):
            number = ids_in_chunk(self.options.chunk_path(chunk), numpy.dtype(self.options.dtype))
            if number is None:
                self.to_encode.append(chunk)
            else:
                self.counts[chunk] = number

    def _known(self, folder: Path, number: int) -> Shard | None:
        """A shard that was complete before, and still is."""
        try:
            shard = as_shard(json.loads((self.options.work / f"shard-{number:06}").read_bytes()))
        except FileNotFoundError:
            return None
        return shard if is_good(folder, shard) else None

    def _check_index(self, folder: Path) -> list[Shard]:
        index = json.loads((folder / INDEX).read_bytes())
        if index.get("plan") != self.digest:
            raise ValueError(f"{folder} has the index of another encoding: of other files, or with "
                             f"other options; remove it, or choose another folder")
        shards = [as_shard(entry) for entry in index["shards"]]
        for shard in shards:
            if not is_good(folder, shard):
                raise ValueError(f"{folder / shard.file} is not what the index says: it is "
                                 f"missing, or was changed; remove {INDEX} to encode again")
        self._clean(folder, shards)
        return shards

    def _finish(self, folder: Path, shards: list[Shard]) -> None:
        index = {**self.description, "plan": self.digest,
                 "tokens": sum(shard.tokens for shard in shards),
                 "shards": [asdict(shard) for shard in shards]}
        with atomic_writer(folder / INDEX) as file:
            file.write((json.dumps(index, indent=1) + "\n").encode())
        self._clean(folder, shards)

    def _clean(self, folder: Path, shards: list[Shard]) -> None:
        """Remove what only a run needs, and what one that was killed has left."""
        work = self.options.work
        if work.is_dir():
            # The plan goes last: without it, what is left would be strange to the next run.
            for name in sorted(os.listdir(work), key="plan".__eq__):
                with suppress(OSError):
                    (work / name).unlink()
            with suppress(OSError):
                work.rmdir()
        names = {INDEX, *(name for shard in shards for name in shard.sha256)}
        for name in os.listdir(folder):
            whole, part, _ = name.rpartition(".part")
            if part and whole in names:
                with suppress(OSError):
                    (folder / name).unlink()

    def _remove(self, folder: Path, is_new: bool) -> None:
        """Remove everything that was made here."""
        shards = list(self.shards.values())
        for name in [name for shard in shards for name in shard.sha256]:
            with suppress(OSError):
                (folder / name).unlink()
        self._clean(folder, shards)
        if is_new:
            with suppress(OSError):
                folder.rmdir()

    # --- what can be done next -----------------------------------------------------------------

    def __iter__(self) -> "ShardRun":
        return self

    def __next__(self) -> EncodeTask | JoinTask:
        join = self._next_join()
        if join is not None:
            return join
        if not self.to_encode:
            raise StopIteration
        chunk = self.to_encode.popleft()
        return EncodeTask(self.options, chunk, self.chunks[chunk])

    def _next_join(self) -> JoinTask | None:
        """The task for the next shard, if all of its chunks are there."""
        pieces: list[Piece] = []
        wanted = self.shard_tokens
        chunk, first, number = self.at.chunk, self.at.ids, 0
        while (wanted is None or number < wanted) and chunk in self.counts:
            some = self.counts[chunk] - first
            if wanted is not None:
                some = min(some, wanted - number)
            if some:
                parts = self.chunks[chunk]
                pieces.append(Piece(chunk, first, some, parts, self.inputs[id(parts[0].source)]))
            number += some
            if first + some < self.counts[chunk]:
                first += some
                break
            chunk, first = chunk + 1, 0
        is_last = chunk >= len(self.chunks)
        if not pieces or (number != wanted and not is_last):
            return None
        name = self.prefix if self.shard_tokens is None else f"{self.prefix}-{self.next_shard:05}"
        task = JoinTask(self.options, self.next_shard, name + FORMATS[self.options.format].suffix,
                        tuple(pieces))
        self.next_shard += 1
        self.at = Place(chunk, first)
        return task

    def use(self, task: EncodeTask | JoinTask, result: Any) -> None:
        """Take note of what a task has done."""
        if isinstance(task, EncodeTask):
            self.counts[task.chunk] = result
            return
        self.shards[task.shard] = result
        # Chunks whose ids are all in shards are not needed any more.
        while self.complete in self.shards:
            for chunk in range(self.oldest, self.shards[self.complete].end.chunk):
                with suppress(FileNotFoundError):
                    self.options.chunk_path(chunk).unlink()
            self.oldest = max(self.oldest, self.shards[self.complete].end.chunk)
            self.complete += 1


class _Noted:
    """The tasks of a run, with a list of those that were given out."""

    def __init__(self, run: ShardRun) -> None:
        self.run = run
        self.tasks: list[EncodeTask | JoinTask] = []

    def __iter__(self) -> "_Noted":
        return self

    def __next__(self) -> EncodeTask | JoinTask:
        self.tasks.append(next(self.run))
        return self.tasks[-1]


def shifted(report: Callable[[int], None], before: int) -> Callable[[int], None]:
    """Progress of a task, as progress of all."""
    return lambda done: report(before + done)


def as_shard(entry: dict[str, Any]) -> Shard:
    return replace(Shard(**entry), end=Place(**entry["end"]))


def is_good(folder: Path, shard: Shard) -> bool:
    """Whether the files of a shard are there and have not been changed."""
    for name, expected in shard.sha256.items():
        try:
            with open(folder / name, "rb") as file:
                if sha_of(file) != expected:
                    return False
        except FileNotFoundError:
            return False
    return True
