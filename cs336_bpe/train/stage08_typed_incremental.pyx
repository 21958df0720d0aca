# cython: language_level=3
# distutils: language = c++
"""Stage 08: the same algorithm on C integers and C++ containers, without the GIL.

Unlike stage 07, whose compiled code still works on Python objects, this one has none of them in
its loop: a token is a 32-bit integer, a pair is 64 bits, counts and index are `unordered_map`s, the
words are `vector`s, the heap is a `priority_queue`. The algorithm is stage 06's, step by step.

Cost of a merge: as stage 06, with an object's allocation and hashing replaced by a few
instructions. What is left is the hash tables: four look-ups for each place that changes, each
of them a walk to a far part of memory.
Memory: a node of about 40 bytes a pair in each table.
Expect: ten times or more.
Trap: a heap entry has to compare tokens by their bytes. It holds pointers to them, so they must
never move: they live in a `deque`, which grows without moving what is in it.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.deque cimport deque
from libcpp.queue cimport priority_queue
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from cs336_bpe.rules import BYTES, check_counts, check_size, check_tie_break
from cs336_bpe.rules import huggingface_byte_numbers
from cs336_bpe.common.progress import reporting

cdef extern from * nogil:
    """
    #include <cstdint>
    #include <string>

    // The greatest entry is the pair to merge next. A sort key is what ties are decided by.
    struct Entry {
        int64_t count;
        uint64_t pair;
        const std::string *left_key, *right_key;

        bool operator<(const Entry &other) const {
            if (count != other.count) return count < other.count;
            if (left_key != other.left_key) return *left_key < *other.left_key;
            return *right_key < *other.right_key;
        }
    };
    """
    cdef cppclass Entry:
        int64_t count
        uint64_t pair
        const string *left_key
        const string *right_key

MERGES_BETWEEN_REPORTS = 64


def learn_merges(counts, num_merges, *, tie_break="lexicographic", progress=None):
    """Learn up to `num_merges` merges from words and how often each occurs.

    >>> learn_merges({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 3)
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    num_merges = check_size("num_merges", num_merges)
    check_tie_break(tie_break)
    cdef Trainer trainer = Trainer(check_counts(counts), tie_break == "huggingface")
    cdef int64_t goal = 0
    with reporting(progress, "merge", num_merges) as report:
        while goal < num_merges:
            goal = min(num_merges, goal + MERGES_BETWEEN_REPORTS)
            with nogil:
                trainer.merge_until(goal)
            report(trainer.merges.size())
            if <int64_t>trainer.merges.size() < goal:
                break
    return trainer.result()


cdef class Trainer:
    cdef vector[vector[int32_t]] words
    cdef vector[int64_t] word_counts
    cdef unordered_map[uint64_t, int64_t] pair_counts
    cdef unordered_map[uint64_t, vector[int32_t]] words_of
    cdef priority_queue[Entry] heap
    cdef deque[string] sort_keys  # by token id
    cdef vector[uint64_t] merges
    cdef cbool by_number

    def __init__(self, list items, cbool by_number):
        cdef vector[int32_t] word
        cdef bytes text
        cdef unsigned char byte
        self.by_number = by_number
        for number, token in zip(huggingface_byte_numbers(), BYTES):
            self.sort_keys.push_back(number_key(number) if by_number else <string>token)
        for text, count in items:
            word.clear()
            for byte in text:
                word.push_back(byte)
            self.words.push_back(word)
            self.word_counts.push_back(count)
        with nogil:
            self.count_all()

    cdef int count_all(self) except -1 nogil:
        cdef size_t index, i
        cdef uint64_t pair
        for index in range(self.words.size()):
            for i in range(1, self.words[index].size()):
                pair = pair_of(self.words[index][i - 1], self.words[index][i])
                self.pair_counts[pair] += self.word_counts[index]
                self.remember(pair, <int32_t>index)
        for item in self.pair_counts:
            self.push(item.first, item.second)
        return 0

    cdef int merge_until(self, int64_t goal) except -1 nogil:
        """Go on until there are `goal` merges in all, or no pair is left."""
        cdef Entry top
        while <int64_t>self.merges.size() < goal and not self.heap.empty():
            top = self.heap.top()
            self.heap.pop()
            found = self.pair_counts.find(top.pair)
            if found != self.pair_counts.end() and self.pair_counts[top.pair] == top.count:
                self.merge(top.pair)
        return 0

    cdef int merge(self, uint64_t best) except -1 nogil:
        cdef int32_t left = left_of(best)
        cdef int32_t right = right_of(best)
        cdef int32_t new_id = <int32_t>self.sort_keys.size()
        cdef vector[int32_t] places
        cdef unordered_map[uint64_t, int64_t] changes
        cdef uint64_t pair
        cdef int64_t count
        cdef int32_t index
        if self.by_number:
            self.sort_keys.push_back(number_key(new_id))
        else:
            self.sort_keys.push_back(self.sort_keys[left] + self.sort_keys[right])
        self.merges.push_back(best)
        places.swap(self.words_of[best])
        for index in places:
            self.merge_in_place(index, left, right, new_id, changes)
        self.words_of.erase(best)
        self.pair_counts.erase(best)
        changes.erase(best)  # `aaa` lowers the count of the very pair being merged
        for change in changes:
            if change.second != 0:
                pair = change.first
                count = self.pair_counts[pair] + change.second
                if count != 0:
                    self.pair_counts[pair] = count
                    self.push(pair, count)
                else:
                    self.pair_counts.erase(pair)
                    self.words_of.erase(pair)
        return 0

    cdef int merge_in_place(self, int32_t index, int32_t left, int32_t right, int32_t new_id,
                            unordered_map[uint64_t, int64_t] &changes) except -1 nogil:
        cdef int64_t n = self.word_counts[index]
        cdef size_t size = self.words[index].size()
        cdef size_t i = 0, end = 0  # read here, write there
        cdef int32_t token
        while i < size:
            token = self.words[index][i]
            if token == left and i + 1 < size and self.words[index][i + 1] == right:
                token = new_id
                if end > 0:
                    changes[pair_of(self.words[index][end - 1], left)] -= n
                    changes[pair_of(self.words[index][end - 1], new_id)] += n
                    self.remember(pair_of(self.words[index][end - 1], new_id), index)
                if i + 2 < size:
                    changes[pair_of(right, self.words[index][i + 2])] -= n
                    changes[pair_of(new_id, self.words[index][i + 2])] += n
                    self.remember(pair_of(new_id, self.words[index][i + 2]), index)
                i += 1
            self.words[index][end] = token
            i += 1
            end += 1
        self.words[index].resize(end)
        return 0

    cdef int remember(self, uint64_t pair, int32_t index) except -1 nogil:
        """Note that the word has the pair. A pair's words come in order, so once is enough."""
        cdef vector[int32_t] *places = &self.words_of[pair]
        if places.empty() or places.back() != index:
            places.push_back(index)
        return 0

    cdef int push(self, uint64_t pair, int64_t count) except -1 nogil:
        cdef Entry entry
        entry.count = count
        entry.pair = pair
        entry.left_key = &self.sort_keys[left_of(pair)]
        entry.right_key = &self.sort_keys[right_of(pair)]
        self.heap.push(entry)
        return 0

    def result(self):
        tokens = list(BYTES)
        merges = []
        cdef uint64_t pair
        for pair in self.merges:
            left, right = tokens[left_of(pair)], tokens[right_of(pair)]
            merges.append((left, right))
            tokens.append(left + right)
        return merges


cdef inline uint64_t pair_of(int32_t left, int32_t right) noexcept nogil:
    return <uint64_t>left << 32 | <uint64_t>right


cdef inline int32_t left_of(uint64_t pair) noexcept nogil:
    return <int32_t>(pair >> 32)


cdef inline int32_t right_of(uint64_t pair) noexcept nogil:
    return <int32_t>pair


cdef string number_key(int32_t number) except * nogil:
    """Four bytes that sort the other way round than the number."""
    cdef string key
    cdef int shift
    for shift in range(24, -8, -8):
        key.push_back(<char>((~number >> shift) & 0xFF))
    return key
