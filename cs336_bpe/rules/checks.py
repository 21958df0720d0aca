"""Checks of arguments. An error says what is wrong, where, and what to do."""

import operator
import os
from collections.abc import Iterable, Mapping
from typing import SupportsIndex

from cs336_bpe.common.amounts import plural
from cs336_bpe.rules.tokens import BYTES

MAX_TOTAL = 2**63 - 1
"""The greatest number that a count of pairs may reach (rule 7)."""


def check_size(name: str, value: SupportsIndex, smallest: int = 0, why: str = "") -> int:
    """`value` as an `int` that is at least `smallest`, or an error that names it."""
    if isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; it must be an integer")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, a {type(value).__name__}; "
                        f"it must be an integer") from None
    if number < smallest:
        raise ValueError(f"{name} is {number}; it must be at least {smallest}{why}")
    return number


def check_counts(counts: Mapping[bytes, int]) -> list[tuple[bytes, int]]:
    """The pretokens that training can learn from, with their counts, in the mapping's order.

    Leaves out those that occur zero times: a pair that does not occur must not be merged.

    >>> check_counts({b"low": 5, b"lower": 0})
    [(b'low', 5)]
    """
    if not isinstance(counts, Mapping):
        raise TypeError(f"counts is a {type(counts).__name__}; it must be a mapping from "
                        f"bytes to int, such as a dict or a collections.Counter")
    items = []
    total = 0
    for word, count in counts.items():
        number = check_count(word, count)
        if number:
            items.append((word, number))
            total += number * len(word)
    check_total(total)
    return items


def check_count(word: bytes, count: SupportsIndex) -> int:
    """One entry of `counts`: its count as an `int`, or an error that names the entry."""
    if type(word) is bytes and type(count) is int and 0 <= count <= MAX_TOTAL:
        return count  # nearly always; to make the names for errors takes ten times as long
    if not isinstance(word, bytes):
        raise TypeError(f"counts has the key {word!r}, a {type(word).__name__}; keys must be "
                        f"bytes" + (" (use key.encode())" if isinstance(word, str) else ""))
    number = check_size(f"counts[{shown(word)}]", count)
    if number > MAX_TOTAL:
        raise ValueError(f"counts[{shown(word)}] is {number}, more than the 64-bit limit of "
                         f"{MAX_TOTAL}; divide all counts by a common factor")
    return number


def check_total(total: int) -> None:
    if total > MAX_TOTAL:
        raise ValueError(f"counts add up to {total} bytes of text, more than the 64-bit limit "
                         f"of {MAX_TOTAL}; divide all counts by a common factor")


def check_special_tokens(special_tokens: Iterable[str]) -> list[str]:
    """The special tokens as a list of different, non-empty strings."""
    if isinstance(special_tokens, (str, bytes)):
        raise TypeError(f"special_tokens is {special_tokens!r}; it must be a list of strings, "
                        f"such as [{special_tokens!r}]")
    if not isinstance(special_tokens, Iterable):
        raise TypeError(f"special_tokens is {special_tokens!r}; it must be a list of strings, [] "
                        f"for none")
    tokens = list(special_tokens)
    seen: dict[str, int] = {}
    for place, token in enumerate(tokens):
        if not isinstance(token, str):
            raise TypeError(f"special_tokens[{place}] is {token!r}, a {type(token).__name__}; "
                            f"it must be a str")
        if not token:
            raise ValueError(f"special_tokens[{place}] is empty; it would match everywhere: "
                             f"leave it out")
        try:
            token.encode()
        except UnicodeEncodeError:
            raise ValueError(f"special_tokens[{place}] is {token!r}, which has no UTF-8 form: "
                             f"it contains a lone surrogate") from None
        earlier = seen.setdefault(token, place)
        if earlier != place:
            raise ValueError(f"special_tokens[{place}] is {token!r}, which is there already at "
                             f"{earlier}: leave one out")
    return tokens


def check_vocab_size(vocab_size: SupportsIndex, num_specials: int) -> int:
    """How many merges there is room for."""
    smallest = len(BYTES) + num_specials
    why = " (one id per byte)"
    if num_specials:
        why = f" (256 bytes and {plural(num_specials, 'special token')})"
    return check_size("vocab_size", vocab_size, smallest, why) - smallest


def check_pretoken(pretoken: object) -> None:
    """Raise unless this is something that an encoder can encode."""
    if not isinstance(pretoken, bytes):
        raise TypeError(f"pretoken is {pretoken!r}, a {type(pretoken).__name__}; it must be bytes"
                        + (" (use pretoken.encode())" if isinstance(pretoken, str) else ""))


def check_errors(errors: object) -> None:
    if errors not in ("strict", "replace", "ignore"):
        raise ValueError(f"errors is {errors!r}; it must be 'strict', 'replace' or 'ignore'")


def check_workers(workers: int | None, most: int | None = None) -> int:
    """How many workers to use; `None` means as many as there are processors for us."""
    if workers is None:
        if hasattr(os, "sched_getaffinity"):
            available = len(os.sched_getaffinity(0))
        else:
            available = os.cpu_count() or 1
        return available if most is None else min(available, most)
    number = check_size("workers", workers, 1)
    if most is not None and number > most:
        raise ValueError(f"workers is {number}, but this stage works with at most {most}")
    return number


def shown(word: bytes) -> str:
    """A pretoken or a token for an error message, shortened if it is long."""
    return repr(word) if len(word) <= 40 else f"{word[:40]!r}... of {len(word)} bytes"
