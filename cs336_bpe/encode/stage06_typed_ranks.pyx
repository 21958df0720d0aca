# cython: language_level=3
# distutils: language = c++
"""Stage 06: the merge-rank encoder on C integers, with a scan instead of a heap for short words.

Unlike stage 05, which avoids work by remembering results, this one makes the work itself cheap; it
remembers nothing. A pair of ids is one 64-bit integer, and a table of our own says which merge it
is: its rank in the upper half of another integer, the id that it makes in the lower, so that the
smaller number is the earlier merge. A word of a few bytes has so few pairs that looking at all of
them for the smallest is quicker than keeping a heap. A long pretoken goes through a heap as before.

Cost of a pretoken of n bytes: n look-ups and two for each merge; O(n^2) steps of one or two
instructions each below `heap_from` bytes, O(n log n) above, so no input is quadratic.
Memory: 32 to 64 bytes a merge; while a pretoken is encoded 12 bytes a byte of it, or 44 if it is
long.
Expect: words that stage 05 has not seen go twenty or thirty times as fast. Those that it has seen
it answers with one look-up, which is about as quick as this is.
Trap: rank and id are two things. Taking the id for the rank works where a vocabulary has its ids in
the order of its merges, which is nearly everywhere. Nothing says that it must.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memmove

from cs336_bpe.rules import BYTES, check_pretoken, check_size
from cs336_bpe.rules import check_vocab

cdef extern from * nogil:
    """
    #include <algorithm>
    #include <cstdint>

    // A place where a merge is possible. The standard library's heaps have the greatest on top, so
    // what should come first is the greatest: the smallest merge, and of equal ones the leftmost.
    struct Candidate {
        uint64_t merge;
        uint32_t place;

        bool operator<(const Candidate &other) const {
            return merge != other.merge ? merge > other.merge : place > other.place;
        }
    };
    """
    cdef cppclass Candidate:
        uint64_t merge
        uint32_t place
    void make_heap "std::make_heap"(Candidate *begin, Candidate *end)
    void push_heap "std::push_heap"(Candidate *begin, Candidate *end)
    void pop_heap "std::pop_heap"(Candidate *begin, Candidate *end)

HEAP_FROM = 128

cdef enum:
    # Places are 32-bit integers with a sign, and the place after the last is one of them.
    MAX_BYTES = 0x7FFFFFFE
cdef uint64_t NO_MERGE = 0xFFFFFFFFFFFFFFFF  # as a merge: none; as a pair: an empty slot
cdef uint32_t NO_TOKEN = 0xFFFFFFFF          # greater than any id (MAX_ID in vocabulary.py)

cdef struct Slot:
    uint64_t pair   # left id << 32 | right id
    uint64_t merge  # rank << 32 | id of the token that it makes


cdef class Encoder:
    """Encodes one pretoken after the other.

    Pretokens of at least `heap_from` bytes go through a heap, shorter ones are scanned. Results do
    not depend on it.

    >>> vocab = dict(enumerate([*BYTES, b"lo", b"low"]))
    >>> encoder = Encoder(vocab, [(b"l", b"o"), (b"lo", b"w")])
    >>> encoder.encode_pretoken(b"lowlo")
    [257, 256]
    """

    cdef uint32_t byte_ids[256]
    cdef Slot *slots       # owned; a power of two of them, at most half of them in use
    cdef uint64_t mask     # their number less one
    cdef Py_ssize_t heap_from

    def __cinit__(self, vocab, merges, *, heap_from=HEAP_FROM):
        cdef uint64_t size = 256, i
        ids = check_vocab(vocab, merges)
        self.heap_from = min(check_size("heap_from", heap_from), MAX_BYTES)
        while size < 2 * <uint64_t>len(merges):
            size *= 2
        self.slots = <Slot *>PyMem_Malloc(size * sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError(f"no memory for a table of {len(merges)} merges")
        self.mask = size - 1
        for i in range(size):
            self.slots[i].pair = self.slots[i].merge = NO_MERGE
        for byte, token in enumerate(BYTES):
            self.byte_ids[byte] = ids[token]
        for rank, (left, right) in enumerate(merges):
            self.add_merge(ids[left], ids[right], rank, ids[left + right])

    def __dealloc__(self):
        PyMem_Free(self.slots)

    cdef void add_merge(self, uint32_t left, uint32_t right, uint64_t rank, uint32_t made):
        cdef uint64_t pair = <uint64_t>left << 32 | right
        cdef uint64_t i = hash_of(pair) & self.mask
        while self.slots[i].pair != NO_MERGE:
            i = (i + 1) & self.mask
        self.slots[i].pair = pair
        self.slots[i].merge = rank << 32 | made

    def encode_pretoken(self, pretoken):
        """The ids of the tokens of a pretoken."""
        if not isinstance(pretoken, bytes):
            check_pretoken(pretoken)
        cdef const uint8_t *text = <const uint8_t *>PyBytes_AS_STRING(pretoken)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(pretoken)
        cdef Py_ssize_t room, i
        if size > MAX_BYTES:
            raise ValueError(f"the pretoken has {size} bytes; at most {<int>MAX_BYTES} can be "
                             f"encoded in one piece: split it")
        if size < self.heap_from:
            room = size * (sizeof(uint64_t) + sizeof(uint32_t))
        else:
            room = size * (2 * sizeof(Candidate) + 2 * sizeof(int32_t) + sizeof(uint32_t))
        cdef void *memory = PyMem_Malloc(room)
        if memory == NULL:
            raise MemoryError(f"no memory to encode a pretoken of {size} bytes")
        cdef uint32_t *ids
        try:
            if size < self.heap_from:
                ids = <uint32_t *>(<uint64_t *>memory + size)
                size = self.merge_by_scan(text, size, <uint64_t *>memory, ids)
            else:
                ids = <uint32_t *>(<Candidate *>memory + 2 * size)
                with nogil:
                    size = self.merge_by_heap(text, size, <Candidate *>memory, ids)
            return [ids[i] for i in range(size)]
        finally:
            PyMem_Free(memory)

    cdef uint64_t merge_of(self, uint32_t left, uint32_t right) noexcept nogil:
        """Which merge joins the two tokens; NO_MERGE, which is greater than any, if none does."""
        cdef uint64_t pair = <uint64_t>left << 32 | right
        cdef uint64_t i = hash_of(pair) & self.mask
        while self.slots[i].pair != pair and self.slots[i].pair != NO_MERGE:
            i = (i + 1) & self.mask
        return self.slots[i].merge

    cdef Py_ssize_t merge_by_scan(self, const uint8_t *text, Py_ssize_t size, uint64_t *merges,
                                  uint32_t *ids) noexcept nogil:
        """Look at all pairs for the earliest merge, do it, and close the gap; again and again.

        `merges[i]` is the merge of ids[i] and ids[i + 1]. Returns how many ids there are.
        """
        cdef Py_ssize_t i, best
        for i in range(size):
            ids[i] = self.byte_ids[text[i]]
        for i in range(size - 1):
            merges[i] = self.merge_of(ids[i], ids[i + 1])
        while size > 1:
            best = 0
            for i in range(1, size - 1):
                if merges[i] < merges[best]:  # of equal ones, the leftmost stays
                    best = i
            if merges[best] == NO_MERGE:
                break
            size -= 1
            ids[best] = <uint32_t>merges[best]
            memmove(ids + best + 1, ids + best + 2, (size - best - 1) * sizeof(uint32_t))
            if best > 0:
                merges[best - 1] = self.merge_of(ids[best - 1], ids[best])
            if best < size - 1:
                memmove(merges + best + 1, merges + best + 2,
                        (size - best - 2) * sizeof(uint64_t))
                merges[best] = self.merge_of(ids[best], ids[best + 1])
        return size

    cdef Py_ssize_t merge_by_heap(self, const uint8_t *text, Py_ssize_t size, Candidate *heap,
                                  uint32_t *ids) noexcept nogil:
        """Take the earliest merge from a heap. Tokens stay in place, linked to their neighbours.

        The heap has room for 2 x size: it starts with less than size, and each merge takes one
        candidate out and puts at most two in. Behind the ids there is room for the links.
        """
        cdef int32_t *before = <int32_t *>(ids + size)
        cdef int32_t *after = before + size
        cdef Py_ssize_t waiting = 0, used = 0
        cdef int32_t i, gone
        cdef Candidate top
        for i in range(<int32_t>size):
            ids[i] = self.byte_ids[text[i]]
            before[i] = i - 1
            after[i] = i + 1
        for i in range(<int32_t>size - 1):
            waiting = self.add(heap, waiting, self.merge_of(ids[i], ids[i + 1]), i)
        make_heap(heap, heap + waiting)
        while waiting > 0:
            top = heap[0]
            pop_heap(heap, heap + waiting)
            waiting -= 1
            i = top.place
            gone = after[i]
            if (ids[i] == NO_TOKEN or gone == size
                    or self.merge_of(ids[i], ids[gone]) != top.merge):
                continue  # stale
            ids[i] = <uint32_t>top.merge
            ids[gone] = NO_TOKEN
            after[i] = after[gone]
            if after[i] < size:
                before[after[i]] = i
                waiting = self.push(heap, waiting, self.merge_of(ids[i], ids[after[i]]), i)
            if before[i] >= 0:
                waiting = self.push(heap, waiting, self.merge_of(ids[before[i]], ids[i]), before[i])
        for i in range(<int32_t>size):
            if ids[i] != NO_TOKEN:
                ids[used] = ids[i]
                used += 1
        return used

    cdef Py_ssize_t add(self, Candidate *heap, Py_ssize_t waiting, uint64_t merge,
                        int32_t place) noexcept nogil:
        """Put a candidate behind the others, if it is one. Returns how many there are."""
        if merge == NO_MERGE:
            return waiting
        heap[waiting].merge = merge
        heap[waiting].place = place
        return waiting + 1

    cdef Py_ssize_t push(self, Candidate *heap, Py_ssize_t waiting, uint64_t merge,
                         int32_t place) noexcept nogil:
        """The same, and to its place in the heap."""
        if merge != NO_MERGE:
            waiting = self.add(heap, waiting, merge, place)
            push_heap(heap, heap + waiting)
        return waiting


cdef inline uint64_t hash_of(uint64_t pair) noexcept nogil:
    """Spread pairs over the slots. Multiplying moves differences up, shifting brings them down."""
    pair *= 0x9E3779B97F4A7C15ULL
    return pair >> 32 ^ pair >> 15
