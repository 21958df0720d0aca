"""A tokenizer from whatever holds one: the format is told by what is in the file, not by its name.

Our own file and Hugging Face's `tokenizer.json` say everything themselves. GPT-2's two files and
tiktoken's ranks do not say which tokens are special, nor what the pattern is; what can be told
without guessing is told here, and the caller may say the rest.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from cs336_bpe import formats
from cs336_bpe.common.paths import AnyPath
from cs336_bpe.formats.gpt2 import load_gpt2
from cs336_bpe.formats.own import FORMAT, load_json
from cs336_bpe.formats.round_trip import Checked
from cs336_bpe.formats.safe_json import MAX_FILE_BYTES, naming, read_bytes, read_json_file
from cs336_bpe.formats.tiktoken import load_tiktoken, read_ranks
from cs336_bpe.rules import GPT2_PATTERN, Model, RoleName, check_special_tokens, find_pattern

Specials = Iterable[str] | Mapping[str, int]

FILES = {"own": ("tokenizer.bpe.json",), "gpt2": ("vocab.json", "merges.txt"),
         "tiktoken": ("tokenizer.tiktoken",), "huggingface": ("tokenizer.json",),
         "transformers": ("tokenizer.json", "tokenizer_config.json",
                          "special_tokens_map.json")}
"""The formats, and the names that their files have in a folder. Ours is not called
`tokenizer.json`, which Hugging Face's library would take for its own."""

_PAIRS_OF_NAMES = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))
"""GPT-2's two files, as Hugging Face and as OpenAI name them."""

_RANK_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?$")


class Found(NamedTuple):
    """A format, and the one or two files of it."""

    format: str
    files: tuple[Path, ...]


def load_model(path: AnyPath, special_tokens: Specials | None = None, *,
               pattern: str | None = None) -> Model:
    """All of a tokenizer, from a file or a folder of any format.

    - GPT-2's files: the pattern is GPT-2's, unless `pattern` says otherwise. Special tokens are
      those of the vocab that no merge makes, as encoding could never give them otherwise.
    - tiktoken's ranks: the pattern likewise; special tokens are those that the caller names. If
      their ids are not given, they get the ids that the ranks leave out, then the next ones.
    - The two others say both themselves. It is an error to contradict them.
    """
    return load_checked(path, special_tokens, pattern=pattern).model


def load_checked(path: AnyPath, special_tokens: Specials | None = None, *,
                 pattern: str | None = None) -> Checked:
    """The same, ready for a tokenizer."""
    return recognise_and_load(path, special_tokens, pattern=pattern)[1]


def recognise_and_load(path: AnyPath, special_tokens: Specials | None = None, *,
                       pattern: str | None = None) -> tuple[Found, Checked]:
    """The same, and its format. A file is read once: it may be a pipe."""
    found, data = _look(Path(path))
    return found, _load(found, data, special_tokens, pattern)


def _load(found: Found, data: object, special_tokens: Specials | None,
          pattern: str | None) -> Checked:
    if found.format == "gpt2":
        return _load_gpt2(found.files, data, special_tokens, pattern or GPT2_PATTERN)
    if found.format == "tiktoken":
        assert isinstance(data, bytes)
        return _load_tiktoken(found.files[0], data, special_tokens, pattern or GPT2_PATTERN)
    if found.format == "own":
        tokenizer = load_json(found.files[0], data)
    else:
        from cs336_bpe.formats.huggingface_reader import load_huggingface

        tokenizer = load_huggingface(found.files[0], data)
    model = tokenizer.model
    name = os.fspath(found.files[0])
    if pattern is not None and find_pattern(pattern) != model.pattern:
        raise ValueError(f"{name} says its pattern itself, {model.pattern!r}; leave pattern out")
    if special_tokens is not None:
        _check_known(special_tokens, model, name)
    return tokenizer


