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

from cs336_bpe.formats import native
from cs336_bpe.rules import BYTES, Pair


def last_merges(pairs: Iterable[Pair]) -> list[Pair]:
    """The merges that can happen, at most one for each token, in the order of their ranks.

    >>> last_merges([(b"a", b"b"), (b"b", b"c"), (b"a", b"bc"), (b"ab", b"c")])
    [(b'a', b'b'), (b'b', b'c'), (b'ab', b'c')]
    """
    ranks = {pair: rank for rank, pair in enumerate(pairs)}  # of equal ones, the last counts
    ranked = sorted(ranks, key=ranks.__getitem__)
    tokens = dict.fromkeys(BYTES)
    for left, right in ranked:
        tokens[left] = tokens[right] = tokens[left + right] = None
    number = {token: place for place, token in enumerate(tokens)}
    lefts = [number[left] for left, _ in ranked]
    rights = [number[right] for _, right in ranked]
    made = [number[left + right] for left, right in ranked]
    left_parts, _ = native.last_merges(list(tokens), lefts, rights, made)
    return [pair for pair, left, token in zip(ranked, lefts, made) if left_parts[token] == left]


def pairs_in_order(merges: list[Pair]) -> bool:
    """Whether every merge comes after those that make its parts.

    >>> pairs_in_order([(b"a", b"b"), (b"ab", b"c")]), pairs_in_order([(b"ab", b"c"), (b"a", b"b")])
    (True, False)
    """
    made = set(BYTES)
    for left, right in merges:
        if left not in made or right not in made:
            return False
        made.add(left + right)
    return True
