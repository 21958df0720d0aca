r"""The syntax of patterns: a regular expression as a tree.

Only the part of the language is here of which the compiler knows that it gives the matches of
`regex`. Everything else is refused by name, and the caller falls back to `regex` itself:

>>> parse(r"(?<=a)b")
Traceback (most recent call last):
cs336_bpe.patterns.syntax.Unsupported: a look-behind, at character 0 of '(?<=a)b'

A tree has six kinds of nodes. What is in a set of characters is asked from `regex` (`sets.py`), so
this module reads where a set begins and ends, and never what `\p{L}` means.

>>> parse("a|[bc]")
Choice(options=(Chars(members=(97, 98)), Chars(members=(98, 100))))
"""

import re
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from cs336_bpe.patterns.sets import CharSet, ask, complement, one, union

MOST_COPIES = 64  # of what `{m,n}` repeats; each is written out


class Unsupported(ValueError):
    """A pattern that the compiler does not take. The message says why."""


class Chars(NamedTuple):
    """One character of a set."""

    members: CharSet


class Sequence(NamedTuple):
    """One part after the other; with no parts, nothing."""

    parts: "tuple[Node, ...]"


class Choice(NamedTuple):
    """The first option that leads to a match."""

    options: "tuple[Node, ...]"


class Repeat(NamedTuple):
    """From `least` to `most` times (None: any number); as many as possible, or as few if lazy."""

    what: "Node"
    least: int
    most: int | None
    lazy: bool


class Ahead(NamedTuple):
    """The next character, which is not taken, is of a set; or the text ends, if that is allowed.

    `(?=A)` is `Ahead(A, False)`, and `(?!A)` is `Ahead(not A, True)`.
    """

    members: CharSet
    or_end: bool


class End(NamedTuple):
    r"""The end of the text: `\Z`, or `$`, which also matches before a last newline."""

    or_last_newline: bool


Node = Chars | Sequence | Choice | Repeat | Ahead | End


def parse(pattern: str) -> Node:
    """The tree of a pattern that `regex` accepts."""
    return _Parser(pattern).parse()


def is_empty_possible(node: Node) -> bool:
    """Whether a part may match without taking a character."""
    match node:
        case Chars():
            return False
        case Sequence(parts):
            return all(map(is_empty_possible, parts))
        case Choice(options):
            return any(map(is_empty_possible, options))
        case Repeat(what, least, _, _):
            return least == 0 or is_empty_possible(what)
    return True


def possessive(members: CharSet, least: int, most: int | None) -> Node:
    r"""A set with a possessive quantifier, which takes all that it can and never gives any back.

    It stops early only where no character of the set follows. So `A++` is `A+(?!A)`, and `A?+` is
    `(?:A|(?!A))`: a look at one character says it, and no new machinery is needed.
    """
    character = Chars(members)
    stop = Ahead(complement(members), True)
    if most is None:
        return Sequence((character,) * least + (Repeat(character, 0, None, False), stop))
    rest: Node = Sequence(())
    for _ in range(most - least):
        rest = Choice((Sequence((character, rest)), stop))
    return Sequence((character,) * least + (rest,))


_QUANTIFIER = re.compile(r"[?*+]|\{(?P<exactly>\d+)\}|\{(?P<least>\d*),(?P<most>\d*)\}")
_SHORT = {"?": (0, 1), "*": (0, None), "+": (1, None)}
_ESCAPES = (  # that stand for one character
    re.compile(r"\\[pP](?:\{\^?[\w=: &.-]+\}|[A-Z])"),
    re.compile(r"\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}"),
    re.compile(r"\\[sSdDwWrntfva]|\\[^\w]"),
)
_OTHER_ESCAPES = {
    "b": "a word boundary", "B": "a word boundary", "A": "the start of the text", "G": "\\G",
    "K": "\\K", "X": "a grapheme", "R": "\\R", "N": "a named character", "L": "a named list",
    "g": "a reference to a group", "m": "a word boundary", "M": "a word boundary"}
_OTHER_GROUPS = {
    "?<=": "a look-behind", "?<!": "a look-behind", "?>": "an atomic group",
    "?P=": "a reference to a group", "?P<": "a named group", "?P>": "a call of a group",
    "?<": "a named group", "?|": "a branch reset", "?(": "a condition", "?#": "a comment",
    "?R": "a recursion", "?&": "a call of a group", "?0": "a recursion", "*": "a verb",
    "?i)": "a flag for all that follows"}


