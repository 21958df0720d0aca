"""Several splits in sequence, each of the pieces of the one before, as one automaton.

Some tokenizers split text by one pattern, then each piece by the next, and so on. Pass by pass is
always right, and slow. But if a pattern takes whole runs of a set of characters, the text falls
into zones, those of the set and those between, and the later patterns see each zone as a text of
its own. That can be written into the patterns: their sets lose the characters of other zones, and
wherever they look ahead, a character of another zone is the end of the text.

Exact if every pattern but the last is `A+` or `A{1,k}` for some set A, and in the second case later
patterns find nothing in the pieces. Anything else is refused, and has to be done pass by pass.

What no pattern matches stays a piece of its own, so a sequence leaves no gaps.

>>> both = compile_sequence(["[0-9]{1,3}", "[a-z]+|[^a-z0-9]"])
>>> list(both.matches("ab1234!"))
[(0, 2), (2, 5), (5, 6), (6, 7)]
"""

from collections.abc import Iterable
from functools import lru_cache

from cs336_bpe.patterns.automaton import KEPT, Automaton, compile_tree
from cs336_bpe.patterns.sets import CharSet, Classes, complement, intersection, union
from cs336_bpe.patterns.simplify import sure_states
from cs336_bpe.patterns.syntax import (
    Ahead,
    Chars,
    Choice,
    End,
    Node,
    Repeat,
    Sequence,
    Unsupported,
    change_sets,
    parse,
)


def compile_sequence(patterns: Iterable[str]) -> Automaton:
    """The automaton of splits in sequence, with what nothing matches as pieces of its own."""
    return _compile_sequence(tuple(patterns))


@lru_cache(maxsize=KEPT)
def _compile_sequence(patterns: tuple[str, ...]) -> Automaton:
    import regex

    for pattern in patterns:
        regex.compile(pattern)
    tree, zones = _compose([parse(pattern) for pattern in patterns])
    automaton = compile_tree(tree)
    if automaton.leaves_gaps:
        tree = Choice((tree, *_gaps(automaton, zones)))
        automaton = compile_tree(tree)
    return automaton


def _compose(trees: list[Node]) -> tuple[Node, list[CharSet]]:
    """One tree for several in sequence, and the sets that divide a text into zones."""
    first, *rest = trees
    if not rest:
        return first, []
    match first:
        case Repeat(Chars(members), 1, most, False):
            pass
        case _:
            raise Unsupported("a split in a sequence, before the last, that is not a run of a set")
    later, zones = _compose(rest)
    inside = _restricted(later, members)
    if _is_impossible(inside):
        inside = first
    elif most is not None:
        raise Unsupported("a later split of a sequence that cuts what `{1,n}` has cut already")
    outside = _restricted(later, complement(members))
    return Choice((inside, outside)), [members, *zones]


def _restricted(tree: Node, zone: CharSet) -> Node:
    """The tree for texts that consist of a zone, where all other characters are the end."""
    def change(leaf: Node) -> Node:
        match leaf:
            case Chars(members):
                return Chars(intersection(members, zone))
            case Ahead(members, or_end):
                inside = intersection(members, zone)
                return Ahead(union([inside, complement(zone)]) if or_end else inside, or_end)
            case End(or_last_newline):
                if or_last_newline:
                    raise Unsupported("$ in a sequence of splits; write \\Z")
                return Ahead(complement(zone), True)
        return leaf
    return change_sets(tree, change)


def _is_impossible(tree: Node) -> bool:
    """Whether nothing matches, because a character of an empty set is needed."""
    match tree:
        case Chars(members):
            return not members
        case Sequence(parts):
            return any(map(_is_impossible, parts))
        case Choice(options):
            return all(map(_is_impossible, options))
        case Repeat(what, least, _, _):
            return least > 0 and _is_impossible(what)
    return False


def _gaps(automaton: Automaton, zones: list[CharSet]) -> list[Node]:
    """What matches exactly the runs of characters, within a zone, that nothing else matches.

    An attempt that fails must be over after one character; then a look at the next one tells.
    """
    end = automaton.num_classes
    sure = sure_states(automaton.next, automaton.accept)
    failing: dict[frozenset[int], list[int]] = {}  # the next columns before which classes fail
    for column in range(end):
        state = automaton.next[0][column]
        if state < 0:
            failing.setdefault(frozenset(range(end + 1)), []).append(column)
            continue
        before = set()
        for following, then in enumerate(automaton.next[state]):
            if automaton.accept[state][following] or (then >= 0 and sure[then]):
                continue
            if then >= 0:
                raise Unsupported("a sequence of splits with an attempt that fails late")
            before.add(following)
        if before:
            failing.setdefault(frozenset(before), []).append(column)
    classes = Classes(automaton.of_point, [], list(automaton.first_points))
    parts: list[tuple[CharSet, CharSet, bool]] = [
        (classes.set_of(columns), classes.set_of(before - {end}), end in before)
        for before, columns in failing.items()]
    return [Repeat(Choice(tuple(
        Sequence((Chars(intersection(members, zone)), Ahead(before, or_end)))
        for members, before, or_end in parts)), 1, None, False) for zone in _all_zones(zones)]


def _all_zones(sets: list[CharSet]) -> list[CharSet]:
    """The parts into which sets divide all characters."""
    zones = [complement(())]
    for members in sets:
        zones = [part for zone in zones
                 for part in (intersection(zone, members), intersection(zone, complement(members)))
                 if part]
    return zones
