"""Tokens and ids (rules 5 and 7): 256 bytes, then special tokens, then merges."""

from collections.abc import Iterable, Sequence
from typing import Literal

Pair = tuple[bytes, bytes]
Vocab = dict[int, bytes]

RoleName = Literal["bos", "eos", "pad", "unk"]
"""What a special token may be for: the begin and the end of a text, filling up, the unknown."""

BYTES: tuple[bytes, ...] = tuple(bytes([value]) for value in range(256))
"""The 256 tokens that every vocabulary starts with."""

END_OF_TEXT = "<|endoftext|>"
"""The special token that stands after each document in the coursework's corpora, and GPT-2's."""


def assemble_vocab(special_tokens: Sequence[str], merges: Iterable[Pair]) -> Vocab:
    """Give ids: bytes, then special tokens, then merges.

    >>> vocab = assemble_vocab(["<|endoftext|>"], [(b"t", b"h"), (b"th", b"e")])
    >>> vocab[256], vocab[257], vocab[258]
    (b'<|endoftext|>', b'th', b'the')
    """
    tokens = [*BYTES, *(token.encode() for token in special_tokens)]
    tokens.extend(left + right for left, right in merges)
    return dict(enumerate(tokens))
