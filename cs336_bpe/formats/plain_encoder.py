"""A small encoder, to compare with other libraries and to find out what merges do.

It is not the one to encode with: it is written to be short and to have no bad input. A heap holds
the merges that are possible, lowest rank first and then leftmost, so a pretoken of n bytes takes
O(n log n) steps. Tokens are numbers here, because to join long byte strings again and again would
take time that grows with the square of their length.
"""

import heapq
from collections.abc import Iterator, Sequence

import regex

from cs336_bpe.formats.round_trip import Checked
from cs336_bpe.rules import BYTES, check_pattern

Pairs = dict[tuple[int, int], tuple[int, int]]
"""Two tokens -> the rank of their merge, and the token that it makes."""


def merge_tokens(tokens: Sequence[int], pairs: Pairs) -> list[int]:
    """Apply the merge of the lowest rank, the leftmost one first, until there is none.

    >>> merge_tokens([7, 8, 7, 8, 9], {(7, 8): (0, 10), (10, 9): (1, 11)})
    [10, 11]
    """
    row: list[int | None] = [*tokens]
    end = len(row)
    after = list(range(1, end + 1))
    before = list(range(-1, end - 1))
    heap = [(pairs[pair][0], place) for place, pair in enumerate(zip(tokens, tokens[1:]))
            if pair in pairs]
    heapq.heapify(heap)

    def look(place: int) -> tuple[int, int] | None:
        """The merge that is possible at a place now."""
        left, next_place = row[place], after[place]
        right = row[next_place] if next_place < end else None
        return None if left is None or right is None else pairs.get((left, right))

    while heap:
        rank, place = heapq.heappop(heap)
        merge = look(place)
        if merge is None or merge[0] != rank:
            continue  # stale: one of the two is a part of another token by now
        gone = after[place]
        row[place], row[gone] = merge[1], None
        after[place] = after[gone]
        if after[gone] < end:
            before[after[gone]] = place
        for changed in (before[place], place):
            merge = look(changed) if changed >= 0 else None
            if merge is not None:
                heapq.heappush(heap, (merge[0], changed))
    return [token for token in row if token is not None]


class PlainEncoder:
    """Text to ids, by the rules of `interface.py`."""

    def __init__(self, tokenizer: Checked) -> None:
        self.model, ids = tokenizer
        self._specials = ids.specials
        self._byte_ids = [ids.ordinary[byte] for byte in BYTES]
        self._pairs: Pairs = {}
        for rank, (left, right) in enumerate(self.model.merges):
            pair = ids.ordinary[left], ids.ordinary[right]
            self._pairs[pair] = rank, ids.ordinary[left + right]
        self._pattern = check_pattern(self.model.pattern)
        longest_first = sorted(ids.specials, key=len, reverse=True)
        self._split = regex.compile("(" + "|".join(map(regex.escape, longest_first)) + ")")

    def encode_bytes(self, word: bytes) -> list[int]:
        """The ids of one pretoken."""
        return merge_tokens([self._byte_ids[byte] for byte in word], self._pairs)

    def pieces(self, text: str) -> Iterator[tuple[str, bool]]:
        """The special tokens and the pretokens of a text, and whether each is special."""
        parts = self._split.split(text) if self._specials else [text]
        for place, part in enumerate(parts):
            if place % 2:
                yield part, True
            else:
                for word in self._pattern.findall(part):
                    yield word, False

    def encode(self, text: str) -> list[int]:
        """The ids of a text, in which special tokens are looked for."""
        ids: list[int] = []
        for piece, special in self.pieces(text):
            ids += [self._specials[piece]] if special else self.encode_bytes(piece.encode())
        return ids
