r"""An ordered automaton made deterministic: one state at a time, and one table look-up a character.

A deterministic state is a *list* of states of the ordered automaton: those in which a match may be
after the characters so far, the preferred one first. When `Match` is reached while such a list is
followed, what comes after it in the list is dropped, since it is less preferred. So the
automaton finds what a backtracking engine finds first, and never goes back.

**One character of look-ahead.** A transition is taken when the *next* character is known. Which
states can be reached without taking a character is worked out anew for each class of next
character, and so `(?!\S)`, `(?=a)`, `$` and possessive quantifiers are just conditions there. The
end of the text is one more class, in the last column. So the table has two parts:

    next[s][c]    the state after a character of class c, or DEAD
    accept[s][c]  whether a match may end here, given that c comes next

>>> from cs336_bpe.patterns.syntax import parse
>>> dfa = determine(build(parse(r"a+(?!b)")))
>>> [dfa.classes.of_point[ord(character)] for character in "ab!"]
[1, 2, 0]
>>> dfa.next[1], dfa.accept[1]
([-1, 1, -1, -1], [True, True, False, True])

After an `a`, a match may end before anything but `b`.
"""

from typing import NamedTuple

from cs336_bpe.patterns.nfa import AtEnd, Fork, Look, Match, Nfa, Take, build
from cs336_bpe.patterns.sets import Classes, partition
from cs336_bpe.patterns.syntax import Unsupported

__all__ = ["DEAD", "Dfa", "build", "determine"]

DEAD = -1
MOST_STATES = 2000


class Dfa(NamedTuple):
    """The table, and the class of every character. State 0 is the start."""

    next: list[list[int]]
    accept: list[list[bool]]
    classes: Classes


def determine(nfa: Nfa) -> Dfa:
    """The deterministic automaton. Raises `Unsupported` if it has too many states, or if the
    pattern matches the empty string, which is not a pretoken."""
    classes = partition(nfa.sets)
    end = classes.number
    follow = _Follower(nfa, classes)
    # No transition leads back to the start itself. Where a loop reaches the same list, that is
    # another state, because there something has been taken already.
    numbers: dict[tuple[int, ...], int] = {}
    lists: list[tuple[int, ...]] = [(nfa.start,)]
    next_states: list[list[int]] = []
    accept: list[list[bool]] = []
    for reached in lists:  # grows while we walk along it
        row, accepts = [], []
        for column in range(end + 1):
            accepted, after = follow(reached, column)
            if accepted and not next_states:
                raise Unsupported("a match of the empty string")
            accepts.append(accepted)
            if not after:
                row.append(DEAD)
                continue
            if after not in numbers:
                numbers[after] = len(lists)
                lists.append(after)
                if len(lists) > MOST_STATES:
                    raise Unsupported(f"more than {MOST_STATES} states")
            row.append(numbers[after])
        next_states.append(row)
        accept.append(accepts)
    return Dfa(next_states, accept, classes)


class _Follower:
    """Follows a list of states, given the next character's class."""

    def __init__(self, nfa: Nfa, classes: Classes) -> None:
        self.states = nfa.states
        self.members = classes.members
        self.end = classes.number
        self.newline = int(classes.of_point[ord("\n")])

    def __call__(self, reached: tuple[int, ...], column: int) -> tuple[bool, tuple[int, ...]]:
        """Whether `Match` is among what is reached without a character, and the states that are
        reached by taking the next one, of those that are preferred to it."""
        at_end = column == self.end
        seen: set[int] = set()
        after: dict[int, None] = {}  # a set that keeps its order
        stack = list(reversed(reached))
        while stack:
            number = stack.pop()
            if number in seen:
                continue
            seen.add(number)
            match self.states[number]:
                case Take(members, then):
                    if not at_end and self.members[members][column]:
                        after[then] = None
                case Fork(options):
                    stack.extend(reversed(options))
                case Look(members, or_end, then):
                    if or_end if at_end else self.members[members][column]:
                        stack.append(then)
                case AtEnd(or_last_newline, then):
                    if at_end:
                        stack.append(then)
                    elif or_last_newline and column == self.newline:
                        # It matches if the text ends after this newline: two characters ahead.
                        raise Unsupported("$ where a newline may follow; write \\Z")
                case Match():
                    return True, tuple(after)
        return False, tuple(after)
