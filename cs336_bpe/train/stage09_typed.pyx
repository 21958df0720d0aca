# cython: language_level=3
# distutils: language = c++
"""Stage 09: the same algorithm on C integers and C++ containers, without the GIL.

Unlike stage 08, whose compiled code still works on Python objects, this one has none of them in
its loop: a token is a 32-bit integer, a pair is 64 bits, counts and index are `unordered_map`s, the
words are `vector`s, the heap is a `priority_queue`. The algorithm is stage 07's, step by step.

Cost of a merge: as stage 07, with an object's allocation and hashing replaced by a few
instructions. What is left is the hash tables: six look-ups for each place that changes, four of
counts and two of the index, each of them a walk to a far part of memory.
Memory: a node of about 40 bytes per pair in each table.
Expect: ten times or more.
Trap: a heap entry has to compare tokens by their tie keys. It holds pointers to them, so they must
never move: they live in a `deque`, which grows without moving what is in it.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from cs336_bpe.train.containers cimport PairTable, Queue
from cs336_bpe.train.steps cimport Merge, as_bytes
from cs336_bpe.train.ties cimport Entry, TieKeys

from cs336_bpe.rules import check_counts, check_size
from cs336_bpe.train.steps import byte_tie_keys, merge_in_steps


def learn_merges(counts, num_merges, *, tie_break="lexicographic", progress=None):
    """Learn up to `num_merges` merges from words and how often each occurs.

    >>> learn_merges({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 3)
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    num_merges = check_size("num_merges", num_merges)
    return merge_in_steps(Trainer(counts, tie_break), num_merges, progress)


cdef class Trainer:
    # All storage is owned by containers, which free it when the trainer goes.
    cdef vector[vector[int32_t]] words
    cdef vector[int64_t] word_counts
    cdef PairTable[int64_t] pair_counts
    cdef PairTable[vector[int32_t]] words_of
    cdef Queue[Entry[uint64_t]] heap
    cdef TieKeys tie_keys  # by token id
    cdef vector[Merge] merged

    def __cinit__(self, counts, tie_break):
        cdef vector[int32_t] word
        cdef unsigned char byte
        self.tie_keys.by_number = tie_break == "huggingface"
        for key in byte_tie_keys(tie_break):
            self.tie_keys.add(key)
        for text, count in check_counts(counts):
            word.clear()
            for byte in <bytes>text:
                word.push_back(byte)
            self.words.push_back(word)
            self.word_counts.push_back(count)
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
        self.words.clear()
        return as_bytes(self.merged)

    cdef int count_all(self) except -1 nogil:
        cdef size_t index, i
        cdef uint64_t pair
        for index in range(self.words.size()):
            for i in range(1, self.words[index].size()):
                pair = pair_of(self.words[index][i - 1], self.words[index][i])
                self.pair_counts.of(pair)[0] += self.word_counts[index]
                self.remember(pair, <int32_t>index)
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
        cdef int32_t index
        self.merged.push_back(Merge(left, right))
        self.tie_keys.add_merged(left, right)
        places.swap(self.words_of.of(best)[0])
        for index in places:
            self.merge_in_place(index, left, right, new_id, changes)
        self.words_of.erase(best)
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
                    self.words_of.erase(pair)
        return 0

    cdef int merge_in_place(self, int32_t index, int32_t left, int32_t right, int32_t new_id,
                            PairTable[int64_t] &changes) except -1 nogil:
        cdef int64_t n = self.word_counts[index]
        cdef size_t size = self.words[index].size()
        cdef size_t i = 0, end = 0  # read here, write there
        cdef int32_t token
        while i < size:
            token = self.words[index][i]
            if token == left and i + 1 < size and self.words[index][i + 1] == right:
                token = new_id
                if end > 0:
                    changes.of(pair_of(self.words[index][end - 1], left))[0] -= n
                    changes.of(pair_of(self.words[index][end - 1], new_id))[0] += n
                    self.remember(pair_of(self.words[index][end - 1], new_id), index)
                if i + 2 < size:
                    changes.of(pair_of(right, self.words[index][i + 2]))[0] -= n
                    changes.of(pair_of(new_id, self.words[index][i + 2]))[0] += n
                    self.remember(pair_of(new_id, self.words[index][i + 2]), index)
                i += 1
            self.words[index][end] = token
            i += 1
            end += 1
        self.words[index].resize(end)
        return 0

    cdef int remember(self, uint64_t pair, int32_t index) except -1 nogil:
        """Note that the word has the pair. A pair's words come in order, so once is enough."""
        cdef vector[int32_t] *places = self.words_of.of(pair)
        if places.empty() or places.back() != index:
            places.push_back(index)
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
