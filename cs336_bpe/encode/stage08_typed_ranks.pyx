# cython: language_level=3
# distutils: language = c++
"""Stage 08: C integers, and a table of pairs of our own.

Unlike stage 07, which is compiled but works on Python's objects, this one has none inside. A token
is its id, a pair of ids is one 64-bit integer, and a table of our own says which merge it is: its
rank in the upper half of another integer, the id that it makes in the lower, so that the smaller
number is the earlier merge. The heap and the links are those of stage 05, in arrays.

Cost of a pretoken: as in stage 05, with a few instructions for each step.
Memory: 32 to 64 bytes per merge; while a pretoken is encoded, 44 bytes per byte of it.
Expect: ten times or more. Nothing is allocated for a pair, and nothing counted for a reference.
Trap: rank and id are two things. Taking the id for the rank works where a vocabulary has its ids in
the order of its merges, which is nearly everywhere. Nothing says that it must.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from cs336_bpe.encode.pair_ranks cimport (
    NO_MERGE,
    Candidate,
    PairRanks,
    make_heap,
    pop_heap,
    push_heap,
)

from cs336_bpe.rules import BYTES, check_pretoken, check_vocab

cdef enum:
    # Places are 32-bit integers with a sign, and the place after the last is one of them.
    MAX_BYTES = 0x7FFFFFFE
cdef uint32_t NO_TOKEN = 0xFFFFFFFF  # greater than any id (MAX_ID in rules)


cdef class Encoder:
    """Encodes one pretoken after the other.

    >>> vocab = dict(enumerate([*BYTES, b"lo", b"low"]))
    >>> encoder = Encoder(vocab, [(b"l", b"o"), (b"lo", b"w")])
    >>> encoder.encode_pretoken(b"lowlo")
    [257, 256]
    """

    cdef uint32_t byte_ids[256]
    cdef PairRanks ranks

    def __cinit__(self, vocab, merges):
        ids = check_vocab(vocab, merges)
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
        cdef void *memory = PyMem_Malloc(
            size * (2 * sizeof(Candidate) + 2 * sizeof(int32_t) + sizeof(uint32_t)))
        if memory == NULL:
            raise MemoryError(f"no memory to encode a pretoken of {size} bytes")
        cdef uint32_t *ids = <uint32_t *>(<Candidate *>memory + 2 * size)
        try:
            with nogil:
                size = self.merge_by_heap(text, size, <Candidate *>memory, ids)
            return [ids[i] for i in range(size)]
        finally:
            PyMem_Free(memory)

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
