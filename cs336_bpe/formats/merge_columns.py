"""Merges that have been checked, as columns of numbers: what the engine is made of."""

from array import array
from typing import TYPE_CHECKING, NamedTuple

from cs336_bpe.rules import Pair

if TYPE_CHECKING:
    Numbers = array[int]
else:
    Numbers = array  # which has no parameters before Python 3.12


class MergeColumns(NamedTuple):
    """Merges that have been checked, as numbers and as pairs of bytes.

    A token has the number of the merge that makes it, after the 256 bytes: the first merge makes
    token 256. `ids[number]` is its id, and merge `i` joins the tokens `lefts[i]` and `rights[i]`.
    `all_happen` if every token that a merge makes is known to be what becomes of its own bytes.
    """

    ids: Numbers
    lefts: Numbers
    rights: Numbers
    pairs: list[Pair]
    all_happen: bool = False
