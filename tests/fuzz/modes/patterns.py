"""Random patterns against `regex`, on texts with rows on which attempts fail late."""

from patterns.test_dead_ends import random_late_pattern
from patterns.test_named_patterns import byte_starts
from patterns.test_random_patterns import random_pattern

from cs336_bpe.native.scanner import CompiledPattern
from cs336_bpe.patterns import Unsupported, compile_pattern
from fuzz import texts

OPTIONS = frozenset({"pattern"})
LETTERS = ["ab", "abc", "ab \n1", "abcé", "ab \n1é猫"]
ROWS = ["a", "ab", "abb", "b", "é", "aé", "ab1 "]


def make(rng):
    late = rng.random() < 0.5
    while True:
        # No groups inside groups, as these can take exponential time.
        pattern = random_late_pattern(rng) if late else random_pattern(rng, depth=3)
        try:
            compile_pattern.__wrapped__(pattern)
            break
        except Unsupported:
            continue
    parts = []
    for _ in range(rng.randrange(1, 6)):
        kind = rng.random()
        if kind < 0.3:
            parts.append(rng.choice(ROWS) * rng.choice([1, 3, 20, 80, 150]))
        elif kind < 0.8:
            parts.append("".join(rng.choices(rng.choice(LETTERS), k=rng.randrange(12))))
        else:
            parts.append(texts.text(rng, most=6))
    return {"pattern": pattern, "parts": parts}


def check(same, pattern, parts):
    """Where matches start; those that are certain before more comes; and that a cut is one."""
    scanner = CompiledPattern(compile_pattern.__wrapped__(pattern))
    text = "".join(parts)
    data = text.encode()
    starts = byte_starts(pattern, text)
    same(scanner.starts(data), starts, "starts")
    same(scanner.starts(data, lenient=True), starts, "starts of what may be invalid")
    same(scanner.bytes_taken(data) < 4_000 + 300 * len(data), True, "the number of steps")
    for number in range(1, len(parts)):
        known = "".join(parts[:number]).encode()
        if not scanner.leaves_gaps and known:
            certain = scanner.certain_starts(known)
            same(certain, starts[: len(certain)], "certain starts")
        cut = scanner.last_cut(data, len(data), 1, len(known) + 1)
        if cut:
            left, right = scanner.starts(data[:cut]), scanner.starts(data[cut:])
            same([*left, *(cut + start for start in right)], starts, "starts of the parts of a cut")
