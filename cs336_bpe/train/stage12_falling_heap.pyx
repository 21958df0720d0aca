# cython: language_level=3
# distutils: language = c++
"""Stage 12: counts only fall, so the heap waits for old entries to surface.

Unlike stage 11, which pushes a new heap entry for every pair whose count a merge has lowered, this
one pushes a pair once, when it is born. After that its count can only fall. So an entry that is out
of date is too high, never too low: when it surfaces, it is corrected and sinks. And most pairs
never come near the top, so the heap has only those that are at least half as frequent as the
most frequent one was when it was last filled.

Cost of a changed pair: one push -> nothing. Cost of choosing: one pop per stale entry -> one
correction per entry that surfaces. Filling the heap again: a scan of all counts, at most 63 times.
Memory: an entry for each pair in the top octave instead of one for each change.
Expect: large gains where counts change often and most pairs are rare, as in all text.
Trap: a pair that has fallen below the threshold must leave the heap, or the heap would hold
what the next filling adds once more.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector

from cs336_bpe.train.containers cimport Heap, Lists
from cs336_bpe.train.steps cimport Merge, as_bytes
from cs336_bpe.train.ties cimport Entry, TieKeys
from cs336_bpe.train.words cimport FlatWords, WordSink, read_words

from cs336_bpe.rules import check_size
from cs336_bpe.train.steps import byte_tie_keys, merge_in_steps

cdef enum:
    NONE = -1  # no token here, no pair here


def learn_merges(counts, num_merges, *, tie_break="lexicographic", progress=None):
    """Learn up to `num_merges` merges from words and how often each occurs.

    >>> learn_merges({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 3)
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    num_merges = check_size("num_merges", num_merges)
    return merge_in_steps(Trainer(counts, tie_break), num_merges, progress)


cdef struct Cell:
    int32_t token   # in the first and last cell of a token; NONE between words
    int32_t pair    # in the first cell of a token: the pair of it and the next one, or NONE
    uint32_t count  # of the word, see words.h

cdef struct Pair:
    int32_t left, right
    uint32_t begin, end  # its list: positions[begin:end], some of them stale

cdef struct Birth:
    int32_t pair, position


cdef class Trainer:
    # All storage is owned by containers, which free it when the trainer goes.
    cdef FlatWords[Cell] cells
    cdef vector[Pair] pairs
    cdef vector[int64_t] pair_counts
    cdef Lists positions                        # the lists of all pairs
    cdef vector[Birth] births                   # in the merge under way
    cdef Heap[Entry[int32_t]] heap              # all pairs with `threshold` or more, or once had
    cdef int64_t threshold
    # by token id:
    cdef TieKeys tie_keys
    cdef vector[int32_t] length                 # in cells
    cdef vector[int32_t] pair_with_left, pair_with_right  # born in the merge under way
    cdef vector[Merge] merged

    def __cinit__(self, counts, tie_break):
        self.tie_keys.by_number = tie_break == "huggingface"
        for key in byte_tie_keys(tie_break):
            self.tie_keys.add(key)
            self.add_token(1)
        read_words(counts, <WordSink *>&self.cells)
        with nogil:
            self.count_all()

    def merge_until(self, int64_t goal):
        """Go on until there are `goal` merges or no pair is left; return how many there are."""
        cdef int32_t best
        with nogil:
            while <int64_t>self.merged.size() < goal:
                best = self.pop_best()
                if best == NONE:
                    break
                self.merge(best)
        return self.merged.size()

    def finish(self):
        self.cells.forget()
        self.positions.forget()
        return as_bytes(self.merged)

    cdef int count_all(self) except -1 nogil:
        """Number the pairs of bytes, and list their positions in order."""
        cdef vector[int32_t] number
        cdef int32_t position, p, left, right, last = <int32_t>self.cells.size() - 1
        number.resize(1 << 16, NONE)
        # Room that is mostly enough: a vector that grows needs its old and its new memory at once,
        # while room that is never touched costs nothing.
        self.pairs.reserve((1 << 16) + last // 4)
        self.pair_counts.reserve((1 << 16) + last // 4)
        for position in range(1, last):
            left = self.cells[position].token
            right = self.cells[position + 1].token
            self.cells[position].pair = NONE
            if left != NONE and right != NONE:
                p = number[left << 8 | right]
                if p == NONE:
                    p = number[left << 8 | right] = self.new_pair(left, right)
                self.cells[position].pair = p
                self.pair_counts[p] += self.cells.count_at(position)
                self.pairs[p].end += 1
        self.positions.lay_out(self.pairs, 0)
        for position in range(1, last):
            if self.cells[position].pair != NONE:
                self.positions.append(self.pairs[self.cells[position].pair], position)
        return 0

    cdef int merge(self, int32_t best) except -1 nogil:
        cdef Pair pair = self.pairs[best]
        cdef int32_t left_length = self.length[pair.left]
        cdef int32_t right_length = self.length[pair.right]
        cdef int32_t new_id = 256 + <int32_t>self.merged.size()
        cdef int32_t first_born = <int32_t>self.pairs.size()
        cdef int32_t here, second, after, before, neighbour, p
        cdef int64_t count
        cdef uint32_t i
        self.merged.push_back(Merge(pair.left, pair.right))
        self.tie_keys.add_merged(pair.left, pair.right)
        self.add_token(left_length + right_length)
        self.births.clear()
        for i in range(pair.begin, pair.end):
            here = self.positions[i]
            if self.cells[here].pair != best:
                continue  # stale: an earlier merge took one of the two tokens
            count = self.cells.count_at(here)
            second = here + left_length
            after = second + right_length

            neighbour = self.cells[here - 1].token  # the last cell of the token before
            if neighbour != NONE:
                before = here - self.length[neighbour]
                self.pair_counts[self.cells[before].pair] -= count
                p = self.pair_with_left[neighbour]
                if p == NONE:
                    p = self.pair_with_left[neighbour] = self.new_pair(neighbour, new_id)
                self.move_to(p, before, count)

            p = self.cells[second].pair
            self.cells[here].pair = NONE
            if p != NONE:
                self.pair_counts[p] -= count
                neighbour = self.cells[after].token
                p = self.pair_with_right[neighbour]
                if p == NONE:
                    p = self.pair_with_right[neighbour] = self.new_pair(new_id, neighbour)
                self.move_to(p, here, count)

            self.cells[second].pair = NONE
            self.cells[here].token = new_id
            self.cells[after - 1].token = new_id
        self.pair_counts[best] = 0
        self.positions.give_back(pair.begin, pair.end)
        self.list_births(first_born)
        for p in range(first_born, <int32_t>self.pairs.size()):
            self.pair_with_left[self.pairs[p].left] = NONE
            self.pair_with_right[self.pairs[p].right] = NONE
            if self.pair_counts[p] >= self.threshold:
                self.push(p)
        return 0

    cdef inline int move_to(self, int32_t p, int32_t position, int64_t count) except -1 nogil:
        """The pair that starts at `position` is now p."""
        self.pair_counts[p] += count
        self.cells[position].pair = p
        self.births.push_back(Birth(p, position))
        return 0

    cdef int list_births(self, int32_t first_born) except -1 nogil:
        """Sort the births by pair, keeping their order, into the lists of the pairs born."""
        for birth in self.births:
            self.pairs[birth.pair].end += 1
        self.positions.lay_out(self.pairs, first_born)
        for birth in self.births:
            self.positions.append(self.pairs[birth.pair], birth.position)
        return 0

    cdef int32_t new_pair(self, int32_t left, int32_t right) except -1 nogil:
        self.pairs.push_back(Pair(left, right, 0, 0))
        self.pair_counts.push_back(0)
        return <int32_t>self.pairs.size() - 1

    cdef int add_token(self, int32_t length) except -1 nogil:
        self.length.push_back(length)
        self.pair_with_left.push_back(NONE)
        self.pair_with_right.push_back(NONE)
        return 0

    cdef int32_t pop_best(self) except -2 nogil:
        """The pair to merge next, or NONE. An entry that is out of date is corrected first."""
        cdef Entry[int32_t] top
        cdef int64_t count
        while not self.heap.empty() or self.refill():
            top = self.heap.top()
            count = self.pair_counts[top.pair]
            if top.count == count:
                self.heap.pop()
                return top.pair
            top.count = count
            if count >= self.threshold:
                self.heap.replace_top(top)
            else:
                self.heap.pop()  # until the threshold falls that low
        return NONE

    cdef int refill(self) except -1 nogil:
        """Lower the threshold to half the greatest count. A run does this at most 63 times."""
        cdef int64_t greatest = 0
        cdef int32_t p
        for p in range(<int32_t>self.pairs.size()):
            greatest = max(greatest, self.pair_counts[p])
        self.threshold = max(greatest - greatest // 2, <int64_t>1)
        for p in range(<int32_t>self.pairs.size()):
            if self.pair_counts[p] >= self.threshold:
                self.push(p)
        return greatest > 0

    cdef int push(self, int32_t p) except -1 nogil:
        cdef Entry[int32_t] entry
        entry.count = self.pair_counts[p]
        entry.pair = p
        entry.left = self.tie_keys.at(self.pairs[p].left)
        entry.right = self.tie_keys.at(self.pairs[p].right)
        self.heap.push(entry)
        return 0

    def state(self):
        """Everything, as Python objects, for tests that check whether it is consistent."""
        return {"cells": self.cells.cells, "large": self.cells.large, "pairs": self.pairs,
                "pair_counts": self.pair_counts, "positions": self.positions.items,
                "length": self.length, "threshold": self.threshold,
                "in_heap": [entry.pair for entry in self.heap.entries]}
