"""The mistakes that trainers make, each as a program that makes it on purpose.

If somebody's merges differ from the definition's, the question is why. Here is a small trainer with
a switch for each mistake that people have made. The one that gives the same wrong merges as theirs,
on every probe, is the answer.
"""

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, fields, replace
from itertools import combinations

import regex

from cs336_bpe.rules import GPT2_PATTERN, Pair
from cs336_bpe.text.specials import pattern_of, split_at_specials


@dataclass(frozen=True)
class Habits:
    """How a trainer does each thing. The defaults are right."""

    newlines: str = "kept"
    specials: str = "split"
    pattern: str = "gpt2"
    weights: str = "counts"
    overlaps: str = "twice"
    ties: str = "pair"
    direction: str = "left"
    stop: str = "size"


RIGHT = Habits()

MISTAKES: dict[tuple[str, str], tuple[str, str]] = {
    ("ties", "concatenation"): (
        "rule 3",
        "you break ties by the concatenation of the two tokens; compare the pair of "
        "byte strings, the first one first"),
    ("ties", "smallest"): (
        "rule 3",
        "you take the smallest of equally frequent pairs; take the greatest"),
    ("ties", "greatest ids"): (
        "rule 3",
        "you break ties by the ids of the tokens (the greatest ids win); compare their "
        "bytes"),
    ("ties", "smallest ids"): (
        "rule 3",
        "you break ties by the ids of the tokens (the smallest ids win); compare their "
        "bytes"),
    ("ties", "first seen"): (
        "rule 3",
        "you take the pair that was seen first, as `max` over a dict without a second "
        "key does; ties go to the lexicographically greatest pair"),
    ("ties", "last seen"): (
        "rule 3",
        "of equally frequent pairs you take the one that was seen last; ties go to the "
        "lexicographically greatest pair"),
    ("ties", "longest"): (
        "rule 3",
        "of equally frequent pairs you take the one that makes the longest token; ties "
        "go to the lexicographically greatest pair"),
    ("overlaps", "once"): (
        "rule 4",
        "in `aaa` you count the pair (a, a) once; it counts twice, although only one of"
        " the two can be merged"),
    ("direction", "right"): (
        "rule 4",
        "you merge from right to left: `aaa` becomes `a aa` with you, and must become "
        "`aa a`"),
    ("specials", "counted"): (
        "rule 2",
        "the text of special tokens is counted; split the text at them first, and leave"
        " them out"),
    ("specials", "merged into"): (
        "rule 2",
        "each special token is counted as a pretoken, so pairs within it are merged; "
        "leave it out"),
    ("specials", "removed"): (
        "rule 2",
        "you remove special tokens and join what was on both sides; pretokens then span"
        " two documents: split there"),
    ("specials", "unescaped"): (
        "rule 2",
        "special tokens are not escaped in your regular expression, so `|` in "
        "`<|endoftext|>` means \"or\": use `re.escape`"),
    ("specials", "in the order given"): (
        "rule 2",
        "where one special token is the beginning of another, the longest must win: "
        "sort them by length before you join them"),
    ("specials", "stripped"): (
        "rule 2",
        "you strip white space from the documents between special tokens; it is text "
        "too"),
    ("pattern", "split at spaces"): (
        "rule 1",
        "you split at white space and lose it; use the pattern of GPT-2, in which a "
        "space belongs to the word after it"),
    ("pattern", "no look-ahead"): (
        "rule 1",
        "of several spaces the last one belongs to the word after it: `\\s+(?!\\S)` is "
        "missing in your pattern, or comes too late"),
    ("pattern", "no contractions"): (
        "rule 1",
        "your pattern does not keep contractions ('s, 't, 're, ...) apart"),
    ("pattern", "any case contractions"): (
        "rule 1",
        "your pattern takes 'S and 'LL for contractions; GPT-2's takes small letters "
        "only"),
    ("pattern", "ascii letters"): (
        "rule 1",
        "your pattern knows ASCII letters only; use `\\p{L}` and `\\p{N}` of the `regex` "
        "package"),
    ("pattern", "line by line"): (
        "rule 1",
        "you apply the pattern line by line; white space that spans the end of a line "
        "is then cut differently"),
    ("pattern", "none"): (
        "rule 1",
        "you merge across pretokens, as if the whole document were one word"),
    ("pattern", "gpt4"): (
        "rule 1",
        "you use GPT-4's pattern; the definition here uses GPT-2's"),
    ("weights", "ones"): (
        "rule 6",
        "each distinct pretoken counts once with you; it counts as often as it occurs"),
    ("newlines", "translated"): (
        "rule 9",
        "carriage returns are lost: text mode turns \\r\\n into \\n. Open the file with "
        "newline=\"\" or read bytes"),
    ("stop", "one short"): (
        "rule 6",
        "you stop one merge before the size is reached"),
    ("stop", "one more"): (
        "rule 6",
        "you go one merge beyond the size"),
    ("stop", "bytes forgotten"): (
        "rule 6",
        "your merges and special tokens alone reach vocab_size; the 256 bytes count too"),
    ("stop", "specials forgotten"): (
        "rule 6",
        "special tokens are part of vocab_size: there are fewer merges by as many"),
    ("stop", "at one"): (
        "rule 6",
        "you stop when no pair occurs twice; go on while any pair is left"),
}

