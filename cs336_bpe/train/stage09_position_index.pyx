# cython: language_level=3
# distutils: language = c++
"""Stage 09: no hash table in the loop. Every pair is found by its position.

Unlike stage 08, which looks up four pairs in hash tables for each place that changes, this one
never looks a pair up. All words lie in one array of cells, one cell a byte, with an empty cell
between words. A token has its id in its first and its last cell, and its length is known from
its id, so both neighbours of a token are found by arithmetic. A token's first cell also has the
*number of the pair* that starts there. So a merge `(a, b) -> c` at `x a b y` reads the numbers of
`(x, a)` and `(b, y)` from the cells, and lowers two counts in an array. The pairs that it makes,
`(x, c)` and `(c, y)`, are all new, because `c` is: two small arrays by neighbour say which number
each has.

Cost of a merge: proportional to the pair's list of positions, some tens of instructions each.
Memory: 12 bytes a cell, 4 a listed position, 24 a pair; see MAX_CELLS for the limit.
Expect: several times stage 08; what is left is waiting for memory.
Trap: all positions of a pair are found during the merge that makes its younger token, never
later. So its list is complete at birth and its count can only fall; the heap relies on it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.algorithm cimport lower_bound
from libcpp.queue cimport priority_queue
from libcpp.string cimport string
from libcpp.utility cimport pair as cpair
from libcpp.vector cimport vector

from collections.abc import Mapping

from cs336_bpe.rules import BYTES, MAX_TOTAL, check_count, check_counts, check_size
from cs336_bpe.rules import check_tie_break, check_total, huggingface_byte_numbers
from cs336_bpe.common.progress import reporting

cdef extern from * nogil:
    """
    #if defined(__GNUC__)
    #define PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PREFETCH(address) ((void)(address))
    #endif
    """
    void PREFETCH(const void *address)

cdef enum:
    NONE = -1           # no token here, no pair here
    LOOK_AHEAD = 12     # positions between asking for a cell and using it
MERGES_BETWEEN_REPORTS = 256
# A merge uses up a cell and makes at most two pairs and two positions. So with at most this many
# cells, pair numbers stay below 2^31 and places in `positions` below 2^32.
MAX_CELLS = 2**30 - 2**16
cdef uint32_t WIDE = 0xFFFFFFFF  # a cell's count when the word's does not fit into 32 bits


def learn_merges(counts, num_merges, *, tie_break="lexicographic", progress=None):
    """Learn up to `num_merges` merges from words and how often each occurs.

    >>> learn_merges({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 3)
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    num_merges = check_size("num_merges", num_merges)
    check_tie_break(tie_break)
    cdef Trainer trainer = Trainer(counts, tie_break)
    goal = 0
    with reporting(progress, "merge", num_merges) as report:
        while goal < num_merges:
            goal = min(num_merges, goal + MERGES_BETWEEN_REPORTS)
            done = trainer.merge_until(goal)
            PyErr_CheckSignals()
            report(done)
            if done < goal:
                break
    trainer.forget_words()
    return trainer.merges()


cdef struct Cell:
    int32_t token   # in the first and last cell of a token; NONE between words
    int32_t pair    # in the first cell of a token: the pair of it and the next one, or NONE
    uint32_t count  # how often the word occurs, or WIDE

cdef struct Pair:
    int32_t left, right
    uint32_t begin, end  # its list: positions[begin:end], some of them stale

cdef struct Birth:
    int32_t pair, position

cdef struct Entry:
    int64_t count
    int32_t pair


cdef class Trainer:
    # All storage is owned by vectors, which free it when the trainer goes.
    cdef vector[Cell] cells
    cdef Py_ssize_t num_cells                   # while words are read
    cdef int64_t total                          # bytes of text that they stand for
    cdef vector[cpair[int32_t, int64_t]] wide   # first cell and count of words that are WIDE
    cdef vector[Pair] pairs
    cdef vector[int64_t] pair_counts
    cdef vector[int32_t] positions              # the lists of all pairs
    cdef priority_queue[cpair[uint32_t, uint32_t]] unused  # (size, begin) of lists used up
    cdef vector[int32_t] merged                 # the pairs that were merged, in order
    # by token id:
    cdef vector[string] text
    cdef vector[int32_t] length                 # of its text
    cdef vector[uint64_t] sort_key              # decides most ties without looking at the text
    cdef vector[int32_t] pair_with_left, pair_with_right  # born in the merge under way
    cdef vector[Birth] births
    # the heap: every pair whose count is at least `threshold`, some with an old count
    cdef vector[Entry] heap
    cdef int64_t threshold
    cdef cbool by_number

    def __init__(self, counts, tie_break):
        self.by_number = tie_break == "huggingface"
        for number, token in zip(huggingface_byte_numbers(), BYTES):
            self.add_token(token, number)
        self.read(counts)
        with nogil:
            self.index_bytes()

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

    def merges(self):
        tokens = list(BYTES)
        merges = []
        for number in self.merged:
            left, right = tokens[self.pairs[number].left], tokens[self.pairs[number].right]
            merges.append((left, right))
            tokens.append(left + right)
        return merges

    cdef int forget_words(self) except -1:
        """Free what only merging needs, so that the result does not add to the peak."""
        cdef vector[Cell] no_cells
        cdef vector[int32_t] no_positions
        self.cells.swap(no_cells)
        self.positions.swap(no_positions)
        return 0

    # --- from counts to cells --------------------------------------------------------------

    cdef int read(self, counts) except -1:
        if not isinstance(counts, Mapping):
            check_counts(counts)  # raises
        columns = getattr(counts, "columns", None)
        if columns is not None:
            self.make_room(len(columns.text) + len(columns.lengths))
            self.read_columns(columns.text, columns.lengths, columns.counts)
        else:
            self.make_room(sum([len(word) + 1 for word in counts if isinstance(word, bytes)]))
            for word, number in counts.items():
                if (type(word) is not bytes or type(number) is not int
                        or not 0 <= number <= MAX_TOTAL):
                    check_count(word, number)  # raises, or the type is a harmless one
                self.add_word(<const uint8_t *>PyBytes_AS_STRING(word), PyBytes_GET_SIZE(word),
                              number)
        self.cells.resize(self.num_cells)
        return 0

    cdef int read_columns(self, const uint8_t[::1] text, const uint64_t[::1] lengths,
                          const uint64_t[::1] counts) except -1:
        """The same from arrays, as a compiled stage of pretokenization leaves them."""
        cdef Py_ssize_t i, at = 0
        cdef const uint8_t *start = &text[0] if text.shape[0] else NULL
        for i in range(lengths.shape[0]):
            if lengths[i] > <uint64_t>(text.shape[0] - at) or counts[i] > <uint64_t>MAX_TOTAL:
                raise ValueError(f"the columns of counts are wrong at entry {i}")
            self.add_word(start + at, lengths[i], counts[i])
            at += lengths[i]
        return 0

    cdef int make_room(self, Py_ssize_t num_cells) except -1:
        if num_cells + 1 > MAX_CELLS:
            raise ValueError(f"counts has {num_cells + 1} bytes of distinct pretokens, more than "
                             f"the {MAX_CELLS} that stage09 can number; use stage08 or drop rare "
                             f"ones")
        self.cells.resize(num_cells + 1)
        self.cells[0] = Cell(NONE, NONE, 0)
        self.num_cells = 1
        return 0

    cdef int add_word(self, const uint8_t *text, Py_ssize_t size, int64_t count) except -1:
        cdef Py_ssize_t i, at = self.num_cells
        cdef Cell cell
        if size > 0 and count > (<int64_t>MAX_TOTAL - self.total) // size:
            check_total(self.total + <object>count * size)
        self.total += count * size
        if size < 2 or count == 0:
            return 0
        if at + size >= <Py_ssize_t>self.cells.size():
            raise RuntimeError("counts changed while it was read")
        if count >= WIDE:
            self.wide.push_back(cpair[int32_t, int64_t](<int32_t>at, count))
        cell.pair = NONE
        cell.count = <uint32_t>min(count, <int64_t>WIDE)
        for i in range(size):
            cell.token = text[i]
            self.cells[at + i] = cell
        self.cells[at + size] = Cell(NONE, NONE, 0)
        self.num_cells = at + size + 1
        return 0

    cdef int64_t count_at(self, int32_t position) noexcept nogil:
        cdef uint32_t count = self.cells[position].count
        if count != WIDE:
            return count
        after = lower_bound(self.wide.begin(), self.wide.end(),
                            cpair[int32_t, int64_t](position + 1, 0))
        return self.wide[(after - self.wide.begin()) - 1].second

    cdef int index_bytes(self) except -1 nogil:
        """Number the pairs of bytes, and list their positions in order."""
        cdef vector[int32_t] number
        cdef int32_t position, last = <int32_t>self.cells.size() - 1
        cdef int32_t left, right, p
        number.resize(1 << 16, NONE)
        # Room that is mostly enough: a vector that grows needs its old and its new memory at once,
        # while room that is never touched costs nothing.
        self.pairs.reserve((1 << 16) + last // 4)
        self.pair_counts.reserve((1 << 16) + last // 4)
        for position in range(1, last):
            left = self.cells[position].token
            right = self.cells[position + 1].token
            self.cells[position].pair = NONE
            if left == NONE or right == NONE:
                continue
            p = number[left << 8 | right]
            if p == NONE:
                p = number[left << 8 | right] = self.new_pair(left, right)
            self.cells[position].pair = p
            self.pair_counts[p] += self.count_at(position)
            self.pairs[p].end += 1
        cdef uint32_t at = 0
        for p in range(<int32_t>self.pairs.size()):
            self.pairs[p].begin = at
            at += self.pairs[p].end
            self.pairs[p].end = self.pairs[p].begin
        self.positions.reserve(at + at // 2)
        self.positions.resize(at)
        for position in range(1, last):
            p = self.cells[position].pair
            if p != NONE:
                self.positions[self.pairs[p].end] = position
                self.pairs[p].end += 1
        return 0

    # --- one merge -------------------------------------------------------------------------

    cdef int merge(self, int32_t best) except -1 nogil:
        cdef Pair pair = self.pairs[best]
        cdef int32_t left_length = self.length[pair.left]
        cdef int32_t right_length = self.length[pair.right]
        cdef int32_t new_id = self.add_token(
            self.text[pair.left] + self.text[pair.right], self.text.size())
        cdef int32_t first_born = <int32_t>self.pairs.size()
        cdef int32_t here, second, after, before, neighbour, p
        cdef int64_t count, taken = 0
        cdef uint32_t i
        self.births.clear()
        for i in range(pair.begin, min(pair.end, pair.begin + LOOK_AHEAD)):
            PREFETCH(&self.cells[self.positions[i]])
        for i in range(pair.begin, pair.end):
            if i + LOOK_AHEAD < pair.end:
                PREFETCH(&self.cells[self.positions[i + LOOK_AHEAD]])
            here = self.positions[i]
            if self.cells[here].pair != best:
                continue  # stale: an earlier merge took one of the two tokens
            count = self.count_at(here)
            taken += count
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
            if p != NONE:
                self.pair_counts[p] -= count
                neighbour = self.cells[after].token
                p = self.pair_with_right[neighbour]
                if p == NONE:
                    p = self.pair_with_right[neighbour] = self.new_pair(new_id, neighbour)
                self.move_to(p, here, count)
            else:
                self.cells[here].pair = NONE

            self.cells[second].pair = NONE
            self.cells[here].token = new_id
            self.cells[after - 1].token = new_id
        assert self.pair_counts[best] == taken
        self.pair_counts[best] = 0
        self.merged.push_back(best)
        self.unused.push(cpair[uint32_t, uint32_t](pair.end - pair.begin, pair.begin))
        self.list_births(first_born)
        for p in range(first_born, <int32_t>self.pairs.size()):
            self.pair_with_left[self.pairs[p].left] = NONE
            self.pair_with_right[self.pairs[p].right] = NONE
            if self.pair_counts[p] >= self.threshold:
                self.push(p)
        return 0

    cdef inline int move_to(self, int32_t p, int32_t position, int64_t count) except -1 nogil:
        """The pair that starts at `position` is now p."""
        cdef Birth birth
        self.pair_counts[p] += count
        self.cells[position].pair = p
        birth.pair = p
        birth.position = position
        self.births.push_back(birth)
        return 0

    cdef int list_births(self, int32_t first_born) except -1 nogil:
        """Sort the births by pair, keeping their order, into the lists of the pairs born."""
        cdef uint32_t size = <uint32_t>self.births.size(), at
        cdef cpair[uint32_t, uint32_t] free
        cdef Pair *pair
        cdef size_t i
        # The lists of pairs merged long ago are long, and new ones are short: most fit in there.
        if not self.unused.empty() and self.unused.top().first >= size:
            free = self.unused.top()
            self.unused.pop()
            at = free.second
            self.unused.push(cpair[uint32_t, uint32_t](free.first - size, at + size))
        else:
            at = <uint32_t>self.positions.size()
            self.positions.resize(at + size)
        for i in range(size):
            self.pairs[self.births[i].pair].end += 1
        for i in range(first_born, self.pairs.size()):
            pair = &self.pairs[i]
            pair.begin = at
            at += pair.end
            pair.end = pair.begin
        for i in range(size):
            pair = &self.pairs[self.births[i].pair]
            self.positions[pair.end] = self.births[i].position
            pair.end += 1
        return 0

    cdef int32_t new_pair(self, int32_t left, int32_t right) except -1 nogil:
        self.pairs.push_back(Pair(left, right, 0, 0))
        self.pair_counts.push_back(0)
        return <int32_t>self.pairs.size() - 1

    # --- tokens ----------------------------------------------------------------------------

    cdef int32_t add_token(self, const string &text, uint64_t number) except -1 nogil:
        cdef uint64_t key = 0
        cdef size_t i
        for i in range(8):
            key = key << 8 | (<uint8_t>text[i] if i < text.size() else 0)
        self.sort_key.push_back(~number if self.by_number else key)  # smallest number, or text
        self.text.push_back(text)
        self.length.push_back(<int32_t>text.size())
        self.pair_with_left.push_back(NONE)
        self.pair_with_right.push_back(NONE)
        return <int32_t>self.text.size() - 1

    # --- the best pair ---------------------------------------------------------------------

    cdef int32_t pop_best(self) except -2 nogil:
        """The pair to merge next, or NONE. An entry that is out of date is corrected first."""
        cdef int32_t p
        while not self.heap.empty() or self.refill():
            p = self.heap[0].pair
            if self.heap[0].count == self.pair_counts[p]:
                self.drop_top()
                return p
            self.heap[0].count = self.pair_counts[p]
            if self.heap[0].count >= self.threshold:
                self.sift_down(0)
            else:
                self.drop_top()  # until the threshold falls that low
        return NONE

    cdef int refill(self) except -1 nogil:
        """Lower the threshold to half the greatest count. A run does this at most 63 times."""
        cdef int64_t greatest = 0
        cdef size_t i
        for i in range(self.pair_counts.size()):
            greatest = max(greatest, self.pair_counts[i])
        self.threshold = greatest - greatest // 2
        if greatest > 0:
            for i in range(self.pair_counts.size()):
                if self.pair_counts[i] >= self.threshold:
                    self.heap.push_back(Entry(self.pair_counts[i], <int32_t>i))
            for i in range(self.heap.size() // 2, 0, -1):
                self.sift_down(i - 1)
        return greatest > 0

    cdef cbool is_before(self, Entry one, Entry other) noexcept nogil:
        cdef int32_t a, b
        if one.count != other.count:
            return one.count > other.count
        a = self.pairs[one.pair].left
        b = self.pairs[other.pair].left
        if a == b:
            a = self.pairs[one.pair].right
            b = self.pairs[other.pair].right
        if self.sort_key[a] != self.sort_key[b]:
            return self.sort_key[a] > self.sort_key[b]
        return self.text[a].compare(self.text[b]) > 0

    cdef int push(self, int32_t p) except -1 nogil:
        cdef Entry entry = Entry(self.pair_counts[p], p)
        cdef size_t at = self.heap.size(), parent
        self.heap.push_back(entry)
        while at > 0:
            parent = (at - 1) // 2
            if not self.is_before(entry, self.heap[parent]):
                break
            self.heap[at] = self.heap[parent]
            at = parent
        self.heap[at] = entry
        return 0

    cdef void drop_top(self) noexcept nogil:
        self.heap[0] = self.heap.back()
        self.heap.pop_back()
        if not self.heap.empty():
            self.sift_down(0)

    cdef void sift_down(self, size_t at) noexcept nogil:
        cdef Entry entry = self.heap[at]
        cdef size_t child = 2 * at + 1
        while child < self.heap.size():
            if child + 1 < self.heap.size() and self.is_before(self.heap[child + 1],
                                                               self.heap[child]):
                child += 1
            if not self.is_before(self.heap[child], entry):
                break
            self.heap[at] = self.heap[child]
            at = child
            child = 2 * at + 1
        self.heap[at] = entry

    def state(self):
        """Everything, as Python objects, for tests that check whether it is consistent."""
        return {"cells": self.cells, "pairs": self.pairs, "pair_counts": self.pair_counts,
                "positions": self.positions, "length": self.length, "heap": self.heap,
                "threshold": self.threshold, "wide": self.wide}