def _load_gpt2(files: tuple[Path, ...], data: object, special_tokens: Specials | None,
               pattern: str) -> Checked:
    vocab_file, merges_file = files
    if special_tokens is None:
        return load_gpt2(vocab_file, merges_file, pattern=pattern, find_specials=True, data=data)
    names = check_special_tokens(special_tokens)
    tokenizer = load_gpt2(vocab_file, merges_file, names, pattern, data=data)
    if isinstance(special_tokens, Mapping):
        _check_known(special_tokens, tokenizer.model, os.fspath(vocab_file))
    return tokenizer


def _load_tiktoken(file: Path, data: bytes, special_tokens: Specials | None,
                   pattern: str) -> Checked:
    if special_tokens is None or isinstance(special_tokens, Mapping):
        return load_tiktoken(file, special_tokens, pattern, data)
    names = check_special_tokens(special_tokens)
    ranks = set(read_ranks(file, data).values())
    # Ranks have gaps only where special tokens were left out, as in the files that we write.
    free = (number for number in range(len(ranks) + len(names)) if number not in ranks)
    return load_tiktoken(file, dict(zip(names, free)), pattern, data)


def _check_known(special_tokens: Specials, model: Model, name: str) -> None:
    """An error if the caller names a special token that the file does not have, or another id."""
    ids = {token: number for number, token in model.vocab.items()}
    for token in check_special_tokens(special_tokens):
        if token not in model.special_tokens:
            known = ", ".join(map(repr, model.special_tokens)) or "none"
            raise ValueError(f"{name} says its special tokens itself, and {token!r} is not one of "
                             f"them ({known}); leave special_tokens out")
        if isinstance(special_tokens, Mapping) and special_tokens[token] != ids[token.encode()]:
            raise ValueError(f"{name} has the special token {token!r} with the id "
                             f"{ids[token.encode()]}, not {special_tokens[token]}")


# --- Telling the format --------------------------------------------------------------------


def recognise(path: AnyPath) -> Found:
    """Which format a file, or a folder, holds; an error if it is none."""
    return _look(Path(path))[0]


_Seen = tuple[Found, object]
"""What was found, and what its first file holds, if that was read: JSON, or the bytes of ranks. It
may be a pipe, which can't be read again."""


def _look(path: Path) -> _Seen:
    return _look_in_folder(path) if path.is_dir() else _look_into_file(path)


def _look_in_folder(folder: Path) -> _Seen:
    """The most complete of the formats that are there."""
    for format in ("own", "huggingface", "gpt2", "tiktoken"):
        files = tuple(folder / name for name in FILES[format])
        if all(file.exists() for file in files):
            return _look_into_file(files[0])
    for names in _PAIRS_OF_NAMES[1:]:
        if all((folder / name).exists() for name in names):
            return Found("gpt2", tuple(folder / name for name in names)), None
    for ending in ("*.bpe.json", "*.tiktoken"):
        files = tuple(sorted(folder.glob(ending)))
        if len(files) == 1:
            return _look_into_file(files[0])
        if files:
            raise ValueError(f"{folder} has more than one tokenizer: "
                             f"{', '.join(file.name for file in files[:5])}; name one of them")
    wanted = ", ".join(" with ".join(names) for names in FILES.values())
    raise ValueError(f"{folder} has no tokenizer in it; looked for {wanted}")


def _look_into_file(path: Path) -> _Seen:
    name = os.fspath(path)
    data = read_bytes(path, MAX_FILE_BYTES)
    if data.lstrip()[:1] in (b"{", b"["):
        return _look_into_json(path, data)
    first, *further = data[:10_000].split(b"\n", 2)
    if _RANK_LINE.match(first):
        return Found("tiktoken", (path,)), data
    line = further[0] if first.startswith(b"#version") and further else first
    if path.suffix in (".txt", ".bpe") and (first.startswith(b"#version") or line.count(b" ") == 1):
        return Found("gpt2", (_partner(path, second=True), path)), None
    raise ValueError(f"{name} is no tokenizer: it is neither JSON (our own file, Hugging Face's or "
                     f"GPT-2's vocab), nor a list of merges, nor a file of tiktoken's ranks")


