"""Numbers of the write-ups that depend on no machine: do ours agree to the last digit?

They are of TinyStories-train with a vocabulary of 10,000, and follow from how often each pretoken
occurs in it. So they can be computed from saved counts in a second, or from the file.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cs336_bpe.corpora.fetch import CORPORA
from cs336_bpe.rules import END_OF_TEXT, Pair
from cs336_bpe.tokenizer import Tokenizer
from cs336_bpe.train import train_bpe_from_counts

VOCAB_SIZE = 10_000
FILE_BYTES = CORPORA["tinystories-train"].size
MERGES_SHA256 = "604bf5d310c3e56db7b565ffabb68f77b34cfe816668165ab5837af9f62bd221"
"""Of the merges that this project learned first, with its definition; every stage has to agree."""


@dataclass(frozen=True)
class Digits:
    """What TinyStories-train comes to."""

    pretokens: int
    documents: int
    text_bytes: int  # without special tokens
    text_tokens: int
    longest: list[tuple[int, str]]  # ids and tokens
    merges_sha256: str

    @property
    def tokens(self) -> int:
        """With one special token between two documents."""
        return self.text_tokens + self.documents - 1

    @property
    def tokens_per_byte(self) -> float:
        return self.text_tokens / self.text_bytes

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "tokens": self.tokens, "tokens_per_byte": self.tokens_per_byte,
                "rows": compare(self)}


def compute(counts: Mapping[bytes, int], file_bytes: int = FILE_BYTES,
            vocab_size: int = VOCAB_SIZE) -> Digits:
    """All of them, from the counts of a file and its size.

    What the pretokens leave of the file's bytes are the special tokens between documents.

    >>> small = compute({b"low": 5, b" lower": 2, b"!": 1}, 28 + 2 * len("<|endoftext|>"), 260)
    >>> small.pretokens, small.documents, small.text_tokens, small.longest
    (8, 3, 12, [(259, 'lowe')])
    """
    vocab, merges = train_bpe_from_counts(counts, vocab_size, [END_OF_TEXT])
    tokenizer = Tokenizer(vocab, merges, [END_OF_TEXT])
    text_bytes = sum(len(word) * number for word, number in counts.items())
    separators, rest = divmod(file_bytes - text_bytes, len(END_OF_TEXT))
    if rest or separators < 0:
        raise ValueError(f"a file of {file_bytes:,} bytes can't have {text_bytes:,} bytes of "
                         f"pretokens: {file_bytes - text_bytes:,} bytes are left, which are not "
                         f"{END_OF_TEXT} some times; are these the counts of that file?")
    tokens = {number: token for number, token in vocab.items() if token != END_OF_TEXT.encode()}
    longest = max(map(len, tokens.values()))
    return Digits(
        pretokens=sum(counts.values()), documents=separators + 1, text_bytes=text_bytes,
        text_tokens=sum(len(tokenizer.encode_array(word)) * number
                        for word, number in counts.items()),
        longest=[(number, token.decode("utf-8", "backslashreplace"))
                 for number, token in sorted(tokens.items()) if len(token) == longest],
        merges_sha256=digest(merges))


def digest(merges: Iterable[Pair]) -> str:
    """The sha256 of the merges, one per line, in hexadecimal.

    >>> digest([(b"o", b"w")])[:8]
    'a0c2e462'
    """
    lines = "".join(f"{left.hex()} {right.hex()}\n" for left, right in merges)
    return hashlib.sha256(lines.encode()).hexdigest()


PUBLISHED_TOKENS = 541_229_310
PUBLISHED_RATIO = 0.24566
KNOWN_TO_DIFFER = {"A5", "C4"}
"""By a few of half a billion tokens, and in the fifth decimal; docs/published says what we know."""


def compare(ours: Digits) -> list[dict[str, str]]:
    """The rows of the table: who published it, what, theirs, ours, and the verdict."""
    number, token = ours.longest[0]
    others = ", ".join(f"{other!r} ({other_id})" for other_id, other in ours.longest[1:])
    ratio = ours.tokens_per_byte
    rows = [
        ("B", "pretokens", "536,592,168", f"{ours.pretokens:,}", ""),
        ("B", "documents", "2,717,700", f"{ours.documents:,}", ""),
        ("C5", "the longest token", "' accomplishment'", repr(token),
         f"equally long: {others}" if others else ""),
        ("C5", "its id", "7,160", f"{number:,}", ""),
        ("C4", "tokens per byte", f"{PUBLISHED_RATIO:.5f}", f"{ratio:.5f}", ""),
        ("A5", "tokens in all", f"{PUBLISHED_TOKENS:,}", f"{ours.tokens:,}",
         f"the difference is {abs(ours.tokens - PUBLISHED_TOKENS) / ours.tokens:.1e} of all"),
        ("here", "sha256 of the merges", MERGES_SHA256[:16], ours.merges_sha256[:16],
         f"in full {ours.merges_sha256}"),
    ]
    names = ("figure", "what", "published", "ours", "note")
    return [{**dict(zip(names, row)), "verdict": _verdict(row[2], row[3])} for row in rows]


def _verdict(theirs: str, ours: str) -> str:
    """
    >>> [_verdict("1,000", ours) for ours in ("1,000", "1,037", "none")]
    ['to the digit', '+37', 'differs']
    >>> _verdict("0.5000", "0.4999")
    '-0.020 %'
    """
    if theirs == ours:
        return "to the digit"
    numbers = [text.replace(",", "") for text in (theirs, ours)]
    if all(number.isdigit() for number in numbers):
        return f"{int(numbers[1]) - int(numbers[0]):+,}"
    try:
        before, after = map(float, numbers)
    except ValueError:
        return "differs"
    return f"{after / before - 1:+.3%}".replace("%", " %")
