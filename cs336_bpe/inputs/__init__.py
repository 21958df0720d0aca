"""Corpora as people have them: text, compressed, JSON lines, parquet, folders, streams, iterables.

Whatever the form, what comes out are the blocks that threads count and encode.

- `recognise` says what a file is, by its first bytes.
- `finding` makes a list of inputs of paths, folders and patterns.
- `decompress` undoes `.gz`, `.zst`, `.bz2` and `.xz`.
- `json_lines`, `arrow` (parquet) and `iterables` have documents, which `packing` puts into blocks.
- `parts` cuts inputs into parts that can be read by themselves, on other machines too.
- `corpus` puts all this together.
"""

from cs336_bpe.inputs.corpus import Corpus, CorpusReader
from cs336_bpe.inputs.finding import Input, find_inputs
from cs336_bpe.inputs.iterables import texts_reader
from cs336_bpe.inputs.parts import Part, borders, gather, split
from cs336_bpe.inputs.recognise import FORMATS

__all__ = ["FORMATS", "Corpus", "CorpusReader", "Input", "Part", "borders",
           "find_inputs", "gather", "split", "texts_reader"]
