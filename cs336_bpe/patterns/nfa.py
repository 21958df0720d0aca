"""A tree as an ordered automaton: what may come next, in the order in which to prefer it.

A node either takes a character, or checks something, or has several successors. A pattern prefers
some matches to others: of `a|ab` the first, of `a*` the longest. So the successors of a node are a
list, and the first one that leads to a match counts. That is all there is to greedy and lazy.

>>> from cs336_bpe.patterns.syntax import parse
>>> nfa = build(parse("a*?b"))
>>> for number, state in enumerate(nfa.states):
...     print(number, state)
0 Match()
1 Take(members=0, then=0)
2 Fork(options=(1, 3))
3 Take(members=1, then=2)
>>> nfa.start
2
"""

from typing import NamedTuple

from cs336_bpe.patterns.sets import CharSet, one
from cs336_bpe.patterns.syntax import Ahead, Chars, Choice, End, Node, Repeat, Sequence


class Match(NamedTuple):
    """The pattern has matched."""


class Take(NamedTuple):
    """Take a character of a set, then go on."""

    members: int
    then: int


class Fork(NamedTuple):
    """Go on with the first of these that leads to a match."""

    options: tuple[int, ...]


class Look(NamedTuple):
    """Go on if the next character is of a set, or if the text ends and that is allowed."""

    members: int
    or_end: bool
    then: int


class AtEnd(NamedTuple):
    """Go on if the text ends. For `$`, also before a last newline: see `dfa.py`."""

    or_last_newline: bool
    then: int


State = Match | Take | Fork | Look | AtEnd
"""A state of the automaton; it knows others, and sets, by their numbers."""


class Nfa:
    """States, the one to start in, and the sets that they name."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self.sets: list[CharSet] = []
        self.start = 0

    def add(self, state: State) -> int:
        self.states.append(state)
        return len(self.states) - 1

    def number_of(self, members: CharSet) -> int:
        if members not in self.sets:
            self.sets.append(members)
        return self.sets.index(members)


def build(tree: Node) -> Nfa:
    """The automaton of a tree. It is built from the end, because a state names its successors."""
    nfa = Nfa()
    nfa.start = _build(nfa, tree, then=nfa.add(Match()))
    return nfa


def _build(nfa: Nfa, node: Node, then: int) -> int:
    """Add the states of a part, after which `then` comes; return the first of them."""
    match node:
        case Chars(members):
            return nfa.add(Take(nfa.number_of(members), then))
        case Ahead(members, or_end):
            return nfa.add(Look(nfa.number_of(members), or_end, then))
        case End(or_last_newline):
            nfa.number_of(one("\n"))  # newlines are told apart from other characters
            return nfa.add(AtEnd(or_last_newline, then))
        case Sequence(parts):
            for part in reversed(parts):
                then = _build(nfa, part, then)
            return then
        case Choice(options):
            return nfa.add(Fork(tuple(_build(nfa, option, then) for option in options)))
        case Repeat(what, least, most, lazy):
            after = then
            if most is None:
                loop = nfa.add(Match())  # its place is taken first, because the loop leads back
                nfa.states[loop] = _fork(_build(nfa, what, loop), after, lazy)
                then = loop
            else:
                for _ in range(most - least):
                    then = nfa.add(_fork(_build(nfa, what, then), after, lazy))
            for _ in range(least):
                then = _build(nfa, what, then)
            return then
    raise AssertionError(f"not a part of a pattern: {node!r}")


def _fork(again: int, after: int, lazy: bool) -> Fork:
    return Fork((after, again) if lazy else (again, after))
