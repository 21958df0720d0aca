"""From ids to text: one call, many texts, or piece by piece.

The work is done by the last stage of the decoding ladder, or by one in plain Python if nothing is
compiled; see `cs336_bpe/decode`. It refuses what it can't decode, and then the ids are looked at
one by one, so that the error names the place.
"""

from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cs336_bpe.common.built import is_built
from cs336_bpe.common.lazy import lazy
from cs336_bpe.decode.ids import Ids, as_ids, plain_ids, token_of
from cs336_bpe.text.crew import over_items

if TYPE_CHECKING or is_built():
    from cs336_bpe.decode.stage11_packed_characters import Decoder as Engine
else:
    from cs336_bpe.decode.stage02_token_list import Decoder as Engine

IDS_IN_A_PIECE = 1 << 12  # of a text that is decoded piece by piece, from ids that are all there
MOST_IN_A_GROUP = 256  # texts


class Decoder:
    """Decodes ids of one vocabulary."""

    def __init__(self, tokens: Mapping[int, bytes]) -> None:
        self._tokens = tokens

    @lazy
    def _engine(self) -> Engine:  # made when it is needed: many only encode
        return Engine(self._tokens)

    def token(self, number: int, where: str) -> bytes:
        """The bytes of a token. `where` begins the error, if there is no such token."""
        return token_of(number, self._tokens, where)

    def decode_bytes(self, ids: Ids) -> bytes:
        """The bytes of ids, whether they are text or not."""
        return self._engine.decode_bytes(ids)

    def decode(self, ids: Ids, errors: str) -> str:
        """The text of ids."""
        return self._engine.decode(ids, errors)

    def decode_batch(self, batch: Iterable[Ids], errors: str, workers: int) -> list[str]:
        """The text of each of many sequences of ids."""
        if isinstance(batch, (str, bytes)) or not isinstance(batch, Iterable):
            raise TypeError(f"batch is a {type(batch).__name__}; it must be sequences of ids")
        whole = list(batch)
        workers = min(workers, max(1, len(whole)))
        if workers == 1:
            return self._decode_group(whole, 0, errors)
        size = max(1, min(MOST_IN_A_GROUP, len(whole) // (8 * workers)))
        firsts = range(0, len(whole), size)
        texts: list[str] = []
        over_items(iter(firsts), lambda first: self._decode_group(whole[first : first + size],
                                                                  first, errors),
                   workers, lambda: None, use=texts.extend)
        return texts

    def _decode_group(self, group: Sequence[Ids], before: int, errors: str) -> list[str]:
        decode = self._engine.decode
        texts: list[str] = []
        try:
            for ids in group:
                texts.append(decode(ids, errors))
        except (TypeError, ValueError) as error:
            if isinstance(error, UnicodeError):
                raise
            raise type(error)(f"batch[{before + len(texts)}]: {error}") from None
        return texts

    def decode_iterable(self, ids: Iterable[int], errors: str) -> Iterator[str]:
        """The text of ids, piece by piece as they come; a character is never cut."""
        decoder = getincrementaldecoder("utf-8")(errors)
        for data in self._pieces(ids):
            text = decoder.decode(data)
            if text:
                yield text
        text = decoder.decode(b"", final=True)
        if text:
            yield text

    def _pieces(self, ids: Iterable[int]) -> Iterator[bytes]:
        """The bytes of ids: of each that comes, or of many at once if all are there already."""
        if not isinstance(ids, (list, tuple)) and (isinstance(ids, bytes) or not _is_array(ids)):
            for place, number in enumerate(ids):
                yield self.token(number, f"ids[{place}] is ")
            return
        given = as_ids(ids)
        first = 0
        while first < len(given):
            piece = given[first : first + IDS_IN_A_PIECE]
            yield self.decode_part(piece, first)
            first += len(piece)

    def decode_part(self, ids: Ids, before: int,
                    where: tuple[str, str] = ("ids[", "] is ")) -> bytes:
        """The bytes of some ids, before which there were others: an error counts those too."""
        try:
            return self._engine.decode_bytes(ids)
        except (TypeError, ValueError):
            plain_ids(as_ids(ids), self._tokens, where, before)
            raise


def _is_array(ids: object) -> bool:
    """Is all of it in memory, as an array?"""
    try:
        memoryview(ids).release()  # type: ignore[arg-type]
    except TypeError:
        return False
    except (BufferError, ValueError):  # of items that a buffer can't have, such as dates
        return True
    return True
