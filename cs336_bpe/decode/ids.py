"""What may be given as ids, and the errors for what may not.

Every stage has a fast way that only knows whether all ids are good. When they aren't, or when they
are integers of another type (numpy's, an IntEnum's), `plain_ids` looks at them one by one. It says
which one is wrong, and where it is; so no fast way has to.
"""

import sys
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, TypeAlias

Ids: TypeAlias = "Iterable[int]"
Given: TypeAlias = "list[int] | tuple[int, ...] | memoryview"

INTEGERS = tuple("bhilqnBHILQN")  # the codes of `struct`, of the machine's own byte order


def as_ids(ids: Ids) -> Given:
    """Ids as a list, a tuple or the memory of an array of integers in one dimension.

    >>> from array import array
    >>> as_ids(range(3)), as_ids(array("H", [7, 8])).tolist()
    ([0, 1, 2], [7, 8])
    """
    if isinstance(ids, (list, tuple)):
        return ids
    numpy = sys.modules.get("numpy")  # without it, nobody has one of its arrays
    if numpy is not None and isinstance(ids, numpy.ndarray):
        return _of_array(ids)
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise TypeError(f"ids is a {type(ids).__name__}; it must be integers")
    try:
        view = memoryview(ids)  # type: ignore[arg-type]
    except TypeError:
        return list(ids)
    if view.ndim != 1:
        raise TypeError(f"ids is a {type(ids).__name__} with {view.ndim} dimensions; it must be "
                        f"integers in one dimension")
    if view.c_contiguous and view.format.lstrip("@") in INTEGERS:
        return view
    try:
        return list(ids)
    except NotImplementedError:  # a memoryview that says its byte order, which only numpy reads
        from numpy import asarray

        return _of_array(asarray(view))


def _of_array(ids: Any) -> Given:
    if ids.ndim != 1 or not (ids.dtype.kind in "iu" or not ids.size):
        raise TypeError(f"ids is an array of {ids.dtype} with {ids.ndim} dimensions; it "
                        f"must be integers in one dimension")
    if not ids.size:
        return []
    native = ids.dtype.newbyteorder("=")
    # A view, if nothing else is different: "<u2" can be the machine's own order, but not its name.
    ids = ids.view(native) if ids.dtype.isnative else ids.astype(native)
    return memoryview(ids if ids.flags.c_contiguous else ids.copy())


def as_list(ids: Ids) -> "list[int] | tuple[int, ...]":
    """Ids as a list or a tuple."""
    given = as_ids(ids)
    return given.tolist() if isinstance(given, memoryview) else given


def plain_ids(ids: Given, tokens: Mapping[int, bytes], where: tuple[str, str] = ("ids[", "] is "),
              first: int = 0) -> list[int]:
    """The ids as plain integers, each of which is in the vocabulary; the first that isn't raises.

    The error begins with the place of the id between the two parts of `where`; places count from
    `first`.

    >>> plain_ids([97, True], {97: b"a"})
    Traceback (most recent call last):
    TypeError: ids[1] is True, a bool; ids are integers
    """
    numbers = list(ids)  # another thread may change what was given
    for place, number in enumerate(numbers, first):
        token_of(number, tokens, f"{where[0]}{place}{where[1]}")
    return list(map(int, numbers))


def token_of(number: int, tokens: Mapping[int, bytes], where: str) -> bytes:
    """The bytes of a token. `where` begins the error, if there is no such token."""
    # 97.0 and True would be found as well: they are equal to 97 and 1.
    if not isinstance(number, Integral) or isinstance(number, bool):
        raise TypeError(f"{where}{number!r}, a {type(number).__name__}; ids are integers")
    token = tokens.get(number)
    if token is None:
        raise ValueError(f"{where}{number}, which is not an id of this vocabulary: it has "
                         f"{len(tokens)} tokens"
                         + (f", with ids from {min(tokens)} to {max(tokens)}" if tokens else ""))
    return token
