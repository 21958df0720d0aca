"""Text that a pattern does not match: training would never see it.

A pattern of one's own may leave gaps, on purpose or by a slip. The beginning of a text shows it.
"""

import warnings
from collections.abc import Sequence

from cs336_bpe.rules import check_pattern
from cs336_bpe.text.specials import split_at_specials

SAMPLE_BYTES = 1 << 20
MAX_SECONDS = 5
"""How long is looked for gaps: `regex` can take for ever, even if the compiled pattern does not."""


class UnmatchedWarning(UserWarning):
    """A pattern leaves out part of the text."""


def unmatched_bytes(text: str, special_tokens: Sequence[str], pattern: str) -> tuple[int, int]:
    """How many bytes between special tokens no match of the pattern has, and how many there are.

    >>> unmatched_bytes("hello, world<e>", ["<e>"], r"\\w+")
    (2, 12)
    """
    find = check_pattern(pattern).finditer
    matched = total = 0
    for part in split_at_specials(text, list(special_tokens)):
        total += len(part.encode())
        matched += sum(len(match.group().encode()) for match in find(part, timeout=MAX_SECONDS))
    return total - matched, total


def warn_if_unmatched(sample: bytes, special_tokens: Sequence[str], pattern: str) -> None:
    """Warn, with the share, if a pattern leaves out some of the beginning of a text."""
    text = sample[:SAMPLE_BYTES].decode("utf-8", "ignore")
    try:
        missing, total = unmatched_bytes(text, special_tokens, pattern)
    except TimeoutError:
        warnings.warn(f"the pattern {pattern!r} may leave out part of the text, which training "
                      f"would not see; `regex` did not tell within {MAX_SECONDS} seconds",
                      UnmatchedWarning, stacklevel=3)
        return
    if missing:
        warnings.warn(f"the pattern {pattern!r} does not match {missing / total:.2%} of the text "
                      f"({missing:,} of the first {total:,} bytes), which training does not see; "
                      f"add |[\\s\\S] to match everything", UnmatchedWarning, stacklevel=3)
