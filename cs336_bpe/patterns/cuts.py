"""Where a text may be cut, whatever it is: told by the automaton.

Two neighbouring characters are a *safe pair* if every text may be cut between them: the pretokens
of the two parts are those of the whole. Only the classes of the two matter. Let `after(x)` be the
states in which an attempt can be when it has just taken a character of class x. The pair (x, y) is
safe exactly if for every state s of `after(x)`

- `next[s][y]` is DEAD: no attempt goes on across the cut; and
- `accept[s][y] == accept[s][end]`: an attempt that ends at the cut can't tell the y that comes from
  the end of the text.

*Why this is enough.* No match goes across the cut. Those before it see only characters before it,
and at the cut itself y, or the end in its place, and don't tell the two apart; so the left part
alone gives the same matches. An attempt begins at the cut in both cases, since no match spans it,
and nothing in these patterns looks back; so the right part alone gives the same too.

*Why nothing less would do.* Dead ends have been removed (`simplify`): if `next[s][y]` is not dead,
there is a text in which a match spans the cut. If the two accepts differ, there is a text whose
left part ends in a match of another length. docs/patterns/cuts.md has the proof with examples.
"""

from collections.abc import Sequence

from cs336_bpe.patterns.simplify import sure_states

Table = Sequence[Sequence[int]]
Flags = Sequence[Sequence[bool]]


def states_after(following: Table) -> list[set[int]]:
    """For each class the states in which an attempt can be, having just taken such a character."""
    after: list[set[int]] = [set() for _ in following[0][:-1]]
    for row in following:  # all states are reached from the start
        for column, then in enumerate(row[:-1]):
            if then >= 0:
                after[column].add(then)
    return after


def safe_pairs(following: Table, accept: Flags) -> list[list[bool]]:
    """`safe[x][y]`: whether every text may be cut between characters of classes x and y.

    >>> from cs336_bpe.patterns import compile_pattern
    >>> words = compile_pattern("[a-z]+|[^a-z]")  # class 0: all but letters, class 1: letters
    >>> words.safe
    [[True, True], [True, False]]
    """
    num_classes = len(following[0]) - 1
    return [[all(following[s][y] < 0 and accept[s][y] == accept[s][num_classes] for s in states)
             for y in range(num_classes)] for states in states_after(following)]


def leaves_gaps(following: Table, accept: Flags) -> bool:
    """Whether there is a text with characters that no match takes.

    An attempt is followed together with whether it has met an accept. If it can die without one,
    the character that it began with belongs to no match.
    """
    end = len(following[0]) - 1
    todo = [(0, False)]
    seen = set(todo)
    for state, matched in todo:  # grows while we walk along it
        for column, then in enumerate(following[state]):
            if state == 0 and column == end:
                continue  # the empty text
            ended = matched or accept[state][column]
            if then < 0 and not ended:
                return True
            if then >= 0 and (then, ended) not in seen:
                seen.add((then, ended))
                todo.append((then, ended))
    return False


def classes_in_gaps(following: Table, accept: Flags) -> list[bool]:
    """For each class whether a character of it may belong to no match: an attempt that begins with
    it can die without an accept.

    >>> from cs336_bpe.patterns import compile_pattern
    >>> few = compile_pattern("ab")  # class 0: all others, then a and b
    >>> classes_in_gaps(few.next, few.accept)
    [True, True, True]
    >>> words = compile_pattern("[a-z]+")
    >>> classes_in_gaps(words.next, words.accept)
    [True, False]
    """
    # The states in which a match is not certain, if none could have ended before.
    sure = sure_states(following, accept)
    return [then < 0 or not sure[then] for then in following[0][:-1]]


def last_cut(of_point: bytes, safe: Flags, data: bytes | bytearray, size: int, first: int = 1,
             last: int | None = None) -> int:
    """The last place in `data[first:last]` where a text of `size` bytes may be cut; 0 if there is
    none. `native/automaton.h` does the same, faster.

    The characters on both sides must be whole and valid. Then it is a cut as well in the text that
    is left when invalid bytes are left out or replaced.

    >>> from cs336_bpe.patterns import compile_pattern
    >>> words = compile_pattern("[a-z]+|[^a-z]")
    >>> last_cut(words.of_point, words.safe, b"two words", 9)
    4
    """
    at = min(size if last is None else last, size) - 1
    while at > 0 and data[at] & 0xC0 == 0x80:
        at -= 1
    after = _class_at(of_point, data, at, size) if at >= 0 else None
    while at >= max(first, 1):
        start = at - 1
        while start > 0 and at - start < 4 and data[start] & 0xC0 == 0x80:
            start -= 1
        before = _class_at(of_point, data, start, at)
        if before is None or start + _length(data[start]) != at:
            before, start = None, at - 1
        if before is not None and after is not None and safe[before][after]:
            return at
        after, at = before, start
    return 0


def _length(first_byte: int) -> int:
    """How many bytes a character has that starts with this one."""
    return 1 if first_byte < 0x80 else 2 if first_byte < 0xE0 else 3 if first_byte < 0xF0 else 4


def _class_at(of_point: bytes, data: bytes | bytearray, start: int, end: int) -> int | None:
    """The class of the character at a place; None if there is none that is whole and valid."""
    try:
        character = bytes(data[start : min(end, start + _length(data[start]))]).decode()
    except UnicodeDecodeError:
        return None
    return of_point[ord(character)] if len(character) == 1 else None
