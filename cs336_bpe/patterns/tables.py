"""The tables of an automaton for the runner in C (`native/automaton.h`)."""

import struct
from functools import lru_cache
from typing import NamedTuple

from cs336_bpe.patterns.automaton import KEPT, Automaton
from cs336_bpe.patterns.sets import two_levels

EMIT, MARK, BACK = 1, 2, 4
ESCAPED = 0xDC00  # a byte that is not UTF-8, as the code point that `surrogateescape` makes of it


class Tables(NamedTuple):
    """Arrays as bytes, in the machine's order of bytes."""

    num_classes: int
    leaves_gaps: bool
    of_byte: bytes
    block_index: bytes
    blocks: bytes
    steps: bytes
    next: bytes
    accept: bytes
    safe: bytes
    safe_keeping_gaps: bytes


@lru_cache(maxsize=KEPT)
def make_tables(automaton: Automaton) -> Tables:
    """All tables of an automaton."""
    columns = automaton.num_classes + 1
    index, blocks = two_levels(automaton.of_point)
    of_byte = automaton.of_point[:128] + automaton.of_point[ESCAPED + 128 : ESCAPED + 256]
    rows = [then * columns if then >= 0 else -1 for row in automaton.next for then in row]
    steps = [] if automaton.leaves_gaps else mealy_steps(automaton)
    return Tables(
        automaton.num_classes, automaton.leaves_gaps, of_byte,
        struct.pack(f"={len(index) // 2}H", *struct.unpack(f"<{len(index) // 2}H", index)), blocks,
        b"".join(struct.pack("=2H", then * columns, flags) for then, flags in steps),
        struct.pack(f"={len(rows)}h", *rows),
        bytes(flag for row in automaton.accept for flag in row),
        bytes(flag for row in automaton.safe for flag in row),
        bytes(flag for row in automaton.safe_keeping_gaps for flag in row))


def mealy_steps(automaton: Automaton) -> list[tuple[int, int]]:
    """For each state and column the next state and flags: the end of one match and the first step
    of the next in one transition. For an automaton that leaves no gaps.

    >>> from cs336_bpe.patterns import compile_pattern
    >>> mealy_steps(compile_pattern("a+|[^a]"))[6:]  # after an `a`: all but a, another a, the end
    [(1, 1), (2, 0), (0, 0)]
    """
    steps = []
    end = automaton.num_classes
    for state, (row, accepts) in enumerate(zip(automaton.next, automaton.accept)):
        for column, (then, accept) in enumerate(zip(row, accepts)):
            if then >= 0:
                steps.append((then, MARK if accept else 0))
            elif column == end:
                steps.append((0, 0 if accept or state == 0 else BACK))
            elif accept:
                steps.append((automaton.next[0][column], EMIT))
            else:
                steps.append((0, BACK))
    return steps
