"""Merging by rank with a trace: which merges apply, where, and in which order.

This is the encoder for everything that wants to know how a pretoken becomes tokens, and not only
which: explanations, statistics of merges, other people's formats. The ladder beside it is about
speed; this is about being short and having no bad input.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple, TypeVar

from cs336_bpe.rules import Pair

MOST_EXPLAINED = 2_000  # bytes of a pretoken: the steps are as many, and as long
Token = TypeVar("Token", bound=Hashable)


def merge_by_rank(
    tokens: Sequence[Token],
    pairs: Mapping[tuple[Token, Token], tuple[int, Token]],
    applied: Callable[[int, int], object] = lambda rank, place: None,
) -> list[Token]:
    """Apply the merge of the lowest rank, the leftmost one first, until there is none (rule 10).

    `pairs` says for two tokens the rank of their merge and the token that it makes. `applied` is
    called with the rank and the place of each merge: the number, among the tokens at the start, of
    the first one that has become part of it. A heap holds the merges that are possible, so a
    sequence of n tokens takes O(n log n) steps.

    >>> merge_by_rank("ababc", {("a", "b"): (0, "X"), ("X", "c"): (1, "Y")}, print)
    0 0
    0 2
    1 2
    ['X', 'Y']
    """
    row: list[Token | None] = [*tokens]  # None: part of the one before
    end = len(row)
    after = list(range(1, end + 1))
    before = list(range(-1, end - 1))

    def merge_at(place: int) -> tuple[int, Token] | None:
        """The merge that is possible at a place now."""
        left, next_place = row[place], after[place]
        right = row[next_place] if next_place < end else None
        return None if left is None or right is None else pairs.get((left, right))

    heap = [(merge[0], place) for place in range(end) if (merge := merge_at(place)) is not None]
    heapify(heap)
    while heap:
        rank, place = heappop(heap)
        merge = merge_at(place)
        if merge is None or merge[0] != rank:
            continue  # stale: one of the two is part of another token by now
        applied(rank, place)
        gone = after[place]
        row[place], row[gone] = merge[1], None
        after[place] = after[gone]
        if after[gone] < end:
            before[after[gone]] = place
        for changed in (before[place], place):
            if changed >= 0 and (merge := merge_at(changed)) is not None:
                heappush(heap, (merge[0], changed))
    return [token for token in row if token is not None]


def pairs_of(merges: Sequence[Pair]) -> dict[Pair, tuple[int, bytes]]:
    """Merges as `merge_by_rank` wants them.

    >>> pairs_of([(b"o", b"w")])
    {(b'o', b'w'): (0, b'ow')}
    """
    return {(left, right): (rank, left + right) for rank, (left, right) in enumerate(merges)}


class Explanation(NamedTuple):
    """The way of one pretoken from bytes to tokens.

    `steps[0]` is its bytes, and each further step the tokens after one more merge; `ranks` says
    which merge that was. `ids` are those of the last step. A pretoken that is a token as a `whole`
    is not merged, if the tokenizer has that rule.
    """

    pretoken: bytes
    steps: list[list[bytes]]
    ranks: list[int]
    ids: list[int]
    special: bool = False
    whole: bool = False

    def __str__(self) -> str:
        if self.whole:
            return f"{readable(self.pretoken)}  a token as a whole"
        lines = [" ".join(map(readable, step)) for step in self.steps]
        width = max(map(len, lines))
        for number, rank in enumerate(self.ranks, 1):
            before, after = self.steps[number - 1], self.steps[number]
            at = next(i for i, (old, new) in enumerate(zip(before, after)) if old != new)
            lines[number] = (f"{lines[number]:{width}}  merge {rank}: {readable(before[at])} + "
                             f"{readable(before[at + 1])}")
        return "\n".join(lines)


def explain_pretoken(pretoken: bytes, pairs: Mapping[Pair, tuple[int, bytes]],
                     ids: Mapping[bytes, int]) -> Explanation:
    """Every merge that a pretoken goes through.

    >>> steps = explain_pretoken(b"lows", pairs_of([(b"o", b"w"), (b"l", b"ow")]),
    ...                          {b"low": 257, b"s": 115})
    >>> steps.steps[-1], steps.ranks, steps.ids
    ([b'low', b's'], [0, 1], [257, 115])
    """
    if len(pretoken) > MOST_EXPLAINED:
        raise ValueError(f"a pretoken has {len(pretoken):,} bytes, too many to list every step of "
                         f"its merges (at most {MOST_EXPLAINED:,}); explain a part of it, or use "
                         f"encode")
    tokens = [pretoken[i : i + 1] for i in range(len(pretoken))]
    places = list(range(len(tokens)))  # of each token: where it begins
    steps, ranks = [list(tokens)], []

    def note(rank: int, place: int) -> None:
        at = places.index(place)
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
        del places[at + 1]
        steps.append(list(tokens))
        ranks.append(rank)

    merge_by_rank(list(tokens), pairs, note)
    return Explanation(pretoken, steps, ranks, [ids[token] for token in tokens])


def readable(token: bytes) -> str:
    """A token as text: a space is shown as `␣`, and bytes that are not text as `\\\\xe9`.

    >>> readable(b" caf"), readable("é".encode()), readable(b"\\xc3")
    ('␣caf', 'é', '\\\\xc3')
    """
    text = token.decode("utf-8", "backslashreplace").replace(" ", "\u2423")
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
