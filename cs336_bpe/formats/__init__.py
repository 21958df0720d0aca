"""Tokenizers in files: our own format, and those of other libraries, read and written.

Every reader gives a `Model`, and every writer takes one. A writer reads back what it wrote, and
compares, before the file takes its name. No reader runs anything that a file says: nothing is
ever unpickled. `docs/formats/formats.md` describes each format.
"""

from cs336_bpe.formats.gpt2 import read_gpt2, write_gpt2
from cs336_bpe.formats.huggingface import to_huggingface, write_huggingface
from cs336_bpe.formats.huggingface_reader import read_huggingface
from cs336_bpe.formats.own import read_json, write_json
from cs336_bpe.formats.tiktoken import read_tiktoken, to_tiktoken, write_tiktoken
from cs336_bpe.formats.transformers import write_transformers

__all__ = [
    "read_gpt2",
    "read_huggingface",
    "read_json",
    "read_tiktoken",
    "to_huggingface",
    "to_tiktoken",
    "write_gpt2",
    "write_huggingface",
    "write_json",
    "write_tiktoken",
    "write_transformers",
]
