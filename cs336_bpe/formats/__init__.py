"""Tokenizers in files: our own format, and those of other libraries, read and written.

Every reader gives a `Model`, and every writer takes one. A writer reads back what it wrote, and
compares, before the file takes its name. No reader runs anything that a file says: nothing is
ever unpickled. `docs/formats.md` describes each format.
"""

from cs336_bpe.formats.gpt2 import read_gpt2, write_gpt2

__all__ = ["read_gpt2", "write_gpt2"]
