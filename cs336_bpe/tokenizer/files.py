"""Encoding a file to a file, in blocks, with threads.

Each thread reads a block, encodes it, and waits for its turn to write. So blocks are written in
the order in which they were read, and no more of them are in memory than there are threads.
"""

import os
import threading
from typing import Any, BinaryIO

import numpy

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import check_errors
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, file_size, open_text
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.tokenizer.coder import Array, Coder, as_array, width_for
from cs336_bpe.tokenizer.engine import Cache
from cs336_bpe.tokenizer.special_choice import Choice

Path = str | os.PathLike[str]

MAX_THREADS = 64
SMALLEST_CACHE = 1 << 20


class FileEncoder:
    """One run of `Tokenizer.encode_file`."""

    def __init__(self, coder: Coder, dtype: "numpy.dtype[Any]", choice: Choice,
                 errors: str) -> None:
        check_errors(errors)
        self.coder = coder
        self.dtype = dtype
        self.choice = choice
        self.errors = errors
        # What must not occur has to be found as a whole, so it must not be cut in two either.
        uncut = coder.choices.all if choice.refused is not None else choice
        self.cutter = Cutter(uncut.tokens, coder.pattern, errors)

    def run(self, input_path: Path, output_path: Path, workers: int, progress: Progress) -> int:
        with open_text(input_path) as source:
            size = file_size(source)
            _check_different(source, input_path, output_path)
            if size is not None:
                workers = min(workers, -(-size // DEFAULT_BLOCK_BYTES))
            reader = BlockReader(source, os.fspath(input_path), self.cutter, DEFAULT_BLOCK_BYTES,
                                 end=size)
            # The last call of `progress` may raise too, and then there is to be no output.
            with (atomic_writer(output_path) as target,
                  reporting(progress, "encode", size or 0) as report):
                is_npy = os.fspath(output_path).endswith(".npy")
                if is_npy:
                    target.write(npy_header(self.dtype, 0))
                job = _Job(self, reader, target, report)
                job.run(max(1, min(workers, MAX_THREADS)))
                if is_npy:
                    target.seek(0)
                    target.write(npy_header(self.dtype, job.num_ids))
        return job.num_ids


class _Job:
    """What the threads share."""

    def __init__(self, encoder: FileEncoder, reader: BlockReader, target: BinaryIO,
                 report: Any) -> None:
        self.encoder = encoder
        self.reader = reader
        self.target = target
        self.report = report
        self.reading = threading.Lock()
        self.writing = threading.Condition()
        self.num_read = 0  # blocks
        self.num_written = 0  # blocks
        self.num_ids = 0
        self.bytes_done = 0
        self.num_ended = 0
        self.failures: list[tuple[int, BaseException]] = []
        self.stopped = False

    def run(self, workers: int) -> None:
        limit = max(SMALLEST_CACHE, self.encoder.coder.cache_bytes // workers)
        if workers == 1:
            cache = self.encoder.coder.engine.new_cache(limit)
            buffer = bytearray(self.reader.block_bytes)
            while self.encode_block(cache, buffer):
                self.report(self.bytes_done)
            return
        threads = [threading.Thread(target=self.work, args=(limit,)) for _ in range(workers)]
        started = []
        try:
            for thread in threads:
                thread.start()
                started.append(thread)
            while self.num_ended < workers:
                with self.writing:
                    self.writing.wait(timeout=0.05)
                self.report(self.bytes_done)
        finally:
            # If we were interrupted, each thread ends after its block. They must have ended before
            # the files are closed.
            with self.writing:
                self.stopped = True
                self.writing.notify_all()
                while self.num_ended < len(started):
                    self.writing.wait(timeout=0.05)
            for thread in started:
                thread.join()
        self.report(self.bytes_done)
        if self.failures:
            raise min(self.failures, key=lambda failure: failure[0])[1]

    def work(self, limit: int) -> None:
        number = self.num_read
        try:
            cache = self.encoder.coder.engine.new_cache(limit)
            buffer = bytearray(self.reader.block_bytes)
            while not self.stopped and self.encode_block(cache, buffer):
                pass
        except BaseException as error:
            with self.writing:
                self.failures.append((getattr(error, "block_number", number), error))
                self.stopped = True
                self.writing.notify_all()
        finally:
            with self.writing:
                self.num_ended += 1
                self.writing.notify_all()

    def encode_block(self, cache: Cache, buffer: bytearray) -> bool:
        """Read a block, encode it and write it; False at the end."""
        with self.reading:
            number = self.num_read
            size = self.reader.read_into(buffer)
            offset = self.reader.offset - size
            if size:
                self.num_read += 1
        if not size:
            return False
        try:
            ids = self.encode_buffer(cache, buffer, size, offset)
        except Exception as error:
            error.block_number = number  # type: ignore[attr-defined]
            raise
        with self.writing:
            while self.num_written < number and not self.stopped:
                self.writing.wait()
            if self.num_written < number:
                return False  # another thread has failed, or we were interrupted
            self.target.write(ids.data)
            self.num_written += 1
            self.num_ids += len(ids)
            self.bytes_done += size
            self.writing.notify_all()
        return True

    def encode_buffer(self, cache: Cache, buffer: bytearray, size: int, offset: int) -> Array:
        encoder, coder, choice = self.encoder, self.encoder.coder, self.encoder.choice
        width = width_for(encoder.dtype)
        with memoryview(buffer) as whole, whole[:size] as view:
            if encoder.errors == "strict":
                ids = coder.encode(view, choice, width, cache=cache, strict=True, offset=offset)
            else:
                clean = decode(bytes(view), encoder.errors, self.reader.name).encode()
                ids = coder.encode(clean, choice, width, cache=cache, offset=None)
            if ids is None:
                decode(bytes(view), "strict", self.reader.name, offset)  # says where
                raise AssertionError("the scanner and the decoder disagree on UTF-8")
        return as_array(ids, encoder.dtype)


def npy_header(dtype: "numpy.dtype[Any]", number: int) -> bytes:
    """The header of a `.npy` file of one dimension, always 128 bytes long.

    >>> len(npy_header(numpy.dtype("uint16"), 0)), len(npy_header(numpy.dtype("uint32"), 10**12))
    (128, 128)
    """
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({number},), }}"
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + f"{text:117}\n".encode()


def _check_different(source: BinaryIO, input_path: Path, output_path: Path) -> None:
    try:
        same = os.path.samestat(os.fstat(source.fileno()), os.stat(output_path))
    except OSError:
        return
    if same:
        raise ValueError(f"the output is the input file, {os.fspath(input_path)}; choose another "
                         f"name")