PATTERNS = {
    "gpt2": GPT2_PATTERN,
    "no look-ahead": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+",
    "no contractions": r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "any case contractions": r"(?i:'(?:[sdmt]|ll|ve|re))| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"
                             r"|\s+(?!\S)|\s+",
    "ascii letters": r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+",
    "split at spaces": r"\S+",
    "none": r"(?s).+",
    "gpt4": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
            r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
PATTERNS["line by line"] = GPT2_PATTERN


def documents(text: str, specials: list[str], habit: str) -> Iterator[str]:
    """The parts of a text that are split into pretokens, by one of the habits."""
    if habit == "counted" or not specials:
        yield text
    elif habit == "removed":
        yield "".join(split_at_specials(text, specials))
    elif habit == "unescaped":
        try:
            yield from (part or "" for part in regex.split("|".join(specials), text))
        except regex.error:
            yield text
    elif habit == "in the order given":
        yield from regex.split("|".join(map(regex.escape, specials)), text)
    elif habit == "stripped":
        yield from (part.strip() for part in split_at_specials(text, specials))
    else:
        yield from split_at_specials(text, specials)


def count(text: str, specials: list[str], habits: Habits) -> Counter[bytes]:
    """The pretokens of a text, in the order in which they are first seen."""
    if habits.newlines == "translated":
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    find = regex.compile(PATTERNS[habits.pattern]).findall
    counts: Counter[bytes] = Counter()
    for document in documents(text, specials, habits.specials):
        lines = (document.splitlines(keepends=True) if habits.pattern == "line by line"
                 else [document])
        for line in lines:
            counts.update(pretoken.encode() for pretoken in find(line) if pretoken)
    if habits.specials == "merged into" and specials:
        counts.update(token.encode() for token in regex.findall(pattern_of(specials), text))
    if habits.weights == "ones":
        counts = Counter(dict.fromkeys(counts, 1))
    return counts


def learn(counts: Counter[bytes], num_merges: int, habits: Habits) -> list[Pair]:
    """The merges that a trainer with these habits learns."""
    words = [([bytes([byte]) for byte in word], number) for word, number in counts.items()]
    ids = {bytes([byte]): byte for byte in range(256)}
    merges: list[Pair] = []
    while len(merges) < num_merges:
        pairs = count_pairs(words, habits.overlaps == "once")
        if not pairs:
            break
        most = max(pairs.values())
        if habits.stop == "at one" and most < 2:
            break
        best = _best([pair for pair, number in pairs.items() if number == most], ids, habits.ties)
        merges.append(best)
        ids[best[0] + best[1]] = len(ids)
        words = [(apply(word, best, habits.direction == "right"), number)
                 for word, number in words]
    return merges


def count_pairs(words: list[tuple[list[bytes], int]], once: bool = False) -> Counter[Pair]:
    """How often each pair occurs; with `once`, two that overlap count as one."""
    pairs: Counter[Pair] = Counter()
    for word, number in words:
        last: tuple[Pair, int] | None = None
        for place, pair in enumerate(zip(word, word[1:])):
            if once and last == (pair, place - 1):
                last = None
                continue
            pairs[pair] += number
            last = pair, place
    return pairs


def apply(word: list[bytes], pair: Pair, from_right: bool = False) -> list[bytes]:
    """A word with a pair merged, from the left or from the right.

    >>> apply([b"a", b"a", b"a"], (b"a", b"a")), apply([b"a", b"a", b"a"], (b"a", b"a"), True)
    ([b'aa', b'a'], [b'a', b'aa'])
    """
    merged: list[bytes] = []
    places = range(len(word) - 1, -1, -1) if from_right else range(len(word))
    for place in places:
        token = word[place]
        if merged and merged[-1] is not None and (
                (token, merged[-1]) if from_right else (merged[-1], token)) == pair:
            merged[-1] = pair[0] + pair[1]
        else:
            merged.append(token)
    return merged[::-1] if from_right else merged


def _best(tied: list[Pair], ids: dict[bytes, int], habit: str) -> Pair:
    if habit == "first seen":
        return tied[0]
    if habit == "last seen":
        return tied[-1]
    keys = {
        "pair": lambda pair: pair,
        "concatenation": lambda pair: (pair[0] + pair[1], pair),
        "greatest ids": lambda pair: (ids[pair[0]], ids[pair[1]]),
        "longest": lambda pair: (len(pair[0]) + len(pair[1]), pair),
    }
    if habit == "smallest":
        return min(tied)
    if habit == "smallest ids":
        return min(tied, key=keys["greatest ids"])
    return max(tied, key=keys[habit])


def train(text: str, vocab_size: int, specials: list[str], habits: Habits) -> list[Pair]:
    """The merges of a trainer with these habits, from text."""
    size = vocab_size - 256 - len(specials)
    size += {"one short": -1, "one more": 1, "bytes forgotten": 256,
             "specials forgotten": len(specials)}.get(habits.stop, 0)
    return learn(count(text, specials, habits), max(0, size), habits)


ALL_HABITS = tuple(habit.name for habit in fields(Habits))


def suspects(names: Container[str] = ALL_HABITS) -> Iterator[Habits]:
    """All programs with one mistake in these habits, then all with two."""
    keys = [key for key in MISTAKES if key[0] in names]
    yield from (replace(RIGHT, **{name: habit}) for name, habit in keys)
    for (name, habit), (other, other_habit) in combinations(keys, 2):
        if name != other:
            yield replace(RIGHT, **{name: habit, other: other_habit})


def mistakes_of(habits: Habits) -> list[tuple[str, str]]:
    """(rule, words) for each thing that is not done right."""
    return [MISTAKES[field.name, getattr(habits, field.name)] for field in fields(habits)
            if getattr(habits, field.name) != getattr(RIGHT, field.name)]
