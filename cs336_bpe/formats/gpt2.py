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
from cs336_bpe.formats.consistent import from_entries
from cs336_bpe.formats.native import parts_left
from cs336_bpe.formats.plain_encoder import PlainEncoder
from cs336_bpe.formats.probe import check_ids, is_installed
from cs336_bpe.formats.round_trip import Checked, as_checked, check_plain, check_same, checked
from cs336_bpe.formats.safe_json import (
    as_id,
    as_object,
    as_string,
    excerpt,
    naming,
    no_collections,
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
    check_special_tokens,
    from_printable,
    require_pattern,
    shown,
    to_printable,
)

VERSION_LINE = "#version: 0.2"
"""The first line of a list of merges. Some readers skip the first line whatever it is."""

MAX_UNMADE_BYTES = 1 << 22
"""How long all tokens together may be that no merge makes: 4 MiB, or a file could hold up its
reader for minutes. Special tokens have some kilobytes."""


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
    return load_gpt2(vocab_path, merges_path, special_tokens, pattern).model


@no_collections()
def load_gpt2(vocab_path: AnyPath, merges_path: AnyPath,
              special_tokens: Iterable[str] | None = None, pattern: str = GPT2_PATTERN, *,
              find_specials: bool = False, data: object = None) -> Checked:
    """The same, ready for a tokenizer. With `find_specials`, the tokens of the vocab that no merge
    makes are special: encoding could never give them otherwise. `data` is what the vocab's file
    holds, if it was read already.
    """
    specials = check_special_tokens([] if special_tokens is None else special_tokens)
    pattern = require_pattern(pattern)
    lines = _merge_lines(merges_path)
    name = os.fspath(vocab_path)
    data = read_json_file(vocab_path) if data is None else data
    entries = as_object(data, f"{name}: the whole file")

    def check(specials: list[str]) -> Checked:
        found = from_entries(entries, lines[_first_merge(lines):], specials)
        if found is not None:
            tokenizer = as_checked(found, pattern)
        else:
            merges = _read_merges(lines, os.fspath(merges_path))
            vocab = read_entries(entries, merges, specials, name)
            with naming(both):
                tokenizer = checked(Model(vocab, merges, specials, pattern))
        with naming(both):
            _check_all_merges_there(tokenizer)
        return tokenizer

    both = f"{name} and {os.fspath(merges_path)}"
    tokenizer = check(specials)
    others = set(unmade(tokenizer).values()) if find_specials else set()
    if not others:
        return tokenizer
    # Special tokens are written as they are, not in the alphabet for bytes. Often that is the same.
    names = {key: number for key, number in entries.items()
             if isinstance(number, int) and number in others}
    if any(tokenizer.model.vocab[number] != key.encode() for key, number in names.items()):
        return check(list(names))
    return _declared_special(names, tokenizer)


def _declared_special(specials: dict[str, int], tokenizer: Checked) -> Checked:
    """The same with some tokens, of more than one byte and made by no merge, declared special."""
    model, ids, columns = tokenizer
    ordinary = ids.ordinary.copy()
    for token in specials:
        del ordinary[token.encode()]
    model = Model(model.vocab, model.merges, list(specials), model.pattern)
    return Checked(model, TokenIds(ordinary, specials), columns)


def unmade(tokenizer: Checked) -> dict[bytes, int]:
    """The ordinary tokens that no merge makes, but for the bytes."""
    ordinary = tokenizer.ids.ordinary
    if len(ordinary) == 256 + len(tokenizer.columns.pairs):
        return {}
    made = set(tokenizer.columns.ids)
    return {token: number for token, number in ordinary.items() if number not in made}


def _check_all_merges_there(tokenizer: Checked) -> None:
    """Find out a list of merges that was cut short at the end of a line.

    A vocab may have tokens that no merge makes: special ones that the caller has not named. But the
    first token whose merge is lost can be told from these: the other merges make two parts of it.
    """
    longest = max((len(left) + len(right) for left, right in tokenizer.columns.pairs), default=1)
    others = [token for token in unmade(tokenizer) if len(token) <= 2 * longest]
    if (size := sum(map(len, others))) > MAX_UNMADE_BYTES:
        raise ValueError(f"the vocab has {len(others):,} tokens, {size:,} bytes, that no merge "
                         f"makes; {MAX_UNMADE_BYTES:,} bytes are the limit: the list of merges may "
                         f"be cut short, or not the one that belongs to it")
    for token, num_parts in zip(others, parts_left(tokenizer.columns, others)):
        if num_parts == 2:
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


def _merge_lines(path: AnyPath) -> list[str]:
    # Not splitlines(): it also cuts at characters such as U+2028.
    text = read_text(path)
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def _first_merge(lines: list[str]) -> int:
    """1 if the first line is a version. Only the first can be: `#version` may begin a token. The
    first merge can't look like it, because it joins two single bytes."""
    return int(bool(lines) and lines[0].startswith("#version"))


def _read_merges(lines: list[str], name: str) -> list[Pair]:
    first = _first_merge(lines)
    return [read_merge(line, f"{name}: line {number}")
            for number, line in enumerate(lines[first:], first + 1)]


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
    model, ids, _ = tokenizer
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
        # A token that is both, learned and special, is written as a learned one.
        key = to_printable(token) if number in ordinary else special_of[number]
        if key in entries:
            raise ValueError(f"the ids {entries[key]} and {number} would both be written as "
                             f"{excerpt(key)}, because a special token is written literally; "
                             f"rename the special token, or use another format")
        entries[key] = number
    return entries
