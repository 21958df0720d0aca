"""Reading files that may be wrong or malicious: everything bounded, every error a ValueError.

Python's own readers trust their input in ways that a file from elsewhere can use. `json` keeps the
last of two entries with the same key and says nothing, reads `NaN`, which is no JSON, and stops
with a RecursionError if brackets are nested deeply. `int` takes time that grows with the square of
the number of digits, up to a limit that raises an error about the interpreter's settings. Here
they are all errors that name the file and what is wrong in it.
"""

import gc
import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from cs336_bpe.common.paths import AnyPath
from cs336_bpe.formats.native import count_entries, counts_of_text
from cs336_bpe.rules import MAX_ID, check_pattern
from cs336_bpe.text.blocks import open_text

MAX_FILE_BYTES = 1 << 26
"""The largest file that is read: 64 MiB, twice the largest vocabularies in use."""

MAX_VALUES = 1 << 22
"""The most values that a JSON file may have, also more than twice what the largest vocabularies
have. It bounds the memory: `[],` takes three bytes in a file and 64 in memory."""

MAX_PATTERN = 10_000
"""The most characters that the pattern in a file may have."""

MAX_COPIES = 100_000
"""How great the numbers in the repeats of such a pattern may be, all multiplied."""


def read_bytes(path: AnyPath, most: int = MAX_FILE_BYTES, data: bytes | None = None) -> bytes:
    """All of a file, if it is not larger than `most`. `data` is what was read of it already: a pipe
    can be read once only, and a file may be replaced in between."""
    if data is None:
        with open_text(path) as file:
            # Not the size that the system tells: a pipe or a device has none.
            data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{os.fspath(path)} has more than {most:,} bytes, which is the limit for "
                         f"such a file; check that it is the right one")
    return data


def read_text(path: AnyPath, most: int = MAX_FILE_BYTES) -> str:
    """All of a file, as UTF-8."""
    return as_text(read_bytes(path, most), path)


def as_text(data: bytes, path: AnyPath) -> str:
    """The bytes of a file as UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)} is not valid UTF-8 at byte {error.start} "
                         f"({error.reason}); copy it again, or check that it is the right file"
                         ) from None


def read_json_file(path: AnyPath, data: bytes | None = None) -> object:
    """What a JSON file holds, if it is JSON to the letter and no key occurs twice. `data` is what
    was read of it already."""
    data = read_bytes(path, data=data)
    text = as_text(data, path)
    name = os.fspath(path)

    def pairs_to_dict(pairs: list[tuple[str, object]]) -> dict[str, object]:
        result = dict(pairs)
        if len(result) < len(pairs):
            seen = set()
            for key, _ in pairs:
                if key in seen:
                    raise ValueError(f"{name} has the key {excerpt(key)} twice in one object; "
                                     f"which of the two is meant can't be told: leave one out")
                seen.add(key)
        return result

    def constant(word: str) -> NoReturn:
        raise ValueError(f"{name} has the number {word}, which is no JSON")

    def integer(digits: str) -> int:
        if len(digits) > 20:
            raise ValueError(f"{name} has a number of {len(digits)} digits: {excerpt(digits)}; "
                             f"the greatest id is {MAX_ID}")
        return int(digits)

    try:
        entries, most_digits, values = counts_of_text(data)
        if values > MAX_VALUES:
            raise ValueError(f"{name} has more than {MAX_VALUES:,} values, which is the limit for "
                             f"such a file; check that it is the right one")
        if most_digits <= 20:
            with no_collections():
                value: object = json.loads(text, parse_constant=constant)
            if count_entries(value) == entries:
                return value
        # The slow way: it asks every object and every number, and says what is wrong.
        return json.loads(text, object_pairs_hook=pairs_to_dict, parse_constant=constant,
                          parse_int=integer)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} is not valid JSON at line {error.lineno}, column "
                         f"{error.colno}: {error.msg}; it may be cut short, or not the file "
                         f"that was meant") from None
    except RecursionError:
        raise ValueError(f"{name} has brackets nested too deeply; it is no file that this "
                         f"program reads") from None


@contextmanager
def no_collections() -> Iterator[None]:
    """Make many objects without a search for garbage among them every now and then.

    Several threads may be in here. The first turns the search off, the last one on again.
    """
    _collections.enter()
    try:
        yield
    finally:
        _collections.leave()


class _Collections:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0  # threads
        self.was_on = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forget)

    def enter(self) -> None:
        with self.lock:
            if not self.inside:
                self.was_on = gc.isenabled()
                gc.disable()
            self.inside += 1

    def leave(self) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside and self.was_on:
                gc.enable()

    def forget(self) -> None:
        """In a process that was forked: the threads that are inside are not there."""
        self.lock = threading.Lock()
        if self.inside and self.was_on:
            gc.enable()
        self.inside = 0


_collections = _Collections()


def as_object(value: object, what: str) -> dict[str, object]:
    """A JSON value that must be an object; `what` says in which file and where it stands."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} is {kind(value)}; it must be an object {{...}}")
    return value


def as_list(value: object, what: str) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{what} is {kind(value)}; it must be a list [...]")
    return value


def as_string(value: object, what: str) -> str:
    """A JSON value that must be a string with a UTF-8 form."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is {kind(value)}; it must be a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} is {excerpt(value)}, which has no UTF-8 form: it contains a "
                         f"lone surrogate") from None
    return value


def as_pattern(value: object, what: str) -> str:
    """A JSON value that must be a pattern, and one that is not dangerous to compile."""
    pattern = as_string(value, what)
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"{what} has {len(pattern)} characters; at most {MAX_PATTERN} are read")
    # `regex` writes out a{1000} as a thousand copies, and nested repeats multiply. With the flag x
    # there may be comments between the braces, and repeats can't be seen so easily.
    if re.search(r"\(\?[a-zA-Z0-9-]*x", pattern):
        raise ValueError(f"{what} has the flag x for verbose patterns; write it without")
    copies = 1
    for numbers in re.findall(r"\{([0-9]*,?[0-9]*)\}", pattern):
        for digits in filter(None, numbers.split(",")):
            copies *= max(1, int(digits[:8]))  # eight digits are too many already
    if copies > MAX_COPIES:
        raise ValueError(f"{what} has repeats {{n}} of more than {MAX_COPIES:,} copies in all")
    try:
        check_pattern(pattern)
    except (ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"{what} can't be used: {str(error)[-200:]}") from None
    return pattern


def as_oniguruma(value: object, what: str) -> str:
    """A JSON value that must be a pattern of Oniguruma which means something to `regex` too."""
    from cs336_bpe.model.oniguruma import from_oniguruma

    pattern = as_string(value, what)
    try:
        translated = from_oniguruma(pattern)
    except ValueError as error:
        raise ValueError(str(error).replace("the pattern", what, 1)) from None
    as_pattern(translated, what)
    return pattern


def as_id(value: object, what: str) -> int:
    """A JSON value that must be an id."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{what} is {kind(value)}; it must be an id, an integer")
    if not 0 <= value <= MAX_ID:
        raise ValueError(f"{what} is {value}; an id is at least 0 and at most {MAX_ID}")
    return value


def kind(value: object) -> str:
    """A JSON value for an error message, never longer than a line."""
    if value is None or isinstance(value, (bool, int, float)):
        return json.dumps(value)
    if isinstance(value, str):
        return f"the string {excerpt(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "an object"


def excerpt(text: str) -> str:
    """A text for an error message, shortened if it is long."""
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}..."


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Put the name of a file before the message of an error about what is in it."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from None
