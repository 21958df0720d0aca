"""Our own format: one JSON file with all that a tokenizer is made of, to be read by people too.

A token is written as text if its bytes are valid UTF-8, and as `{"bytes": "f09f"}` if not. Ids are
written out only if they are not those of rule 5 (bytes, special tokens, merges). The same model
always gives the same bytes. The last line has a checksum of the lines before it, so a file that was
cut short, mixed up or edited is found out; a file that was only laid out in another way is not
refused, because the checksum is that of the lines as `write_json` would write them.

Merges are written as bytes, not as pairs of ids, although that takes more room: with ids a file of
a kilobyte could stand for a token of 2^50 bytes, each merge joining the token before with itself.
"""

import json
import os

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.formats.round_trip import (
    Checked,
    check_plain,
    check_same,
    check_special_ids,
    checked,
)
from cs336_bpe.formats.safe_json import (
    as_id,
    as_list,
    as_object,
    as_pattern,
    as_string,
    kind,
    naming,
    no_collections,
    read_json_file,
)
from cs336_bpe.rules import PATTERNS, Model, Pair, Vocab, assemble_vocab, require_pattern

FORMAT = "cs336_bpe tokenizer"
VERSION = 1
RULE_5 = "bytes, special tokens, merges"
_KEYS = ["format", "version", "pattern", "special_tokens", "ids", "merges", "checksum"]


def write_json(model: Model, path: AnyPath) -> None:
    """Write a model to one file, if reading it gives the same model back.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from cs336_bpe import train_bpe_from_counts
    >>> vocab, merges = train_bpe_from_counts({b" low": 5, b" lower": 2}, 260, ["<|end|>"])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "tokenizer.json")
    ...     write_json(Model(vocab, merges, ["<|end|>"], " ?[a-z]+|."), path)
    ...     print(path.read_text(encoding="utf-8"), end="")  # doctest: +ELLIPSIS
    ...     read_json(path) == Model(vocab, merges, ["<|end|>"], " ?[a-z]+|.")
    {
    "format": "cs336_bpe tokenizer",
    "version": 1,
    "pattern": " ?[a-z]+|.",
    "special_tokens": [
    ["<|end|>", 256]
    ],
    "ids": "bytes, special tokens, merges",
    "merges": [
    ["o", "w"],
    ["l", "ow"],
    [" ", "low"]
    ],
    "checksum": "sha256:..."
    }
    True
    """
    check_plain(model, "our own format")
    tokenizer = checked(model)
    body = _body(tokenizer)
    with atomic_writer(path) as file:
        file.write(body + f'"checksum": "{_checksum(body)}"\n}}\n'.encode())
        file.flush()
        check_same(tokenizer.model, read_json(file.name))


def _checksum(body: bytes) -> str:
    from hashlib import sha256

    return "sha256:" + sha256(body).hexdigest()


def _body(tokenizer: Checked) -> bytes:
    """The lines of the file before the checksum."""
    model, ids, _ = tokenizer
    lines = ["{", f'"format": {_dump(FORMAT)},', f'"version": {VERSION},',
             f'"pattern": {_dump(model.pattern)},']
    lines += _lines("special_tokens", [_dump([*item]) for item in ids.specials.items()])
    if model.vocab == assemble_vocab(model.special_tokens, model.merges):
        lines.append(f'"ids": {_dump(RULE_5)},')
    else:
        lines += _lines("ids", [_dump([number, _token_to_json(token)])
                                for number, token in model.vocab.items()])
    lines += _lines("merges", [_dump([_token_to_json(left), _token_to_json(right)])
                               for left, right in model.merges])
    return "".join(f"{line}\n" for line in lines).encode()


def _lines(key: str, entries: list[str]) -> list[str]:
    """A list with one entry a line."""
    if not entries:
        return [f'"{key}": [],']
    return [f'"{key}": [', *(f"{entry}," for entry in entries[:-1]), entries[-1], "],"]


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _token_to_json(token: bytes) -> object:
    try:
        return token.decode()
    except UnicodeDecodeError:
        return {"bytes": token.hex()}


