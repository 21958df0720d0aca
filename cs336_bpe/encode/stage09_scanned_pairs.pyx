# cython: language_level=3
# distutils: language = c++
"""Stage 09: short pretokens are scanned, and have no heap.

Unlike stage 08, which has a heap for every pretoken, this one looks at all pairs of a short one for
the smallest, does that merge, closes the gap, and looks again. A word has so few pairs that this
takes less time than keeping them in order. A long pretoken goes through the heap as before.

Cost of a pretoken of n bytes: n look-ups and two for each merge, as before; O(n^2) steps of one or
two instructions each below `heap_from` bytes, O(n log n) above, so no input is quadratic.
Memory: 32 to 64 bytes per merge; while a pretoken is encoded, 12 bytes per byte of it, or 44 if it
is long.
Expect: that the worse algorithm wins, on words.
Trap: without the bound, a megabyte of one letter takes hours.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memmove

from cs336_bpe.encode.pair_ranks cimport (
    NO_MERGE,
    Candidate,
    PairRanks,
    make_heap,
    pop_heap,
    push_heap,
)

from cs336_bpe.rules import BYTES, check_pretoken, check_size, check_vocab

HEAP_FROM = 128

cdef enum:
    # Places are 32-bit integers with a sign, and the place after the last is one of them.
    MAX_BYTES = 0x7FFFFFFE
cdef uint32_t NO_TOKEN = 0xFFFFFFFF  # greater than any id (MAX_ID in rules)


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
    cdef PairRanks ranks
    cdef Py_ssize_t heap_from

    def __cinit__(self, vocab, merges, *, heap_from=HEAP_FROM):
        ids = check_vocab(vocab, merges)
        self.heap_from = min(check_size("heap_from", heap_from), MAX_BYTES)
        if not self.ranks.start(len(merges)):
            raise MemoryError(f"no memory for a table of {len(merges)} merges")
        for byte, token in enumerate(BYTES):
            self.byte_ids[byte] = ids[token]
        for rank, (left, right) in enumerate(merges):
            self.ranks.add(ids[left], ids[right], rank, ids[left + right])

    def __dealloc__(self):
        self.ranks.end()

    def encode_pretoken(self, pretoken):
        """The ids of the tokens of a pretoken."""
        check_pretoken(pretoken)
        cdef const uint8_t *text = <const uint8_t *>PyBytes_AS_STRING(pretoken)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(pretoken)
        cdef Py_ssize_t i
        if size > MAX_BYTES:
            raise ValueError(f"the pretoken has {size} bytes; at most {<int>MAX_BYTES} can be "
                             f"encoded in one piece: split it")
        cdef size_t room = size * (sizeof(uint64_t) + sizeof(uint32_t))
        if size >= self.heap_from:
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

    cdef Py_ssize_t merge_by_scan(self, const uint8_t *text, Py_ssize_t size, uint64_t *merges,
                                  uint32_t *ids) noexcept nogil:
        """Look at all pairs for the earliest merge, do it, and close the gap; again and again.

        `merges[i]` is the merge of ids[i] and ids[i + 1]. Returns how many ids there are.
        """
        cdef Py_ssize_t i, best
        for i in range(size):
            ids[i] = self.byte_ids[text[i]]
        for i in range(size - 1):
            merges[i] = self.ranks.merge_of(ids[i], ids[i + 1])
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
                merges[best - 1] = self.ranks.merge_of(ids[best - 1], ids[best])
            if best < size - 1:
                memmove(merges + best + 1, merges + best + 2,
                        (size - best - 2) * sizeof(uint64_t))
                merges[best] = self.ranks.merge_of(ids[best], ids[best + 1])
        return size

    cdef Py_ssize_t merge_by_heap(self, const uint8_t *text, Py_ssize_t size, Candidate *heap,
                                  uint32_t *ids) noexcept nogil:
        """Take the earliest merge from a heap. Tokens stay in place, linked to their neighbours.

        The heap has room for 2 x size: it starts with less than size, and each merge takes one
        candidate out and puts at most two in. After the ids there is room for the links.
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
            waiting = self.add(heap, waiting, self.ranks.merge_of(ids[i], ids[i + 1]), i)
        make_heap(heap, heap + waiting)
        while waiting > 0:
            top = heap[0]
            pop_heap(heap, heap + waiting)
            waiting -= 1
            i = top.place
            gone = after[i]
            if (ids[i] == NO_TOKEN or gone == size
                    or self.ranks.merge_of(ids[i], ids[gone]) != top.merge):
                continue  # stale
            ids[i] = <uint32_t>top.merge
            ids[gone] = NO_TOKEN
            after[i] = after[gone]
            if after[i] < size:
                before[after[i]] = i
                waiting = self.push(heap, waiting, self.ranks.merge_of(ids[i], ids[after[i]]), i)
            if before[i] >= 0:
                waiting = self.push(heap, waiting, self.ranks.merge_of(ids[before[i]], ids[i]),
                                    before[i])
        for i in range(<int32_t>size):
            if ids[i] != NO_TOKEN:
                ids[used] = ids[i]
                used += 1
        return used

    cdef Py_ssize_t add(self, Candidate *heap, Py_ssize_t waiting, uint64_t merge,
                        int32_t place) noexcept nogil:
        """Put a candidate after the others, if it is one. Returns how many there are."""
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
