"""A compiled pattern to look at: names for its classes and states, its table, its cuts.

A class is named by one of its characters, and a state by a shortest text that leads to it. Where
several classes together are what people have a word for, such as all letters, they are called that.
"""

import string
import unicodedata
from collections.abc import Iterable
from itertools import accumulate, groupby

from cs336_bpe.common.lazy import lazy
from cs336_bpe.patterns import Automaton
from cs336_bpe.patterns.sets import ask
from cs336_bpe.views.appearance import label

WIDTH = 80  # of a terminal
_PREFERRED = (string.ascii_lowercase + string.ascii_uppercase + string.digits + " \n\r\t"
              + string.punctuation + "éÉ東あア゛ǅʰ٣½€😀\u0301\u00a0\u3000")
_WORDS = {"letters": r"\p{L}", "digits": r"\p{N}", "white space": r"\s", "marks": r"\p{M}",
          "upper case": r"\p{Lu}", "lower case": r"\p{Ll}"}


class Names:
    """What the classes and states of an automaton are called.

    >>> from cs336_bpe.patterns import compile_pattern
    >>> names = Names(compile_pattern("(?:ab)+| ?[^ ]"))
    >>> names.classes, names.paths
    (['c', '␣', 'a', 'b'], ['', 'c', '␣', 'a', 'ab', 'aba'])
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        of_point = automaton.of_point
        self.examples: list[str] = ["" for _ in automaton.first_points]
        for character in _PREFERRED:
            self.examples[of_point[ord(character)]] += character
        for number, point in enumerate(automaton.first_points):
            self.examples[number] = self.examples[number] or chr(point)
        self.sizes = [of_point.count(number) for number in range(automaton.num_classes)]
        self.classes = [_short(examples[0], number)
                        for number, examples in enumerate(self.examples)]

    @lazy
    def paths(self) -> list[str]:
        """For each state, a shortest text after which an attempt is in it."""
        paths: list[str | None] = ["", *[None] * (self.automaton.num_states - 1)]
        states = [0]
        for state in states:  # grows while we walk along it
            for column, then in enumerate(self.automaton.next[state][:-1]):
                if then >= 0 and paths[then] is None:
                    paths[then] = f"{paths[state]}{self.classes[column]}"
                    states.append(then)
        return [path or "" for path in paths]

    @lazy
    def _words(self) -> dict[str, frozenset[int]]:
        """The words that stand for some classes, all of them and nothing else."""
        words = {"anything": frozenset(range(self.automaton.num_classes))}
        for word, source in _WORDS.items():
            places = ask(source)
            inside: set[int] = set()
            for first, end in zip(places[::2], places[1::2]):
                inside.update(self.automaton.of_point[first:end])
            size = sum(places[1::2]) - sum(places[::2])
            if sum(self.sizes[number] for number in inside) == size:
                words[word] = frozenset(inside)
        return words

    def describe(self, columns: Iterable[int]) -> str:
        """Some classes, and the end of the text, in as few words as there are for them.

        >>> from cs336_bpe.patterns import compile_pattern
        >>> names = Names(compile_pattern("\\\\p{L}+|[0-4]|[5-9]+|!!"))
        >>> names.classes
        ['␣', '!', '0', '5', 'a']
        >>> names.describe([1, 4]), names.describe([0, 1, 2, 3]), names.describe([2, 5])
        ('letters, !', 'anything but letters', 'the end, 0')
        """
        chosen = set(columns)
        end = ["the end"] if self.automaton.num_classes in chosen else []
        words = self._in_words(chosen)
        others = self._in_words(self._words["anything"] - chosen)
        if others and " ".join(words).count(" ") > " ".join(others).count(" ") + 1:
            words = [f"anything but {', '.join(others)}"]
        return ", ".join(end + words)

    def _in_words(self, columns: Iterable[int]) -> list[str]:
        left = set(columns)
        found = []
        for word, inside in self._words.items():
            if inside <= left:
                found.append(word)
                left -= inside
        rest = " ".join(self.classes[number] for number in sorted(left)
                        if number < self.automaton.num_classes)
        return [*found, rest] if rest else found

    def examples_of(self, number: int, most: int = 6) -> str:
        """Some characters of a class; all of them if there are few."""
        names = [_short(character, number) for character in self.examples[number]]
        shown = [name for name in names if name[0] != "#" or name == "#"][:most] or names[:1]
        return " ".join(shown if self.sizes[number] <= len(shown) else [*shown, "…"])


def _short(character: str, number: int) -> str:
    """A character as a name for its class: one sign, or the number if it can't be seen."""
    if character in "\r\x0b\x0c":
        return {"\r": "\\r", "\x0b": "\\v", "\x0c": "\\f"}[character]
    shown = label(character.encode("utf-8", "surrogatepass"))
    return shown if len(shown) <= 2 else f"#{number}"


