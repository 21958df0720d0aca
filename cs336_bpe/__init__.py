"""Byte-level BPE as a ladder of small modules, from the definition to the fastest."""

from importlib import import_module
from typing import TYPE_CHECKING

from cs336_bpe._version import __version__

if TYPE_CHECKING:
    from cs336_bpe.pretokenize import PretokenCounts, count_pretokens, count_pretokens_in
    from cs336_bpe.rules import GPT2_PATTERN, GPT4_PATTERN, PATTERNS, EarlyStopWarning
    from cs336_bpe.tokenizer import Tokenizer, load_tokenizer
    from cs336_bpe.train import train_bpe, train_bpe_from_counts, train_bpe_from_texts

__all__ = [
    "GPT2_PATTERN",
    "GPT4_PATTERN",
    "PATTERNS",
    "EarlyStopWarning",
    "PretokenCounts",
    "Tokenizer",
    "__version__",
    "count_pretokens",
    "count_pretokens_in",
    "load_tokenizer",
    "train_bpe",
    "train_bpe_from_counts",
    "train_bpe_from_texts",
]

_MODULES = {
    "pretokenize": ["PretokenCounts", "count_pretokens", "count_pretokens_in"],
    "rules": ["GPT2_PATTERN", "GPT4_PATTERN", "PATTERNS", "EarlyStopWarning"],
    "tokenizer": ["Tokenizer", "load_tokenizer"],
    "train": ["train_bpe", "train_bpe_from_counts", "train_bpe_from_texts"],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

if not TYPE_CHECKING:
    # A name is imported when it is first used: `cs336-bpe --help` need not wait for numpy.
    def __getattr__(name):
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
