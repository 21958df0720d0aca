"""GPT-2's two files: `vocab.json` (token -> id) and `merges.txt` (one merge a line).

Tokens are written in the printable alphabet (`alphabet.py`), special tokens as they are. Nothing in
the files says which tokens are special, nor what the pattern is; so the reader has to be told.

What a key of `vocab.json` means is therefore not plain: `é` is the byte 0xE9 in the alphabet, and
two other bytes if it is a special token. But a consistent vocabulary has all 256 bytes and the
results of all merges, and these decide:

1. A key that is a byte or the result of a merge is that token.
2. Otherwise, if it is one of the special tokens that the caller names, it is the literal text.
3. Otherwise it is in the alphabet if all its characters are, and literal text if not.
"""

import json
import os
from collections.abc import Iterable

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.formats.plain_encoder import PlainEncoder
from cs336_bpe.formats.probe import check_ids, is_installed
from cs336_bpe.formats.round_trip import Checked, check_plain, check_same, checked
from cs336_bpe.formats.safe_json import (
    as_id,
    as_object,
    as_string,
    excerpt,
    naming,
    read_json_file,
    read_text,
)
from cs336_bpe.rules import (
    ALPHABET,
    GPT2_PATTERN,
    Model,
    Pair,
    TokenIds,
    Vocab,
    check_pattern,
    check_special_tokens,
    from_printable,
    shown,
    to_printable,
)

VERSION_LINE = "#version: 0.2"
"""The first line of a list of merges. Some readers skip the first line whatever it is."""


def read_gpt2(vocab_path: AnyPath, merges_path: AnyPath,
              special_tokens: Iterable[str] | None = None,
              pattern: str = GPT2_PATTERN) -> Model:
    """Read `vocab.json` and `merges.txt`. Special tokens that are not there get the next ids.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from cs336_bpe import train_bpe_from_counts
    >>> vocab, merges = train_bpe_from_counts({b" low": 5, b" lower": 2}, 260, ["<|end|>"])
    >>> with TemporaryDirectory() as folder:
    ...     files = Path(folder, "vocab.json"), Path(folder, "merges.txt")
    ...     write_gpt2(Model(vocab, merges, ["<|end|>"], GPT2_PATTERN), *files)
    ...     print(files[1].read_text(encoding="utf-8"), end="")
    ...     read_gpt2(*files, ["<|end|>"]).vocab[259]
    #version: 0.2
    o w
    l ow
    Ġ low
    b' low'
    """
    specials = check_special_tokens([] if special_tokens is None else special_tokens)
    check_pattern(pattern)
    merges = _read_merges(merges_path)
    name = os.fspath(vocab_path)
    entries = as_object(read_json_file(vocab_path), f"{name}: the whole file")
    vocab = read_entries(entries, merges, specials, name)
    with naming(f"{name} and {os.fspath(merges_path)}"):
        tokenizer = checked(Model(vocab, merges, specials, pattern))
        _check_all_merges_there(tokenizer)
    return tokenizer.model


def _check_all_merges_there(tokenizer: Checked) -> None:
    """Find out a list of merges that was cut short at the end of a line.

    A vocab may have tokens that no merge makes: special ones that the caller has not named. But the
    first token whose merge is lost can be told from these: the other merges make two parts of it.
    """
    made = {left + right for left, right in tokenizer.model.merges}
    others = [token for token in tokenizer.ids.ordinary if len(token) > 1 and token not in made]
    encoder = PlainEncoder(tokenizer) if others else None
    for token in others:
        if encoder and len(encoder.encode_bytes(token)) == 2:
            raise ValueError(f"the vocab has {shown(token)}, but its merge is not there; the list "
                             f"of merges may be cut short: copy it again. If it is a special "
                             f"token, name it in special_tokens")


def read_entries(entries: dict[str, object], merges: list[Pair], specials: list[str],
                 name: str) -> Vocab:
    """The vocab from the entries of an object `token -> id`. Hugging Face has the same one."""
    needed = ALPHABET.union(to_printable(left + right) for left, right in merges)
    literal = set(specials)
    vocab: Vocab = {}
    for key, value in entries.items():
        what = f"{name}: the token {excerpt(key)}"
        number = as_id(value, what)
        token = None if key in literal and key not in needed else from_printable(key)
        if token is None:
            token = as_string(key, what).encode()
        if number in vocab:
            raise ValueError(f"{what} has the id {number}, and so has the token "
                             f"{excerpt(to_printable(vocab[number]))}: every token needs its own")
        vocab[number] = token
    return vocab


