"""The contracts that every stage keeps, and the one statement of the rules.

A *stage* is one module of a ladder. All stages of a ladder are called in the same way and give
the same result, byte for byte; they differ in one idea each, and so in speed and memory. What
"the same result" means is fixed by these rules.

1. Pattern.     GPT-2's by default, with the Unicode categories that the `regex` package has.
2. Specials.    Special tokens split the text before the pattern sees it; they are never counted
                and never merged with anything. The longest match wins where they overlap.
3. Ties.        Among the most frequent pairs the lexicographically greatest pair of byte strings
                wins: compare the two strings, not their concatenation and not their ids.
                `tie_break="huggingface"` prefers the smallest ids instead, in the order in which
                that library numbers its tokens, so that results can be compared with it.
4. Overlaps.    In `aaa` the pair `(a, a)` counts twice; merging goes from left to right.
5. Ids.         Bytes are ids 0-255, special tokens follow in the order given, then merges. So a
                smaller vocabulary is a prefix of a larger one.
6. Stop.        When the size is reached, or when no pair is left.
7. Counts       are 64-bit. A token may contain any byte, NUL too.
8. Determinism. The same input gives the same result for every stage, number of workers and
                `PYTHONHASHSEED`.
9. Invalid UTF-8 in a file is an error that names the byte offset, unless `errors=` asks for
                what `bytes.decode` does with "replace" or "ignore".
10. Encoding.   The merges are applied to a pretoken in the order in which they were learnt, each
                one from left to right: `(a, a)` makes `aa a` of `aaa`.

This module has the parts of the rules that are code: the checks of arguments, the order among
equally frequent pairs, and how ids are given.
"""

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import BinaryIO, Literal, Protocol, SupportsIndex, get_args

import regex

from cs336_bpe.progress import Progress

GPT2_PATTERN = (
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)
"""GPT-2's rule for splitting text into pretokens, for the `regex` package."""

GPT4_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""GPT-4's (tiktoken's `cl100k_base`): numbers in groups of three digits, new lines apart. It runs
through `regex`, so it is slower."""

TieBreak = Literal["lexicographic", "huggingface"]
Pair = tuple[bytes, bytes]
Vocab = dict[int, bytes]

BYTES: tuple[bytes, ...] = tuple(bytes([value]) for value in range(256))
"""The 256 tokens that every vocabulary starts with."""

MAX_TOTAL = 2**63 - 1
"""The greatest number that a count of pairs may reach (rule 7)."""


class LearnMerges(Protocol):
    """What every stage of the training ladder offers under the name `learn_merges`."""

    def __call__(
        self,
        counts: Mapping[bytes, int],
        num_merges: int,
        *,
        tie_break: TieBreak = "lexicographic",
        progress: Progress = None,
    ) -> list[Pair]: ...


class PretokenEncoder(Protocol):
    """What every stage of the encoding ladder offers under the name `Encoder` (rule 10).

    It does not change once it is made, and many threads may use it at once.
    """

    def __init__(self, vocab: Mapping[int, bytes], merges: Sequence[Pair]) -> None: ...

    def encode_pretoken(self, pretoken: bytes) -> list[int]: ...


class EarlyStopWarning(UserWarning):
    """Training ran out of pairs before it reached the size that was asked for (rule 6)."""


# --- The order among equally frequent pairs (rule 3) ---------------------------------------


class LexicographicOrder:
    """Prefers the pair whose byte strings are greatest.

    >>> order = LexicographicOrder()
    >>> max([(b"a", b"z"), (b"ab", b"c"), (b"ab", b"")], key=order.rank)
    (b'ab', b'c')
    """

    def __init__(self) -> None:
        self._inverted: dict[bytes, str] = {}
        for token in BYTES:
            self._invert(token)

    def rank(self, pair: Pair) -> Pair:
        """The preferred pair has the greatest rank."""
        return pair

    def urgency(self, pair: Pair) -> tuple[str, str]:
        """The preferred pair has the smallest urgency; `heapq` has only smallest-first heaps.

        >>> order = LexicographicOrder()
        >>> order.learned((b"a", b"b"))
        >>> min([(b"a", b"z"), (b"ab", b"c")], key=order.urgency)
        (b'ab', b'c')
        """
        return self._inverted[pair[0]], self._inverted[pair[1]]

    def learned(self, pair: Pair) -> None:
        """Take note that a merge has made a token of this pair."""
        self._invert(pair[0] + pair[1])

    def _invert(self, token: bytes) -> None:
        # 255 - byte turns the order round, but it can't make "abc" come before its own prefix
        # "ab". A last character that is greater than any inverted byte does.
        self._inverted[token] = "".join(chr(255 - byte) for byte in token) + "\u0100"


class HuggingFaceOrder:
    """Prefers the pair with the smallest ids, in the order of the `tokenizers` library.

    That library numbers the 256 bytes by the code points of the printable characters that stand
    for them in GPT-2's alphabet, and every merged token after those, as it is made.
    """

    def __init__(self) -> None:
        self._number = dict(zip(BYTES, huggingface_byte_numbers(), strict=True))

    def rank(self, pair: Pair) -> tuple[int, int]:
        """The preferred pair has the greatest rank."""
        return -self._number[pair[0]], -self._number[pair[1]]

    def urgency(self, pair: Pair) -> tuple[int, int]:
        """The preferred pair has the smallest urgency."""
        return self._number[pair[0]], self._number[pair[1]]

    def learned(self, pair: Pair) -> None:
        """Take note that a merge has made a token of this pair."""
        self._number[pair[0] + pair[1]] = len(self._number)


TieOrder = LexicographicOrder | HuggingFaceOrder


def tie_order(tie_break: TieBreak) -> TieOrder:
    """A new order of the given name; one run of training needs one of its own."""
    check_tie_break(tie_break)
    return LexicographicOrder() if tie_break == "lexicographic" else HuggingFaceOrder()


def huggingface_byte_numbers() -> list[int]:
    """For each byte, its place in the alphabet of Hugging Face's `ByteLevel` pretokenizer.

    GPT-2 writes a byte as the printable Latin-1 character of the same number if there is one,
    and the others as U+0100, U+0101, ... in turn. Sorted by character, the printable ones come
    first.

    >>> huggingface_byte_numbers()[ord("!")]
    0
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = sorted(set(range(256)) - set(printable))
    numbers = [0] * 256
    for number, byte in enumerate(printable + others):
        numbers[byte] = number
    return numbers


