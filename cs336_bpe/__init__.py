"""Byte-level BPE as a ladder of small modules, from the definition to the fastest."""

from cs336_bpe._version import __version__
from cs336_bpe.counting import count_pretokens, count_pretokens_in
from cs336_bpe.counts import PretokenCounts
from cs336_bpe.interface import GPT2_PATTERN, EarlyStopWarning
from cs336_bpe.tokenizer import Tokenizer
from cs336_bpe.training import train_bpe, train_bpe_from_counts

__all__ = [
    "GPT2_PATTERN",
    "EarlyStopWarning",
    "PretokenCounts",
    "Tokenizer",
    "__version__",
    "count_pretokens",
    "count_pretokens_in",
    "train_bpe",
    "train_bpe_from_counts",
]
