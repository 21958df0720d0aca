"""Stage 10's array of cells and its index of positions, in plain Python, to be looked at.

The stage itself is compiled, and nobody can look into it while it works. This one does the same in
the same order, and says what it does. Tests compare its merges with those of the stage, and its
cells with those that stage 11 shows.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

NONE = -1  # no token here
FIRST_MERGE = 256
Ids = tuple[int, int]


class FlatWords:
    """All words in one array: a cell per byte, an empty cell before, between and after words.

    A token has its id in its first and its last cell. What is between keeps what it had before.
    """

    def __init__(self, words: list[tuple[bytes, int]]) -> None:
        self.cells = [NONE]
        self.counts = [0]  # of the word that a cell is in
        for word, count in words:
            if len(word) > 1:  # others have no pair
                self.cells += [*word, NONE]
                self.counts += [*[count] * len(word), 0]
        self.tokens = [bytes([byte]) for byte in range(FIRST_MERGE)]  # by id
        self.merges: list[Ids] = []
        self.pair_counts: Counter[Ids] = Counter()
        self.places_of: defaultdict[Ids, list[int]] = defaultdict(list)  # some of them stale
        for here, pair in enumerate(zip(self.cells, self.cells[1:])):
            if NONE not in pair:
                self.pair_counts[pair] += self.counts[here]
                self.places_of[pair].append(here)

    def best(self) -> Ids | None:
        """The most frequent pair; of equally frequent ones the greater, as bytes compare."""
        return max(self.pair_counts, default=None, key=lambda pair: (
            self.pair_counts[pair], self.tokens[pair[0]], self.tokens[pair[1]]))

    def merge(self, best: Ids) -> Iterator[tuple[int, bool]]:
        """Merge a pair; yields each position of its list, and whether the pair was there."""
        left, right = best
        new = len(self.tokens)
        self.merges.append(best)
        self.tokens.append(self.tokens[left] + self.tokens[right])
        changes: Counter[Ids] = Counter()
        for here in self.places_of.pop(best):
            there = self.is_at(best, here)
            if there:
                self._merge_at(here, left, right, new, changes)
            yield here, there
        del self.pair_counts[best]
        changes.pop(best, None)  # `aaa` lowers the count of the very pair being merged
        for pair, change in changes.items():
            self.pair_counts[pair] += change
            if not self.pair_counts[pair]:
                del self.pair_counts[pair]
                self.places_of.pop(pair, None)

    def is_at(self, pair: Ids, here: int) -> bool:
        """Whether a pair is at a position of its list. An earlier merge may have taken one of the
        two tokens; then it has written the first or the last cell of it."""
        left, right = pair
        second = here + len(self.tokens[left])
        return (self.cells[here] == left and self.cells[second - 1] == left
                and self.cells[second] == right)

    def _merge_at(self, here: int, left: int, right: int, new: int, changes: Counter[Ids]) -> None:
        after = here + len(self.tokens[new])
        count = self.counts[here]
        before = self.cells[here - 1]  # the last cell of the token before
        if before != NONE:
            changes[before, left] -= count
            changes[before, new] += count
            self.places_of[before, new].append(here - len(self.tokens[before]))
        follows = self.cells[after]
        if follows != NONE:
            changes[right, follows] -= count
            changes[new, follows] += count
            self.places_of[new, follows].append(here)
        self.cells[here] = self.cells[after - 1] = new