# --- Ids (rule 5) --------------------------------------------------------------------------


def assemble_vocab(special_tokens: Sequence[str], merges: Iterable[Pair]) -> Vocab:
    """Give ids: bytes, then special tokens, then merges.

    >>> vocab = assemble_vocab(["<|endoftext|>"], [(b"t", b"h"), (b"th", b"e")])
    >>> vocab[256], vocab[257], vocab[258]
    (b'<|endoftext|>', b'th', b'the')
    """
    tokens = [*BYTES, *(token.encode() for token in special_tokens)]
    tokens.extend(left + right for left, right in merges)
    return dict(enumerate(tokens))


# --- Checks of arguments -------------------------------------------------------------------


def check_tie_break(tie_break: object) -> None:
    if tie_break not in get_args(TieBreak):
        names = " or ".join(map(repr, get_args(TieBreak)))
        raise ValueError(f"tie_break is {tie_break!r}; it must be {names}")


def check_size(name: str, value: SupportsIndex, smallest: int = 0, why: str = "") -> int:
    """`value` as an `int` that is at least `smallest`, or an error that names it."""
    if isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; it must be an integer")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, a {type(value).__name__}; "
                        f"it must be an integer") from None
    if number < smallest:
        raise ValueError(f"{name} is {number}; it must be at least {smallest}{why}")
    return number


def check_counts(counts: Mapping[bytes, int]) -> list[tuple[bytes, int]]:
    """The pretokens that training can learn from, with their counts, in the mapping's order.

    Leaves out those that occur zero times: a pair that does not occur must not be merged.

    >>> check_counts({b"low": 5, b"lower": 0})
    [(b'low', 5)]
    """
    if not isinstance(counts, Mapping):
        raise TypeError(f"counts is a {type(counts).__name__}; it must be a mapping from "
                        f"bytes to int, such as a dict or a collections.Counter")
    items = []
    total = 0
    for word, count in counts.items():
        number = check_count(word, count)
        if number:
            items.append((word, number))
            total += number * len(word)
    check_total(total)
    return items


def check_count(word: bytes, count: SupportsIndex) -> int:
    """One entry of `counts`: its count as an `int`, or an error that names the entry."""
    if not isinstance(word, bytes):
        raise TypeError(f"counts has the key {word!r}, a {type(word).__name__}; keys must be "
                        f"bytes" + (" (use key.encode())" if isinstance(word, str) else ""))
    number = check_size(f"counts[{shown(word)}]", count)
    if number > MAX_TOTAL:
        raise ValueError(f"counts[{shown(word)}] is {number}, more than the 64-bit limit of "
                         f"{MAX_TOTAL}; divide all counts by a common factor")
    return number


