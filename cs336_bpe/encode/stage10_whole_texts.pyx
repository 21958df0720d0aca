# cython: language_level=3
# distutils: language = c++
"""Stage 10: whole texts.

Unlike stage 09, which is called for each pretoken, given a bytes object and asked for a list, this
one is given a text (`text_encoder.pyx`, on which the later stages are built too). The scanner of
the counting ladder finds the pretokens, and their ids go to one array. So there is neither a call
from Python nor an object for a pretoken, and nobody has to cut the text before.

Cost: the merges of stage 09, and a few instructions per byte to find the pretokens.
Memory: one array of ids, of 4 bytes each; and the list, once, at the end.
Expect: twice as fast, though it does more: stages 01 to 09 were given pretokens, and this one cuts.
Trap: the scanner reads 64 bytes at a time, so it looks beyond the end of the text. It gets a copy
with some bytes after it.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memmove

from cs336_bpe.encode.output cimport ENCODE_DONE, ENCODE_NO_MEMORY, ENCODE_TOO_LONG, Output
from cs336_bpe.encode.pair_ranks cimport (
    NO_MERGE,
    Candidate,
    PairRanks,
    make_heap,
    pop_heap,
    push_heap,
)
from cs336_bpe.encode.text_encoder cimport TextEncoder

from cs336_bpe.rules import BYTES, check_vocab

cdef enum:
    HEAP_FROM = 128
    # Places are 32-bit integers with a sign, and the place after the last is one of them.
    MAX_BYTES = 0x7FFFFFFE
cdef uint32_t NO_TOKEN = 0xFFFFFFFF  # greater than any id (MAX_ID in rules)


cdef class Encoder(TextEncoder):
    """Encodes texts, and pretokens.

    >>> vocab = dict(enumerate([*BYTES, b"lo", b"low"]))
    >>> encoder = Encoder(vocab, [(b"l", b"o"), (b"lo", b"w")])
    >>> encoder.encode_pretoken(b"lowlo"), encoder.encode_text("low lo")
    ([257, 256], [257, 32, 256])
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
        self.known = tuple(range(4 * len(vocab)))
        self.most = MAX_BYTES

    def __dealloc__(self):
        self.ranks.end()

    cdef int write_one(self, const uint8_t *text, size_t size, Output *output) noexcept nogil:
        cdef uint64_t merges[HEAP_FROM]
        cdef uint32_t *ids
        if size > MAX_BYTES:
            return ENCODE_TOO_LONG
        if not output.room_for(size):
            return ENCODE_NO_MEMORY
        if size < HEAP_FROM:
            ids = <uint32_t *>output.ids + output.used
            output.used += self.merge_by_scan(text, size, merges, ids)
            return ENCODE_DONE
        cdef void *memory = PyMem_RawMalloc(
            size * (2 * sizeof(Candidate) + 2 * sizeof(int32_t) + sizeof(uint32_t)))
        if memory == NULL:
            return ENCODE_NO_MEMORY
        ids = <uint32_t *>(<Candidate *>memory + 2 * size)
        output.append(ids, self.merge_by_heap(text, size, <Candidate *>memory, ids))
        PyMem_RawFree(memory)
        return ENCODE_DONE

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
