"""Encoding a file to a file, in blocks, with threads.

Each thread of a crew reads a block and encodes it, and the ids are written in the order of the
blocks: see `text/crew.py`.
"""

import os
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import check_errors
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, file_size, open_text
from cs336_bpe.text.crew import Block, num_threads, over_blocks
from cs336_bpe.text.cuts import Cutter

if TYPE_CHECKING:
    from cs336_bpe.tokenizer import Tokenizer, Which

Path = str | os.PathLike[str]

SMALLEST_MEMORY = 1 << 20


class FileEncoder:
    """One run of `Tokenizer.encode_file`."""

    def __init__(self, tokenizer: "Tokenizer", dtype: "numpy.dtype[Any]", specials: "Which",
                 errors: str) -> None:
        check_errors(errors)
        self.tokenizer = tokenizer
        self.dtype = dtype
        self.specials = specials
        self.errors = errors
        self.splitter = tokenizer._check_which(specials)
        # With "raise" the text is searched for special tokens, so none may be cut in two.
        all_or_some = tokenizer.special_tokens if specials == "raise" else self.splitter.ids
        self.cutter = Cutter(all_or_some, tokenizer.pattern, errors)

    def run(self, input_path: Path, output_path: Path, workers: int, progress: Progress) -> int:
        num_ids = 0
        self.name = os.fspath(input_path)
        with open_text(input_path) as source:
            size = file_size(source)
            _check_different(source, input_path, output_path)
            reader = BlockReader(source, self.name, self.cutter, DEFAULT_BLOCK_BYTES, end=size)
            workers = num_threads(reader, workers)
            limit = max(SMALLEST_MEMORY, self.tokenizer._cache_bytes // workers)
            memories = [self.tokenizer._encoder.new_memory(limit) for _ in range(workers)]
            # The last call of `progress` may raise too, and then there is to be no output.
            with (atomic_writer(output_path) as target,
                  reporting(progress, "encode", size or 0) as report):
                is_npy = os.fspath(output_path).endswith(".npy")
                if is_npy:
                    target.write(npy_header(self.dtype, 0))

                def write(ids: Any) -> None:
                    nonlocal num_ids
                    target.write(ids)
                    num_ids += len(ids)

                over_blocks(reader, [partial(self.encode_block, memory) for memory in memories],
                            report, use=write)
                if is_npy:
                    target.seek(0)
                    target.write(npy_header(self.dtype, num_ids))
        return num_ids

    def encode_block(self, memory: Any, block: Block) -> Any:
        """The ids of a block, in an array; `memory` is what only this thread has."""
        tokenizer = self.tokenizer
        width = 2 if self.dtype == numpy.uint16 else 4
        with memoryview(block.buffer) as whole, whole[: block.size] as view:
            if self.errors == "strict":
                ids = tokenizer._encode(view, self.specials, width, memory, strict=True,
                                        offset=block.offset)
            else:
                clean = decode(bytes(view), self.errors, self.name).encode()
                ids = tokenizer._encode(clean, self.specials, width, memory, offset=None)
            if ids is None:
                decode(bytes(view), "strict", self.name, block.offset)  # says where
                raise AssertionError("the scanner and the decoder disagree on UTF-8")
        return tokenizer._as_array(ids, width).astype(self.dtype, copy=False)


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