def check_total(total: int) -> None:
    if total > MAX_TOTAL:
        raise ValueError(f"counts add up to {total} bytes of text, more than the 64-bit limit "
                         f"of {MAX_TOTAL}; divide all counts by a common factor")


def check_special_tokens(special_tokens: Iterable[str]) -> list[str]:
    """The special tokens as a list of different, non-empty strings."""
    if isinstance(special_tokens, (str, bytes)):
        raise TypeError(f"special_tokens is {special_tokens!r}; it must be a list of strings, "
                        f"such as [{special_tokens!r}]")
    if not isinstance(special_tokens, Iterable):
        raise TypeError(f"special_tokens is {special_tokens!r}; it must be a list of strings, [] "
                        f"for none")
    tokens = list(special_tokens)
    seen: dict[str, int] = {}
    for place, token in enumerate(tokens):
        if not isinstance(token, str):
            raise TypeError(f"special_tokens[{place}] is {token!r}, a {type(token).__name__}; "
                            f"it must be a str")
        if not token:
            raise ValueError(f"special_tokens[{place}] is empty; it would match everywhere: "
                             f"leave it out")
        try:
            token.encode()
        except UnicodeEncodeError:
            raise ValueError(f"special_tokens[{place}] is {token!r}, which has no UTF-8 form: "
                             f"it contains a lone surrogate") from None
        earlier = seen.setdefault(token, place)
        if earlier != place:
            raise ValueError(f"special_tokens[{place}] is {token!r}, which is there already at "
                             f"{earlier}: leave one out")
    return tokens


def check_vocab_size(vocab_size: SupportsIndex, num_specials: int) -> int:
    """How many merges there is room for."""
    smallest = len(BYTES) + num_specials
    why = f" (256 bytes and {num_specials} special tokens)" if num_specials else " (one id a byte)"
    return check_size("vocab_size", vocab_size, smallest, why) - smallest


def check_pretoken(pretoken: object) -> None:
    """Raise unless this is something that an encoder can encode."""
    if not isinstance(pretoken, bytes):
        raise TypeError(f"pretoken is {pretoken!r}, a {type(pretoken).__name__}; it must be bytes"
                        + (" (use pretoken.encode())" if isinstance(pretoken, str) else ""))


def check_errors(errors: object) -> None:
    if errors not in ("strict", "replace", "ignore"):
        raise ValueError(f"errors is {errors!r}; it must be 'strict', 'replace' or 'ignore'")


def check_workers(workers: int | None, most: int | None = None) -> int:
    """How many workers to use; `None` means as many as there are processors for us."""
    if workers is None:
        if hasattr(os, "sched_getaffinity"):
            available = len(os.sched_getaffinity(0))
        else:
            available = os.cpu_count() or 1
        return available if most is None else min(available, most)
    number = check_size("workers", workers, 1)
    if most is not None and number > most:
        raise ValueError(f"workers is {number}, but this stage works with at most {most}")
    return number


def check_pattern(pattern: str) -> "regex.Pattern[str]":
    """The pattern, compiled."""
    if not isinstance(pattern, str):
        raise TypeError(f"pattern is {pattern!r}; it must be a str")
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} is not a regular expression: {error}") from None
    if compiled.groups:
        raise ValueError(f"pattern {pattern!r} has a capturing group; write (?:...) for (...), "
                         f"so that a match is a pretoken as a whole")
    return compiled


# --- Files ---------------------------------------------------------------------------------


def open_text(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file to read its bytes."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{os.fspath(path)} is a directory; give a text file")
    return open(path, "rb")


def decode(data: bytes, errors: str, path: str | os.PathLike[str], offset: int = 0) -> str:
    """The text of a part of a file that begins at `offset`; an error names the byte (rule 9)."""
    try:
        return data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)} is not valid UTF-8 at byte {offset + error.start} "
                         f"({error.reason}); mend the file, or pass errors='replace' or "
                         f"'ignore'") from None


def shown(word: bytes) -> str:
    """A pretoken or a token for an error message, shortened if it is long."""
    return repr(word) if len(word) <= 40 else f"{word[:40]!r}... of {len(word)} bytes"
