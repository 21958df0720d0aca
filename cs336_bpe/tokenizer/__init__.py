"""The tokenizer: the class that a user meets, and how to get one from a file."""

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.formats.loading import Specials
from cs336_bpe.text.specials import Which
from cs336_bpe.text.utf8 import Text
from cs336_bpe.tokenizer.coder import Unmatched
from cs336_bpe.tokenizer.native import engine
from cs336_bpe.tokenizer.tokenizer import Tokenizer

__all__ = ["Text", "Tokenizer", "Which", "load_tokenizer"]


def load_tokenizer(path: AnyPath, special_tokens: Specials | None = None, *,
                   pattern: str | None = None,
                   cache_bytes: int = engine.DEFAULT_CACHE_BYTES,
                   unmatched: Unmatched = "raise") -> Tokenizer:
    """A tokenizer from a file or a folder of any format that `cs336_bpe.formats` reads.

    `path` may be our own file, Hugging Face's `tokenizer.json`, GPT-2's `vocab.json` (or
    `merges.txt`) with the other one beside it, a file of tiktoken's ranks, or a folder with any of
    these. `special_tokens` and `pattern` are for the formats that don't have them, see
    `formats.loading.load_model`; `unmatched` is for patterns that don't match all text, see
    `Tokenizer`.

    >>> import os
    >>> from tempfile import TemporaryDirectory
    >>> from cs336_bpe import train_bpe_from_counts
    >>> vocab, merges = train_bpe_from_counts({b" low": 5, b" lower": 2}, 260, ["<|end|>"])
    >>> with TemporaryDirectory() as folder:
    ...     _ = Tokenizer(vocab, merges, ["<|end|>"]).save(folder, format="gpt2")
    ...     print(sorted(os.listdir(folder)))
    ...     load_tokenizer(folder)
    ['merges.txt', 'vocab.json']
    <Tokenizer: 260 tokens, 3 merges, special tokens: '<|end|>'; pattern gpt2>
    """
    return Tokenizer.load(path, special_tokens, pattern=pattern, cache_bytes=cache_bytes,
                          unmatched=unmatched)