class _Parser:
    """Reads a pattern from left to right, a method for each level of the grammar."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def parse(self) -> Node:
        node = self.choice(ignore_case=False)
        if self.at < len(self.pattern):
            self.refuse("a ) without a (")
        return node

    def choice(self, ignore_case: bool) -> Node:
        options = [self.sequence(ignore_case)]
        while self.eat("|"):
            options.append(self.sequence(ignore_case))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self, ignore_case: bool) -> Node:
        parts = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self.repeated(ignore_case))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self, ignore_case: bool) -> Node:
        begin = self.at
        node = self.item(ignore_case)
        quantifier = _QUANTIFIER.match(self.pattern, self.at)
        if quantifier is None:
            if self.peek("{"):
                self.refuse("a { that is not a quantifier")
            return node
        self.at = quantifier.end()
        least, most = _bounds(quantifier)
        if max(least, most or 0) > MOST_COPIES:
            self.refuse(f"more than {MOST_COPIES} repetitions", begin)
        if isinstance(node, (Ahead, End)):
            self.refuse("a quantifier on something that takes no character", begin)
        if self.eat("+"):
            if not isinstance(node, Chars):
                self.refuse("a possessive quantifier on more than one character", begin)
            return possessive(node.members, least, most)
        lazy = self.eat("?")
        if is_empty_possible(node):
            # `regex` does not count a round that takes nothing, and tries the next option instead.
            self.refuse("a loop around something that may be empty", begin)
        return Repeat(node, least, most, lazy)

    def item(self, ignore_case: bool) -> Node:
        character = self.pattern[self.at]
        if character == "(":
            return self.group(ignore_case)
        if character == "[":
            return Chars(self.bracket(ignore_case))
        if self.eat("\\Z"):
            return End(or_last_newline=False)
        if character == "\\":
            return Chars(ask(self.escape(), ignore_case))
        if self.eat("$"):
            return End(or_last_newline=True)
        if character == "^":
            self.refuse("the start of the text")
        if character in "?*+{":
            self.refuse("a quantifier with nothing before it")
        self.at += 1
        if character == ".":
            return Chars(ask(".", ignore_case))
        return Chars(_literal(character, ignore_case))

    def group(self, ignore_case: bool) -> Node:
        begin = self.at
        self.at += 1
        if self.eat("?!") or self.eat("?="):
            node = self.look_ahead(ignore_case, begin, negative=self.pattern[self.at - 1] == "!")
        elif self.eat("?i:"):
            node = self.choice(ignore_case=True)
        elif self.eat("?-i:"):
            node = self.choice(ignore_case=False)
        elif self.eat("?:") or self.pattern[self.at : self.at + 1] not in ("?", "*"):
            node = self.choice(ignore_case)
        else:
            names = [name for start, name in _OTHER_GROUPS.items() if self.peek(start)]
            self.refuse(names[0] if names else "a group of an unknown kind", begin)
        if not self.eat(")"):
            self.refuse("a ( without a )", begin)
        return node

    def look_ahead(self, ignore_case: bool, begin: int, negative: bool) -> Node:
        inner = self.choice(ignore_case)
        options = inner.options if isinstance(inner, Choice) else (inner,)
        sets = [option.members for option in options if isinstance(option, Chars)]
        if len(sets) < len(options):
            self.refuse("a look-ahead at more than one character", begin)
        members = union(sets)
        return Ahead(complement(members), True) if negative else Ahead(members, False)

    def escape(self) -> str:
        """The source of an escape that stands for one character."""
        for expression in _ESCAPES:
            found = expression.match(self.pattern, self.at)
            if found:
                self.at = found.end()
                return found.group()
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter.isdigit():
            self.refuse("a reference to a group")
        return self.refuse(_OTHER_ESCAPES.get(letter, f"the escape \\{letter}"))

    def bracket(self, ignore_case: bool) -> CharSet:
        """The set `[...]`. Where it is a plain list, its members are looked up one by one, as each
        is mostly known; otherwise `regex` is asked for the whole."""
        begin = self.at
        self.at += 1
        negative = self.eat("^")
        members: list[CharSet | None] = []
        while not self.peek("]") or not members:
            if self.at >= len(self.pattern):
                self.refuse("a [ without a ]", begin)
            if self.peek("["):
                self.refuse("a [ inside [...]")
            if self.pattern[self.at : self.at + 2] in ("--", "&&", "||", "~~"):
                self.refuse("an operation on sets")
            if self.peek("\\"):
                source = self.escape()
                members.append(ask(source))
            else:
                members.append(one(self.pattern[self.at]))
                self.at += 1
            if self.peek("-") and not self.peek("-]"):
                members.append(None)  # a range
                self.at += 1
        self.at += 1
        known = [each for each in members if each is not None]
        letters = self.pattern[begin + 1 : self.at - 1]
        if ignore_case and letters.isascii() and letters.isalpha():
            return union(_literal(letter, True) for letter in letters)
        if ignore_case or len(known) < len(members):
            return ask(self.pattern[begin : self.at], ignore_case)
        return complement(union(known)) if negative else union(known)

    def peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def eat(self, text: str) -> bool:
        if self.peek(text):
            self.at += len(text)
            return True
        return False

    def refuse(self, why: str, at: int | None = None) -> NoReturn:
        place = self.at if at is None else at
        raise Unsupported(f"{why}, at character {place} of {self.pattern!r}")


def _bounds(quantifier: "re.Match[str]") -> tuple[int, int | None]:
    if quantifier.group() in _SHORT:
        return _SHORT[quantifier.group()]
    if quantifier["exactly"]:
        return int(quantifier["exactly"]), int(quantifier["exactly"])
    return int(quantifier["least"] or 0), int(quantifier["most"]) if quantifier["most"] else None


def _literal(character: str, ignore_case: bool) -> CharSet:
    if not ignore_case:
        return one(character)
    return ask(re.escape(character) if character.isascii() else character, True)


def change_sets(node: Node, change: Callable[[Node], Node]) -> Node:
    """The tree with `change` applied to each of its leaves: `Chars`, `Ahead` and `End`."""
    match node:
        case Sequence(parts):
            return Sequence(tuple(change_sets(part, change) for part in parts))
        case Choice(options):
            return Choice(tuple(change_sets(option, change) for option in options))
        case Repeat(what, least, most, lazy):
            return Repeat(change_sets(what, change), least, most, lazy)
    return change(node)
