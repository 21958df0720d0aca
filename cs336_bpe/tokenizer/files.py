"""Encoding a file to a file, in blocks, with threads.

Each thread of a crew reads a block and encodes it, and the ids are written in the order of the
blocks: see `text/crew.py`.
"""

import os
from functools import partial
from typing import Any, BinaryIO

import numpy

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.npy import npy_header
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import check_errors
from cs336_bpe.text.blocks import (
    DEFAULT_BLOCK_BYTES,
    Block,
    BlockReader,
    decode,
    file_size,
    open_text,
)
from cs336_bpe.text.crew import num_threads, over_blocks
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.tokenizer.coder import Array, Coder, as_array, width_for
from cs336_bpe.tokenizer.engine import Cache
from cs336_bpe.tokenizer.special_choice import Choice

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

    def run(self, input_path: AnyPath, output_path: AnyPath, workers: int,
            progress: Progress) -> int:
        """Encode one file, and return the number of ids."""
        num_ids = 0
        name = os.fspath(input_path)
        with open_text(input_path) as source:
            size = file_size(source)
            _check_different(source, input_path, output_path)
            reader = BlockReader(source, name, self.cutter, DEFAULT_BLOCK_BYTES, end=size)
            workers = num_threads(reader, workers)
            limit = max(SMALLEST_CACHE, self.coder.cache_bytes // workers)
            works = [partial(self._encode_block, self.coder.engine.new_cache(limit), name)
                     for _ in range(workers)]
            # The last call of `progress` may raise too, and then there is to be no output.
            with (atomic_writer(output_path) as target,
                  reporting(progress, "encode", size or 0) as report):
                is_npy = os.fspath(output_path).endswith(".npy")
                if is_npy:
                    target.write(npy_header(self.dtype, 0))

                def write(ids: Array) -> None:
                    nonlocal num_ids
                    target.write(ids.data)
                    num_ids += len(ids)

                over_blocks(reader, works, report, use=write)
                if is_npy:
                    target.seek(0)
                    target.write(npy_header(self.dtype, num_ids))
        return num_ids

    def _encode_block(self, cache: Cache, name: str, block: Block) -> Array:
        """The ids of a block; nobody else uses the cache."""
        width = width_for(self.dtype)
        with memoryview(block.buffer) as whole, whole[: block.size] as view:
            if self.errors == "strict":
                ids = self.coder.encode(view, self.choice, width, cache=cache, strict=True,
                                        offset=block.offset)
            else:
                clean = decode(bytes(view), self.errors, name).encode()
                ids = self.coder.encode(clean, self.choice, width, cache=cache, offset=None)
            if ids is None:
                decode(bytes(view), "strict", name, block.offset)  # says where
                raise AssertionError("the scanner and the decoder disagree on UTF-8")
        return as_array(ids, self.dtype)


def _check_different(source: BinaryIO, input_path: AnyPath, output_path: AnyPath) -> None:
    try:
        same = os.path.samestat(os.fstat(source.fileno()), os.stat(output_path))
    except OSError:
        return
    if same:
        raise ValueError(f"the output is the input file, {os.fspath(input_path)}; choose another "
                         f"name")
