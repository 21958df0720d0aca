"""Tokenizers in files: our own format, and those of other libraries, read and written.

Every reader gives a `Model`, and every writer takes one. A writer reads back what it wrote, and
compares, before the file takes its name. No reader runs anything that a file says: nothing is
ever unpickled. `docs/formats/formats.md` describes each format.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cs336_bpe.formats.gpt2 import read_gpt2, write_gpt2
from cs336_bpe.formats.own import read_json, write_json
from cs336_bpe.formats.tiktoken import read_tiktoken, to_tiktoken, write_tiktoken

if TYPE_CHECKING:
    from cs336_bpe.formats.huggingface import to_huggingface, write_huggingface
    from cs336_bpe.formats.huggingface_reader import read_huggingface
    from cs336_bpe.formats.transformers import write_transformers

# These need all that a pipeline needs, and are imported when they are used.
_LATER = {"read_huggingface": "huggingface_reader", "to_huggingface": "huggingface",
          "write_huggingface": "huggingface", "write_transformers": "transformers"}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"cs336_bpe.formats.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