def _read_merges(path: AnyPath) -> list[Pair]:
    # Not splitlines(): it also cuts at characters such as U+2028.
    lines = read_text(path).split("\n")
    if lines[-1] == "":
        lines.pop()
    merges = []
    for number, line in enumerate(lines, 1):
        # Only the first line can be a version: `#version` may begin a token. The first merge can't
        # look like it, because it joins two single bytes.
        if number > 1 or not line.startswith("#version"):
            merges.append(read_merge(line.removesuffix("\r"), f"{os.fspath(path)}: line {number}"))
    return merges


def read_merge(line: str, what: str) -> Pair:
    """A merge that is written as two tokens of the alphabet with a blank between them."""
    parts = line.split(" ")
    if len(parts) != 2:
        raise ValueError(f"{what} is {excerpt(line)}; it must be two tokens with one blank "
                         f"between them")
    return read_part(parts[0], what), read_part(parts[1], what)


def read_part(text: str, what: str) -> bytes:
    """A part of a merge, in the alphabet."""
    token = from_printable(text)
    if not token:
        raise ValueError(f"{what} has {excerpt(text)} as a part of a merge; a part must be one or "
                         f"more characters of GPT-2's byte alphabet")
    return token


def write_gpt2(model: Model, vocab_path: AnyPath, merges_path: AnyPath) -> None:
    """Write `vocab.json` and `merges.txt`, if reading them gives the same model back."""
    if os.path.realpath(vocab_path) == os.path.realpath(merges_path):
        raise ValueError(f"{os.fspath(vocab_path)} can't be both files: the vocab and the merges "
                         f"need a name each")
    check_plain(model, "GPT-2's format")
    tokenizer = checked(model)
    _check_all_merges_there(tokenizer)
    model, ids = tokenizer
    lines = [f"{json.dumps(key, ensure_ascii=False)}: {number}"
             for key, number in vocab_entries(model, ids).items()]
    merges = [f"{to_printable(left)} {to_printable(right)}" for left, right in model.merges]
    # Both files take their names after both were checked.
    with atomic_writer(vocab_path) as vocab_file, atomic_writer(merges_path) as merges_file:
        vocab_file.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())
        vocab_file.flush()
        merges_file.write("".join(f"{line}\n" for line in [VERSION_LINE, *merges]).encode())
        merges_file.flush()
        check_same(model, read_gpt2(vocab_file.name, merges_file.name, model.special_tokens,
                                    model.pattern))
        # That library leaves out merges that begin with "#version". We keep them.
        if is_installed("tokenizers") and not any(line.startswith("#version") for line in merges):
            _check_with_tokenizers(vocab_file.name, merges_file.name, tokenizer)


def _check_with_tokenizers(vocab_path: str, merges_path: str, tokenizer: Checked) -> None:
    """Whether Hugging Face's library reads the files as we do. The pattern is not in them, so it is
    given our pretokens."""
    from tokenizers.models import BPE

    theirs = BPE.from_file(vocab_path, merges_path)
    encoder = PlainEncoder(tokenizer)

    def encode(text: str) -> list[int]:
        ids: list[int] = []
        for piece in encoder.pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
            else:
                ids += [token.id for token in theirs.tokenize(to_printable(piece))]
        return ids

    check_ids("tokenizers", encode, tokenizer)


def vocab_entries(model: Model, ids: TokenIds) -> dict[str, int]:
    """The object `token -> id` in the order of ids, or an error if two tokens look the same."""
    special_of = {number: token for token, number in ids.specials.items()}
    ordinary = set(ids.ordinary.values())
    entries: dict[str, int] = {}
    for number, token in model.vocab.items():
        # A token that is both, learnt and special, is written as a learnt one.
        key = to_printable(token) if number in ordinary else special_of[number]
        if key in entries:
            raise ValueError(f"the ids {entries[key]} and {number} would both be written as "
                             f"{excerpt(key)}, because a special token is written literally; "
                             f"rename the special token, or use another format")
        entries[key] = number
    return entries