def class_lines(names: Names) -> list[str]:
    """A line for each class: its name, some of its characters, and how many there are."""
    width = max(map(cells, names.classes))
    return [f"{padded(name, width)}  {padded(names.examples_of(number), 16)}{size:>9,}"
            for number, (name, size) in enumerate(zip(names.classes, names.sizes))]


def table_lines(names: Names, width: int = WIDTH) -> list[str]:
    """The table, in parts if it is wider than `width`.

    A number: go on in that state; with a `'`, a match may end here too. `|`: the match ends here.
    `.`: it does not, and the attempt goes back to where a match could end.

    >>> from cs336_bpe.patterns import compile_pattern
    >>> print("\\n".join(table_lines(Names(compile_pattern("a+(?!b)|[ab]")))))
         c a  b end
    0    . 1  2 .
    1 a  | 3' | |
    2 b  | |  | |
    3 aa | 3' . |
    """
    automaton = names.automaton
    heads = [*names.classes, "end"]
    body = [[_cell(then, accept) for then, accept in zip(row, accepts)]
            for row, accepts in zip(automaton.next, automaton.accept)]
    lead = [f"{state} {_clipped(path, 8)}" for state, path in enumerate(names.paths)]
    first = max(map(cells, lead))
    widths = [max(cells(head), *(cells(row[column]) for row in body)) + 1
              for column, head in enumerate(heads)]
    lines: list[str] = []
    for part in _parts(widths, width - first - 1):
        lines += [""] if lines else []
        for start, row in zip(["", *lead], [heads, *body]):
            shown = "".join(padded(row[column], widths[column]) for column in part)
            lines.append(f"{padded(start, first)} {shown}".rstrip())
    return lines


def _cell(then: int, accept: bool) -> str:
    if then < 0:
        return "|" if accept else "."
    return f"{then}'" if accept else str(then)


def _clipped(path: str, most: int) -> str:
    return path if len(path) <= most else "…" + path[1 - most:]


def _parts(widths: list[int], room: int) -> list[list[int]]:
    """The columns in groups that fit."""
    ends = accumulate(widths)
    return [list(columns) for _, columns in groupby(
        range(len(widths)), key=dict(enumerate(end // max(room, 1) for end in ends)).get)]


def cut_lines(names: Names) -> list[str]:
    """Between which characters every text may be cut.

    >>> from cs336_bpe.patterns import compile_pattern
    >>> cut_lines(Names(compile_pattern("[a-z]+|[^a-z]")))
    ['after A | before anything', 'after a | before A']
    """
    safe = names.automaton.safe
    groups: dict[tuple[bool, ...], list[int]] = {}
    for number, row in enumerate(safe):
        groups.setdefault(tuple(row), []).append(number)
    lines = []
    for flags, numbers in groups.items():
        if any(flags):
            after = names.describe(numbers)
            before = names.describe(number for number, is_safe in enumerate(flags) if is_safe)
            lines.append(f"after {after} | before {before}")
    return lines


def pieces(automaton: Automaton, text: str) -> list[tuple[str, bool]]:
    """A text in pieces: the matches, and between them what no match takes (False).

    >>> from cs336_bpe.patterns import compile_pattern
    >>> pieces(compile_pattern("[a-z]+"), "ab, c")
    [('ab', True), (', ', False), ('c', True)]
    """
    found: list[tuple[str, bool]] = []
    done = 0
    for start, stop in automaton.matches(text):
        if start > done:
            found.append((text[done:start], False))
        found.append((text[start:stop], True))
        done = stop
    return found if done == len(text) else [*found, (text[done:], False)]


def dot(names: Names, title: str) -> str:
    """The automaton as a graph, for Graphviz. A state with two circles may end a match."""
    automaton = names.automaton
    end = automaton.num_classes
    lines = ["digraph pattern {", "  rankdir=LR;", f"  label={_quoted(title)};",
             '  node [shape=circle, fontname="sans-serif"];',
             '  edge [fontname="sans-serif", fontsize=10];']
    for state, (row, accepts) in enumerate(zip(automaton.next, automaton.accept)):
        text = names.paths[state] or "start"
        before = [column for column in range(end + 1) if accepts[column]]
        if before and len(before) <= end:
            text += f"\\nends before {names.describe(before)}"
        shape = ", shape=doublecircle" if before else ""
        lines.append(f"  {state} [label={_quoted(text)}{shape}];")
        targets: dict[int, list[int]] = {}
        for column, then in enumerate(row):
            targets.setdefault(then, []).append(column)
        lines += [f"  {state} -> {then} [label={_quoted(names.describe(columns))}];"
                  for then, columns in targets.items() if then >= 0]
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    """A string of Graphviz; a line break is `\\n` in it already.

    >>> _quoted('say "a"')
    '"say \\\\"a\\\\""'
    """
    return '"' + text.replace("\\", "\\\\").replace("\\\\n", "\\n").replace('"', '\\"') + '"'


def cells(text: str) -> int:
    """How many places a text takes in a terminal.

    >>> cells("a東"), cells("◌\u0301")
    (3, 1)
    """
    return sum(0 if unicodedata.category(c)[0] == "M" else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))
