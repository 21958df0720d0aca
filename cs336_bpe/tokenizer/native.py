"""The engine of the tokenizer: compiled, or plain Python if nothing is compiled."""

from typing import TYPE_CHECKING

from cs336_bpe.common.built import is_built

if TYPE_CHECKING or is_built():
    from cs336_bpe.tokenizer import engine
else:
    from cs336_bpe.tokenizer import plain_engine as engine

__all__ = ["engine"]