def read_json(path: AnyPath) -> Model:
    """Read a file that `write_json` has written."""
    return load_json(path).model


@no_collections()
def load_json(path: AnyPath, data: object = None) -> Checked:
    """The same, ready for a tokenizer. `data` is what the file holds, if it was read already."""
    name = os.fspath(path)
    parts = as_object(read_json_file(path) if data is None else data, f"{name}: the whole file")
    if parts.get("format") != FORMAT:
        raise ValueError(f'{name} is not a tokenizer of this program: its "format" is '
                         f"{kind(parts.get('format'))}, not {_dump(FORMAT)}; other formats have "
                         f"functions of their own to read them")
    if parts.get("version") != VERSION:
        raise ValueError(f"{name} is a tokenizer of version {kind(parts.get('version'))}, but this "
                         f"program reads version {VERSION}; use the release that wrote it")
    if sorted(parts) != sorted(_KEYS):
        raise ValueError(f"{name} has the keys {', '.join(parts)[:200]}; it must have "
                         f"{', '.join(_KEYS)}")
    pattern = as_pattern(parts["pattern"], f"{name}: the pattern")
    if pattern not in PATTERNS.values():
        _check_time(pattern, name)
    specials = _read_specials(parts["special_tokens"], name)
    merges = _read_merges(parts["merges"], name)
    vocab = _read_ids(parts["ids"], list(specials), merges, name)
    with naming(name):
        tokenizer = checked(Model(vocab, merges, list(specials), pattern))
        check_special_ids(tokenizer.ids, specials)
    if parts["checksum"] != _checksum(_body(tokenizer)):
        raise ValueError(f"{name} has been altered: its checksum is not that of what it says; "
                         f"copy it again, or make it again with write_json")
    return tokenizer


def _check_time(pattern: str, name: str) -> None:
    from cs336_bpe.formats.probe import check_time  # here, as most files have a known pattern
    from cs336_bpe.patterns import why_not

    with naming(name):
        require_pattern(pattern)
        if why_not(pattern) is not None:
            check_time(pattern)


def _read_specials(value: object, name: str) -> dict[str, int]:
    specials: dict[str, int] = {}
    for place, entry in enumerate(as_list(value, f"{name}: special_tokens")):
        what = f"{name}: special_tokens[{place}]"
        text, number = _two(entry, what)
        token = as_string(text, what)
        if token in specials:
            raise ValueError(f"{what} is {token!r}, which is there already: leave one out")
        specials[token] = as_id(number, what)
    return specials


def _read_merges(value: object, name: str) -> list[Pair]:
    merges = []
    for place, entry in enumerate(as_list(value, f"{name}: merges")):
        what = f"{name}: merges[{place}]"
        left, right = _two(entry, what)
        merges.append((_token_from_json(left, what), _token_from_json(right, what)))
    return merges


def _read_ids(value: object, specials: list[str], merges: list[Pair], name: str) -> Vocab:
    if value == RULE_5:
        return assemble_vocab(specials, merges)
    vocab: Vocab = {}
    if not isinstance(value, list):
        raise ValueError(f"{name}: ids is {kind(value)}; it must be {_dump(RULE_5)} or a list")
    for place, entry in enumerate(value):
        what = f"{name}: ids[{place}]"
        number, token = _two(entry, what)
        number = as_id(number, what)
        if number in vocab:
            raise ValueError(f"{what} gives the id {number} once more: leave one out")
        vocab[number] = _token_from_json(token, what)
    return vocab


def _two(value: object, what: str) -> tuple[object, object]:
    entry = as_list(value, what)
    if len(entry) != 2:
        raise ValueError(f"{what} is {kind(entry)}; it must have two values")
    return entry[0], entry[1]


def _token_from_json(value: object, what: str) -> bytes:
    if isinstance(value, str):
        return as_string(value, what).encode()
    if isinstance(value, dict) and list(value) == ["bytes"]:
        digits = as_string(value["bytes"], what)
        try:
            return bytes.fromhex(digits)
        except ValueError:
            pass
    raise ValueError(f'{what} has {kind(value)} for a token; it must be a string, or '
                     f'{{"bytes": "..."}} with hexadecimal digits')