def _look_into_json(path: Path, read: bytes) -> _Seen:
    data = read_json_file(path, read)
    # "format" and "model" may be tokens of GPT-2's vocab too; but then they have ids.
    if isinstance(data, dict):
        if data.get("format") == FORMAT:
            return Found("own", (path,)), data
        if isinstance(data.get("model"), dict):
            return Found("huggingface", (path,)), data
        if data and all(isinstance(number, int) for number in data.values()):
            return Found("gpt2", (path, _partner(path, second=False))), data
    raise ValueError(f"{os.fspath(path)} is JSON, but no tokenizer: it has no \"format\" as our "
                     f"own file, no \"model\" as Hugging Face's, and is no object of tokens and "
                     f"ids as GPT-2's vocab")


def _partner(path: Path, *, second: bool) -> Path:
    """The other one of GPT-2's two files: `merges.txt`, and `x-merges.txt` to `x-vocab.json`."""
    for pair in _PAIRS_OF_NAMES:
        mine, other = pair[::-1] if second else pair
        if path.name.endswith(mine):
            partner = path.with_name(path.name.removesuffix(mine) + other)
            if partner.exists():
                return partner
            raise ValueError(f"{os.fspath(path)} is one of GPT-2's two files, and the other one, "
                             f"{partner.name}, is not beside it")
    raise ValueError(f"{os.fspath(path)} looks like one of GPT-2's two files; they must be called "
                     f"vocab.json and merges.txt (or x-vocab.json and x-merges.txt), so that the "
                     f"other one can be found")


# --- Saving --------------------------------------------------------------------------------


def check_format(format: str) -> str:
    if format not in FILES:
        raise ValueError(f"format is {format!r}; it must be one of {', '.join(FILES)}")
    return format


def output_files(path: AnyPath, format: str) -> tuple[Path, ...]:
    """The files that a tokenizer would be saved to.

    A folder, or a name that ends in a slash, gets files with the usual names. So does any name for
    a format that has several files; GPT-2's may be named by the vocab too.

    >>> [file.name for file in output_files("new/", "tiktoken")]
    ['tokenizer.tiktoken']
    >>> [file.as_posix() for file in output_files("new", "gpt2")]
    ['new/vocab.json', 'new/merges.txt']
    >>> [file.name for file in output_files("small-vocab.json", "gpt2")]
    ['small-vocab.json', 'small-merges.txt']
    """
    names = FILES[check_format(format)]
    name, path = os.fspath(path), Path(path)
    if format == "gpt2" and name.endswith("vocab.json"):
        return path, path.with_name(path.name.removesuffix("vocab.json") + "merges.txt")
    if path.is_dir() or len(names) > 1 or name.endswith(("/", os.sep)):
        return tuple(path / file for file in names)
    return (path,)


def save_model(model: Model, path: AnyPath, format: str = "own",
               roles: Mapping[RoleName, str] | None = None) -> list[Path]:
    """Write a model in one of the formats; returns the files. Folders are made if needed.

    `roles` says which special tokens are for what; only "transformers" has a place for it.
    """
    files = output_files(path, format)
    if roles and format != "transformers":
        raise ValueError(f"the format {format} has no place for what special tokens are for "
                         f"({', '.join(roles)}); the format transformers has")
    files[0].parent.mkdir(parents=True, exist_ok=True)
    with naming(f"{os.fspath(path)} was not written"):
        if format == "gpt2":
            formats.write_gpt2(model, *files)
        elif format == "transformers":
            formats.write_transformers(model, files, roles)
        else:
            write = {"own": formats.write_json, "tiktoken": formats.write_tiktoken,
                     "huggingface": formats.write_huggingface}[format]
            write(model, files[0])
    return list(files)
