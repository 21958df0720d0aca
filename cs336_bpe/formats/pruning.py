"""Lists of merges from elsewhere: of several ways to make a token, the one that happens.

A list of merges ranks pairs: again and again, the pair of the lowest rank is joined, the leftmost
one first. In what we train every token is made by one merge. Files of other people list several,
ten for a long token, because whoever wrote them knew only the tokens.

But at most one of them ever happens. Look at the bytes of a token somewhere in a text, up to the
moment when they have become one token. Every merge that touched them stayed inside. Each was the
lowest and leftmost of the whole text, so it was also the lowest and leftmost among these bytes: it
is what would have been joined next if they stood alone. So wherever a token comes from, it was put
together as it would be alone, and the last step of that is the only merge that makes it.

So all other merges of the token can be left out, and nothing changes.
"""

from collections.abc import Iterable

from cs336_bpe.encode.trace import merge_by_rank, pairs_of
from cs336_bpe.rules import BYTES, Pair


def last_merges(pairs: Iterable[Pair]) -> list[Pair]:
    """The merges that can happen, at most one for each token, in the order of their ranks.

    >>> last_merges([(b"a", b"b"), (b"b", b"c"), (b"a", b"bc"), (b"ab", b"c")])
    [(b'a', b'b'), (b'b', b'c'), (b'ab', b'c')]
    """
    ranks = {pair: rank for rank, pair in enumerate(pairs)}  # of equal ones, the last counts
    ranked = sorted(ranks, key=ranks.__getitem__)
    makers: dict[bytes, list[Pair]] = {}
    for left, right in ranked:
        makers.setdefault(left + right, []).append((left, right))
    if len(makers) < len(ranked):
        all_pairs = pairs_of(ranked)
        for token, ways in makers.items():
            if len(ways) > 1:
                makers[token] = _way_that_happens(token, ways, all_pairs)
    kept = {pair for ways in makers.values() for pair in ways}
    return _with_parts([pair for pair in ranked if pair in kept])


def _way_that_happens(token: bytes, ways: list[Pair],
                      pairs: dict[Pair, tuple[int, bytes]]) -> list[Pair]:
    applied: list[int] = []
    parts = merge_by_rank([token[i : i + 1] for i in range(len(token))], pairs,
                          lambda rank, place: applied.append(rank))
    return [pair for pair in ways if len(parts) == 1 and pairs[pair][0] == applied[-1]]


def _with_parts(merges: list[Pair]) -> list[Pair]:
    """The merges whose parts some merge makes; the others never happen."""
    while True:
        made = {*BYTES, *(left + right for left, right in merges)}
        kept = [pair for pair in merges if pair[0] in made and pair[1] in made]
        if len(kept) == len(merges):
            return kept
        merges = kept


def are_in_order(merges: list[Pair]) -> bool:
    """Whether every merge comes after those that make its parts.

    >>> are_in_order([(b"a", b"b"), (b"ab", b"c")]), are_in_order([(b"ab", b"c"), (b"a", b"b")])
    (True, False)
    """
    made = set(BYTES)
    for left, right in merges:
        if left not in made or right not in made:
            return False
        made.add(left + right)
    return True
