# cython: language_level=3
# distutils: language = c++
"""Stage 10: all words in one array, and the index has positions instead of words.

Unlike stage 09, where each word is a `vector` that is searched for the pair and rewritten, this one
has all words in one array of cells, one cell per byte, with an empty cell between words. A token
has its id in its first and its last cell, and its length is known from its id. So a merge goes
straight to its place, finds both neighbours by arithmetic, and writes two cells.

Cost of a merge: a walk along each of the pair's words -> a few cells at each of its places. The
six look-ups in hash tables per place stay.
Memory: 8 bytes per cell, and no vector per word; the index has an entry per place.
Expect: something, but the hash tables stay, and they take most of the time.
Trap: cells inside a token keep what they had before. So a position that is out of date can still
show the left token's id there. Look at its last cell too: a merge writes one of the two.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from cs336_bpe.train.containers cimport PairTable, Queue
from cs336_bpe.train.steps cimport Merge, as_bytes
from cs336_bpe.train.ties cimport Entry, TieKeys
from cs336_bpe.train.words cimport FlatWords, WordSink, read_words

from cs336_bpe.rules import check_size
from cs336_bpe.train.steps import byte_tie_keys, merge_in_steps

cdef enum:
    NONE = -1  # no token here


def learn_merges(counts, num_merges, *, tie_break="lexicographic", progress=None):
    """Learn up to `num_merges` merges from words and how often each occurs.

    >>> learn_merges({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 3)
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    num_merges = check_size("num_merges", num_merges)
    return merge_in_steps(Trainer(counts, tie_break), num_merges, progress)


cdef struct Cell:
    int32_t token   # in the first and last cell of a token; NONE between words
    uint32_t count  # of the word, see words.h


cdef class Trainer:
    # All storage is owned by containers, which free it when the trainer goes.
    cdef FlatWords[Cell] cells
    cdef PairTable[int64_t] pair_counts
    cdef PairTable[vector[int32_t]] places_of  # positions, some of them stale
    cdef Queue[Entry[uint64_t]] heap
    cdef TieKeys tie_keys           # by token id
    cdef vector[int32_t] length     # by token id, in cells
    cdef vector[Merge] merged

    def __cinit__(self, counts, tie_break):
        self.tie_keys.by_number = tie_break == "huggingface"
        for key in byte_tie_keys(tie_break):
            self.tie_keys.add(key)
            self.length.push_back(1)
        read_words(counts, <WordSink *>&self.cells)
        with nogil:
            self.count_all()

    def merge_until(self, int64_t goal):
        """Go on until there are `goal` merges or no pair is left; return how many there are."""
        cdef Entry[uint64_t] top
        with nogil:
            while <int64_t>self.merged.size() < goal and not self.heap.empty():
                top = self.heap.top()
                self.heap.pop()
                if (self.pair_counts.count(top.pair)
                        and self.pair_counts.of(top.pair)[0] == top.count):
                    self.merge(top.pair)
        return self.merged.size()

    def finish(self):
        self.cells.forget()
        return as_bytes(self.merged)

    cdef int count_all(self) except -1 nogil:
        cdef int32_t position, last = <int32_t>self.cells.size() - 1
        cdef uint64_t pair
        for position in range(1, last):
            if self.cells[position].token != NONE and self.cells[position + 1].token != NONE:
                pair = pair_of(self.cells[position].token, self.cells[position + 1].token)
                self.pair_counts.of(pair)[0] += self.cells.count_at(position)
                self.places_of.of(pair).push_back(position)
        for item in self.pair_counts:
            self.push(item.first, item.second)
        return 0

    cdef int merge(self, uint64_t best) except -1 nogil:
        cdef int32_t left = left_of(best)
        cdef int32_t right = right_of(best)
        cdef int32_t new_id = 256 + <int32_t>self.merged.size()
        cdef vector[int32_t] places
        cdef PairTable[int64_t] changes
        cdef uint64_t pair
        cdef int64_t count
        cdef int32_t position
        self.merged.push_back(Merge(left, right))
        self.tie_keys.add_merged(left, right)
        self.length.push_back(self.length[left] + self.length[right])
        places.swap(self.places_of.of(best)[0])
        for position in places:
            self.merge_at(position, left, right, new_id, changes)
        self.places_of.erase(best)
        self.pair_counts.erase(best)
        changes.erase(best)  # `aaa` lowers the count of the very pair being merged
        for change in changes:
            if change.second != 0:
                pair = change.first
                count = self.pair_counts.of(pair)[0] + change.second
                if count != 0:
                    self.pair_counts.of(pair)[0] = count
                    self.push(pair, count)
                else:
                    self.pair_counts.erase(pair)
                    self.places_of.erase(pair)
        return 0

    cdef int merge_at(self, int32_t here, int32_t left, int32_t right, int32_t new_id,
                      PairTable[int64_t] &changes) except -1 nogil:
        cdef int32_t second = here + self.length[left]
        cdef int32_t after = second + self.length[right]
        cdef int32_t neighbour
        cdef int64_t n
        if (self.cells[here].token != left or self.cells[second - 1].token != left
                or self.cells[second].token != right):
            return 0  # stale: an earlier merge took one of the two tokens
        n = self.cells.count_at(here)
        neighbour = self.cells[here - 1].token  # the last cell of the token before
        if neighbour != NONE:
            changes.of(pair_of(neighbour, left))[0] -= n
            changes.of(pair_of(neighbour, new_id))[0] += n
            self.places_of.of(pair_of(neighbour, new_id)).push_back(here - self.length[neighbour])
        neighbour = self.cells[after].token
        if neighbour != NONE:
            changes.of(pair_of(right, neighbour))[0] -= n
            changes.of(pair_of(new_id, neighbour))[0] += n
            self.places_of.of(pair_of(new_id, neighbour)).push_back(here)
        self.cells[here].token = new_id
        self.cells[after - 1].token = new_id
        return 0

    cdef int push(self, uint64_t pair, int64_t count) except -1 nogil:
        cdef Entry[uint64_t] entry
        entry.count = count
        entry.pair = pair
        entry.left = self.tie_keys.at(left_of(pair))
        entry.right = self.tie_keys.at(right_of(pair))
        self.heap.push(entry)
        return 0


cdef inline uint64_t pair_of(int32_t left, int32_t right) noexcept nogil:
    return <uint64_t>left << 32 | <uint64_t>right


cdef inline int32_t left_of(uint64_t pair) noexcept nogil:
    return <int32_t>(pair >> 32)


cdef inline int32_t right_of(uint64_t pair) noexcept nogil:
    return <int32_t>pair
