"""What differs between two patterns: the shortest text that they cut differently."""

from cs336_bpe.patterns.automaton import Automaton

_Situation = tuple[int, int, tuple[int, ...], tuple[int, ...]]  # two states, two accepts


def difference(first: Automaton, second: Automaton) -> str | None:
    """A shortest text that two automata cut differently; None if there is none.

    Attempts of both are followed side by side, over characters that either of them tells apart. Two
    attempts that are in the same pair of states, and have accepted alike, behave alike from there.

    >>> from cs336_bpe.patterns.automaton import compile_pattern
    >>> difference(compile_pattern("a+|b"), compile_pattern("a{1,2}|b"))
    'aaa'
    >>> difference(compile_pattern("a+|b"), compile_pattern("aa*|b"))
    """
    if first == second:
        return None
    pairs = dict(zip(zip(first.of_point[::-1], second.of_point[::-1]),
                     range(len(first.of_point) - 1, -1, -1)))
    characters = sorted(map(chr, pairs.values()), key=lambda c: (not c.isprintable(), c))
    start: _Situation = (0, 0, (), ())
    todo = [(start, "")]
    seen = {start}
    for (state, other, _, _), text in todo:  # grows while we walk along it
        for character in characters:
            longer = text + character
            if list(first.matches(longer)) != list(second.matches(longer)):
                return longer
            columns = first.of_point[ord(character)], second.of_point[ord(character)]
            then = first.next[state][columns[0]] if state >= 0 else -1
            other_then = second.next[other][columns[1]] if other >= 0 else -1
            found = (then, other_then, _last_accept(first, text, character),
                     _last_accept(second, text, character))
            if (then >= 0 or other_then >= 0) and found not in seen:
                seen.add(found)
                todo.append((found, longer))
    return None


def _last_accept(automaton: Automaton, text: str, character: str) -> tuple[int, ...]:
    """How far back, in characters, the last accept of the attempt at `text` is, if it is near."""
    matches = list(automaton.matches(text + character))
    return (min(len(text) + 1 - matches[0][1], 3),) if matches and matches[0][0] == 0 else ()
