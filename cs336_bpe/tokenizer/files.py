"""Encoding corpora to files of ids, in blocks, with threads.

Each thread of a crew reads a block and encodes it, and the ids are used in the order of the blocks:
see `text/crew.py`. `FileEncoder` writes them to one file; `shards.py` to many.
"""

import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.npy import npy_header
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.common.progress import Progress, reporting
from cs336_bpe.rules import END_OF_TEXT, check_errors
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, Block, Reader, decode
from cs336_bpe.text.crew import num_threads, over_blocks
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.text.specials import Which
from cs336_bpe.tokenizer.coder import Coder, as_array, width_for
from cs336_bpe.tokenizer.native import engine

if TYPE_CHECKING:  # what reads corpora is imported when there is one
    import numpy

    from cs336_bpe.inputs import Corpus
    from cs336_bpe.tokenizer.coder import Array

SMALLEST_CACHE = 1 << 20

DEFAULT_SEPARATOR = "default"
"""The separator that is meant if none is given: `<|endoftext|>`, if the tokenizer has it."""


class BlockEncoder:
    """Encodes the blocks of readers: of text, and of documents with a separator after each.

    In text, all special tokens are recognised, and in documents none, unless `specials` says
    which. Ids have the type `dtype`, and the lowest byte first unless that says otherwise.
    """

    def __init__(self, coder: Coder, dtype: "numpy.dtype[Any]", specials: Which | None,
                 errors: str, separator: str | None = DEFAULT_SEPARATOR) -> None:
        check_errors(errors)
        self.coder = coder
        self.dtype = dtype if dtype.byteorder == ">" else dtype.newbyteorder("<")
        self.width = width_for(dtype)
        self.errors = errors
        self.in_text = coder.choices.choose("all" if specials is None else specials)
        self.in_documents = coder.choices.choose("none" if specials is None else specials)
        self.separator = check_separator(coder.choices.ids, separator)
        # What must not occur has to be found as a whole, so it must not be cut in two either.
        uncut = coder.choices.all if self.in_text.refused is not None else self.in_text
        self.cutter = Cutter(uncut.tokens, coder.cut_by, errors)

    def run(self, reader: Reader, workers: int, report: Callable[[int], None],
            use: "Callable[[Array], None]") -> None:
        """Encode everything, and call `use` with the ids of each block in turn."""
        workers = num_threads(reader, workers)
        limit = max(SMALLEST_CACHE, self.coder.cache_bytes // workers)
        works = [partial(self._encode, self.coder.engine.new_cache(limit)) for _ in range(workers)]
        over_blocks(reader, works, report, use=use)

    def _encode(self, cache: engine.Cache, block: Block) -> "Array":
        """The ids of a block; nobody else uses the cache."""
        strict = self.errors == "strict"
        if block.packing is not None:
            documents = block.packing.documents
            ids = self.coder.encode_block(
                block, self.in_documents if documents else self.in_text, self.width,
                separator=self.separator if documents else None, cache=cache, strict=strict)
        else:
            with memoryview(block.buffer) as whole, whole[: block.size] as view:
                if strict:
                    ids = self.coder.encode(view, self.in_text, self.width, cache=cache,
                                            strict=True, offset=block.offset)
                else:
                    clean = decode(bytes(view), self.errors, block.name).encode()
                    ids = self.coder.encode(clean, self.in_text, self.width, cache=cache,
                                            offset=None)
        if ids is None:
            block.complain()
        return as_array(ids, self.dtype)


def check_separator(ids: dict[str, int], separator: str | None) -> int | None:
    """The id of the separator; None if there is none."""
    if separator == DEFAULT_SEPARATOR:
        return ids.get(END_OF_TEXT)
    if separator is None:
        return None
    if separator not in ids:
        known = ", ".join(map(repr, ids)) or "none"
        raise ValueError(f"the separator is {separator!r}, which is not a special token of this "
                         f"tokenizer; it has {known}")
    return ids[separator]


class FileEncoder:
    """One run of `Tokenizer.encode_file` or `encode_texts`."""

    def __init__(self, encoder: BlockEncoder, output_path: AnyPath) -> None:
        self.encoder = encoder
        self.output_path = output_path

    def run_corpus(self, corpus: "Corpus", workers: int, progress: Progress) -> int:
        """Encode files to one file, and return the number of ids."""
        _check_different(corpus, self.output_path)
        with corpus.reader(self.encoder.cutter, DEFAULT_BLOCK_BYTES, self.encoder.errors) as reader:
            return self.run(reader, corpus.size, workers, progress)

    def run(self, reader: Reader, size: int, workers: int, progress: Progress) -> int:
        num_ids = 0
        dtype = self.encoder.dtype
        # The last call of `progress` may raise too, and then there is to be no output.
        with (atomic_writer(self.output_path) as target,
              reporting(progress, "encode", size) as report):
            is_npy = os.fspath(self.output_path).endswith(".npy")
            if is_npy:
                target.write(npy_header(dtype, 0))

            def write(ids: "Array") -> None:
                nonlocal num_ids
                target.write(ids.data)
                num_ids += len(ids)

            self.encoder.run(reader, workers, report, write)
            if is_npy:
                target.seek(0)
                target.write(npy_header(dtype, num_ids))
        return num_ids


def check_different(source: BinaryIO, input_path: AnyPath, output_path: AnyPath) -> None:
    """Raise if the output would replace the input."""
    try:
        same = os.path.samestat(os.fstat(source.fileno()), os.stat(output_path))
    except OSError:
        return
    if same:
        _refuse(os.fspath(input_path))


def _check_different(corpus: "Corpus", output_path: AnyPath) -> None:
    try:
        state = os.stat(output_path)
    except OSError:
        return
    for source in corpus.inputs:
        if not source.is_stream and os.path.samestat(os.stat(source.path), state):
            _refuse(source.path)


def _refuse(path: str) -> NoReturn:
    raise ValueError(f"the output is the input file, {path}; choose another name")


def as_corpus(input_path: "AnyPath | Iterable[AnyPath] | Corpus", input_format: str | None,
              field: str) -> "Corpus":
    """The files to encode, found and recognised."""
    from cs336_bpe.inputs import Corpus

    if isinstance(input_path, Corpus):
        return input_path
    return Corpus(input_path, input_format=input_format, field=field)
