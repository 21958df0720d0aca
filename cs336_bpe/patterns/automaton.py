"""A compiled pattern: the smallest automaton with the matches of `regex`, and what it tells."""

from collections.abc import Iterator
from functools import lru_cache

from cs336_bpe.common.lazy import lazy
from cs336_bpe.patterns.cuts import classes_in_gaps, leaves_gaps, safe_pairs
from cs336_bpe.patterns.dfa import Dfa, determine
from cs336_bpe.patterns.nfa import build
from cs336_bpe.patterns.sets import TooManyClasses
from cs336_bpe.patterns.simplify import simplify
from cs336_bpe.patterns.syntax import Node, Unsupported, parse
from cs336_bpe.rules import PATTERNS

KEPT = 64  # compiled patterns
MOST_ENTRIES = 0x7FFF  # of a table, so that a place in it is a 16-bit number


class Automaton:
    """States and classes of characters. Two that are equal give the same matches for every text.

    `next[s][c]` is the state after a character of class c, or -1; `accept[s][c]` says whether a
    match may end before it. The last column of both is the end of the text. `of_point` has the
    class of every code point, and `first_points` the first character of each class.
    """

    def __init__(self, dfa: Dfa) -> None:
        self.next = tuple(map(tuple, dfa.next))
        self.accept = tuple(map(tuple, dfa.accept))
        self.of_point = dfa.classes.of_point
        self.first_points = tuple(dfa.classes.first_points)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Automaton) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"<Automaton: {self.num_states} states, {self.num_classes} classes>"

    @property
    def _key(self) -> tuple[object, ...]:
        return self.next, self.accept, self.of_point

    @property
    def num_states(self) -> int:
        return len(self.next)

    @property
    def num_classes(self) -> int:
        return len(self.first_points)

    @lazy
    def safe(self) -> list[list[bool]]:
        """`safe[x][y]`: every text may be cut between characters of these classes (`cuts.py`)."""
        return safe_pairs(self.next, self.accept)

    @lazy
    def safe_keeping_gaps(self) -> list[list[bool]]:
        """The same if what no match takes is a piece of its own, as far as it goes: such a piece
        must not be cut in two either."""
        in_gaps = classes_in_gaps(self.next, self.accept)
        return [[safe and not (in_gaps[x] and in_gaps[y]) for y, safe in enumerate(row)]
                for x, row in enumerate(self.safe)]

    @lazy
    def leaves_gaps(self) -> bool:
        """Whether there is a text of which a part belongs to no match."""
        return leaves_gaps(self.next, self.accept)

    def matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the matches start and stop: what `regex.finditer` finds, step by step in Python.

        >>> automaton = compile_pattern("[a-z]+|[0-9]{1,2}")
        >>> list(automaton.matches("ab1234!c"))
        [(0, 2), (2, 4), (4, 6), (7, 8)]
        """
        columns = [*(self.of_point[ord(character)] for character in text), self.num_classes]
        start = 0
        while start < len(text):
            stop = at = start
            state = 0
            while state >= 0:
                column = columns[at]
                if self.accept[state][column]:
                    stop = at
                state = self.next[state][column]
                at += 1
            if stop > start:
                yield start, stop
            start = max(stop, start + 1)


@lru_cache(maxsize=KEPT)
def compile_pattern(pattern: str) -> Automaton:
    """The automaton of a pattern; raises `Unsupported` if there is none.

    However a pattern is written, the same matches give an equal automaton:

    >>> compile_pattern("(?:ab|a)+") == compile_pattern("(?:a|ab)+")
    False
    >>> compile_pattern("a|ab") == compile_pattern("a")
    True
    """
    if pattern not in PATTERNS.values():
        import regex

        regex.compile(pattern)  # what is not a regular expression at all, it says best
    return compile_tree(parse(pattern))


def compile_tree(tree: Node) -> Automaton:
    """The automaton of a pattern that has been parsed."""
    try:
        dfa: Dfa = simplify(determine(build(tree)))
    except TooManyClasses as error:
        raise Unsupported(str(error)) from None
    num_entries = len(dfa.next) * len(dfa.next[0])
    if num_entries > MOST_ENTRIES:
        raise Unsupported(f"a table of {num_entries:,} entries; there can be {MOST_ENTRIES:,}")
    return Automaton(dfa)


@lru_cache(maxsize=KEPT)
def why_not(pattern: str) -> str | None:
    """Why a pattern can't be compiled; None if it can.

    >>> why_not("a+b")
    >>> why_not(r"(a)\\1")
    "a reference to a group, at character 3 of '(a)\\\\\\\\1'"
    """
    try:
        compile_pattern(pattern)
    except Unsupported as error:
        return str(error)
    return None
