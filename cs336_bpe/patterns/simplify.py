"""The same matches with fewer states and classes; and equal patterns get equal tables.

Four steps, each of which changes no match:

1. *Drop what can't lead to a match.* A transition into a state from which no match can be reached
   is made DEAD. So a transition that is left says: there is a text with a match across this place.
2. *Drop accepts that are always overridden.* A match may end here, but the attempt goes on, and
   whatever comes it will end later: then this end is never used. A state with that property is
   called *sure*.
3. *Merge states* that behave alike from here on (Moore's algorithm). The start stays a state of its
   own, because there nothing has been taken yet.
4. *Merge classes* with equal columns, and number states and classes in the order in which they are
   met, from the start and by their first characters.

After that two patterns that give the same matches have the same tables, however they are written.
So whether a pattern is GPT-2's is asked by comparing tables, not by a list of spellings.
"""

from collections.abc import Sequence

from cs336_bpe.patterns.dfa import DEAD, Dfa
from cs336_bpe.patterns.sets import Classes


def simplify(dfa: Dfa) -> Dfa:
    """The smallest automaton with the same matches.

    >>> from cs336_bpe.patterns.dfa import build, determine
    >>> from cs336_bpe.patterns.syntax import parse
    >>> long, short = (simplify(determine(build(parse(pattern)))) for pattern in ("aa*|ab", "a+"))
    >>> long == short, len(long.next), long.classes.number
    (True, 2, 2)
    """
    following = _without_dead_ends(dfa.next, dfa.accept)
    accept = _without_overridden(following, dfa.accept)
    following, accept = _with_equal_states_merged(following, accept)
    following, accept, classes = _with_equal_classes_merged(following, accept, dfa.classes)
    following, accept = _with_equal_states_merged(following, accept)  # numbered by the new columns
    return Dfa(following, accept, classes)


def sure_states(following: Sequence[Sequence[int]], accept: Sequence[Sequence[bool]]) -> list[bool]:
    """The states in which a match is certain: whatever comes, one may end now or later.

    All states are, until the contrary is found. An endless path without a match is not contrary:
    texts end, and the end is a column too.
    """
    sure = [True] * len(following)
    changed = True
    while changed:
        changed = False
        for state, row in enumerate(following):
            if sure[state] and not all(accept[state][column] or (then >= 0 and sure[then])
                                       for column, then in enumerate(row)):
                sure[state] = False
                changed = True
    return sure


def _without_dead_ends(following: list[list[int]], accept: list[list[bool]]) -> list[list[int]]:
    alive = [any(row) for row in accept]
    changed = True
    while changed:
        changed = False
        for state, row in enumerate(following):
            if not alive[state] and any(then >= 0 and alive[then] for then in row):
                alive[state] = changed = True
    return [[then if then >= 0 and alive[then] else DEAD for then in row] for row in following]


def _without_overridden(following: list[list[int]], accept: list[list[bool]]) -> list[list[bool]]:
    sure = sure_states(following, accept)
    return [[accepts and not (then >= 0 and sure[then]) for accepts, then in zip(flags, row)]
            for flags, row in zip(accept, following)]


def _with_equal_states_merged(following: list[list[int]], accept: list[list[bool]]
                              ) -> tuple[list[list[int]], list[list[bool]]]:
    # Two states are told apart by what they accept, then by where they lead, until nothing changes.
    group = [int(state > 0) for state in range(len(following))]
    while True:
        numbers: dict[tuple[object, ...], int] = {}
        new = []
        for state, row in enumerate(following):
            looks = (group[state], *accept[state], *(then if then < 0 else group[then]
                                                     for then in row))
            new.append(numbers.setdefault(looks, len(numbers)))
        if len(numbers) == len(set(group)):
            break
        group = new
    members = [0]  # one state of each group, in the order in which they are reached
    place = {group[0]: 0}
    for state in members:
        for then in following[state]:
            if then >= 0 and group[then] not in place:
                place[group[then]] = len(members)
                members.append(then)
    return ([[then if then < 0 else place[group[then]] for then in following[state]]
             for state in members], [accept[state] for state in members])


def _with_equal_classes_merged(
    following: list[list[int]], accept: list[list[bool]], classes: Classes
) -> tuple[list[list[int]], list[list[bool]], Classes]:
    columns = list(zip(zip(*following), zip(*accept)))
    numbers: dict[object, int] = {}
    new_number = [numbers.setdefault(column, len(numbers)) for column in columns[:-1]]
    kept = [new_number.index(number) for number in range(len(numbers))]
    merged = Classes(classes.of_point.translate(bytes(new_number).ljust(256, b"\0")), [],
                     [classes.first_points[number] for number in kept])
    kept.append(len(columns) - 1)  # the end of the text
    return ([[row[column] for column in kept] for row in following],
            [[row[column] for column in kept] for row in accept], merged)
