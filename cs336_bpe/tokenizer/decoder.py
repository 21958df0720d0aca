"""From ids to text: the bytes of each token, one after the other."""

import sys
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def _numpy() -> "ModuleType | None":
    """numpy, if anybody has imported it. If not, nothing is an array or a number of it."""
    return sys.modules.get("numpy")


def _id_types() -> tuple[type, ...]:
    numpy = _numpy()
    return (int,) if numpy is None else (int, numpy.integer)


class Decoder:
    """Decodes ids of one vocabulary."""

    def __init__(self, tokens: Mapping[int, bytes]) -> None:
        self._tokens = tokens

    def token(self, number: int, where: str) -> bytes:
        """The bytes of a token. `where` begins the error, if there is no such token."""
        if not _is_id(number):
            raise TypeError(f"{where}{number!r}, a {type(number).__name__}; ids are integers")
        token = self._tokens.get(number)
        if token is None:
            raise ValueError(f"{where}{number}, which is not an id of this vocabulary: it has "
                             f"{len(self._tokens)} tokens, with ids from {min(self._tokens)} to "
                             f"{max(self._tokens)}")
        return token

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of ids, whether they are text or not."""
        if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
            raise TypeError(f"ids is a {type(ids).__name__}; it must be integers")
        numpy = _numpy()
        if numpy is not None and isinstance(ids, numpy.ndarray):
            if ids.ndim != 1 or not (numpy.issubdtype(ids.dtype, numpy.integer) or not ids.size):
                raise TypeError(f"ids is an array of {ids.dtype} with {ids.ndim} dimensions; it "
                                f"must be integers in one dimension")
            ids = ids.tolist()
        elif not isinstance(ids, (list, tuple)):
            ids = list(ids)
        # 97.0 and True would be found as well: they are equal to 97 and 1.
        id_types = _id_types()
        if all(issubclass(kind, id_types) and kind is not bool for kind in set(map(type, ids))):
            try:
                return b"".join([self._tokens[number] for number in ids])
            except KeyError:
                pass
        return b"".join([self.token(number, f"ids[{place}] is ")
                         for place, number in enumerate(ids)])  # raises, and says where

    def decode_iterable(self, ids: Iterable[int], errors: str) -> Iterator[str]:
        """The text of ids, piece by piece as they come; a character is never cut."""
        decoder = getincrementaldecoder("utf-8")(errors)
        for place, number in enumerate(ids):
            text = decoder.decode(self.token(number, f"ids[{place}] is "))
            if text:
                yield text
        text = decoder.decode(b"", final=True)
        if text:
            yield text


def _is_id(number: object) -> bool:
    return isinstance(number, _id_types()) and not isinstance(number, bool)
