# cython: language_level=3
# distutils: language = c++
"""Stage 10: batches, so that the waits for memory overlap; and smaller keys.

Unlike stage 09, which looks up one pretoken after the other and waits for the table's memory at
each, this one makes the keys of a batch of pretokens first, asks for the places in the table that
they name (a prefetch), and only then looks there. So many of the waits go on at the same time.

For the same reason there is less to wait for. A pretoken of up to 7 bytes has an 8-byte key, in a
table of its own, so more of the frequent ones are in the processor's caches. And large tables are
in huge pages, so that the processor finds more of them without walking its page tables.

Cost: as stage 09, less of the waiting.
Memory: as stage 09, but 16 bytes for each distinct pretoken of up to 7 bytes.
Expect: more than half of the time of stage 09 is waiting, so nearly twice as fast; more on a text
with many distinct pretokens. `variants.py pretokenize/last_rung` takes the parts away one by one.
Trap: a table may grow in the middle of a batch. A hash stays right then, a place does not; so
hashes are kept, and not places.
"""

from libc.stdint cimport uint8_t, uint64_t

import os

from cs336_bpe.native.scan cimport SCAN_PADDING, init_scanner
from cs336_bpe.native.scanner cimport CompiledPattern
from cs336_bpe.native.special_tokens cimport SpecialSearch, SpecialTokens
from cs336_bpe.native.starts cimport BATCH, Starts
from cs336_bpe.pretokenize.word_counts cimport SHORT, TINY, LongTable, ShortKey, ShortTable
from cs336_bpe.pretokenize.word_counts cimport TinyTable, add_to_dict, counted_key, tiny_key

from cs336_bpe.common.progress import reporting
from cs336_bpe.native.scanner import compiled
from cs336_bpe.pretokenize.counts import PretokenCounts
from cs336_bpe.rules import GPT2_PATTERN, check_errors, check_size, check_special_tokens
from cs336_bpe.rules import check_workers
from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, decode, file_size, open_text
from cs336_bpe.text.cuts import Cutter

cdef enum:
    DONE, NO_MEMORY, INVALID

init_scanner()


def count_pretokens(input_path, special_tokens, *, pattern=GPT2_PATTERN, errors="strict",
                    workers=None, block_bytes=DEFAULT_BLOCK_BYTES, progress=None):
    """How often each pretoken occurs in a file."""
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    check_workers(workers, most=1)
    check_size("block_bytes", block_bytes, 1)
    cdef Table counts = Table(compiled(pattern), specials)
    with open_text(input_path) as file:
        size = file_size(file)
        cutter = Cutter(specials, pattern, errors)
        reader = BlockReader(file, os.fspath(input_path), cutter, block_bytes, end=size)
        buffer = bytearray(reader.block_bytes + SCAN_PADDING)
        with reporting(progress, "count", size or 0) as report:
            while block := reader.read_into(buffer):
                if len(buffer) < block + SCAN_PADDING:
                    buffer.extend(bytes(SCAN_PADDING))
                counts.count_block(buffer, block, errors, input_path, reader.offset - block)
                report(reader.offset)
    return PretokenCounts(counts.as_dict())


cdef class Table:
    """Counts of pretokens, in tables that this object owns, and the special tokens."""
    cdef TinyTable tinies
    cdef ShortTable shorts
    cdef LongTable longs
    cdef SpecialTokens specials
    cdef CompiledPattern pattern

    def __cinit__(self, CompiledPattern pattern not None, specials):
        self.pattern = pattern
        if not (self.tinies.start(1 << 13) and self.shorts.start(1 << 12)
                and self.longs.start(1 << 8)):
            raise MemoryError("no memory for the table of pretokens")
        for token in specials:
            self.specials.add(token.encode(), 0)

    def __dealloc__(self):
        self.tinies.end()
        self.shorts.end()
        self.longs.end()

    def count_block(self, bytearray block, size_t size, errors, name, offset):
        """Count the pretokens of block[:size]; SCAN_PADDING bytes come after it."""
        if errors != "strict":
            clean = decode(bytes(block[:size]), errors, name).encode()
            size = len(clean)
            block = bytearray(clean) + bytes(SCAN_PADDING)
        status = self.count_text(block, size)
        if status == NO_MEMORY:
            raise MemoryError("no memory for the table of pretokens")
        if status == INVALID:
            decode(bytes(block[:size]), "strict", name, offset)  # says where
            raise AssertionError("the scanner and the decoder disagree on UTF-8")

    cdef int count_text(self, const uint8_t *text, size_t size) noexcept nogil:
        """Count the documents between special tokens."""
        cdef SpecialSearch search
        cdef size_t at = 0, special
        cdef int status
        search.begin(&self.specials, text, size)
        while True:
            special = search.next(at)
            status = self.count_document(text, at, special)
            if status != DONE or special == size:
                return status
            at = special + search.length

    cdef int count_document(self, const uint8_t *text, size_t begin, size_t end) noexcept nogil:
        cdef Starts starts
        cdef uint64_t tiny_keys[BATCH], tiny_hashes[BATCH], short_hashes[BATCH]
        cdef ShortKey short_keys[BATCH]
        cdef uint64_t tiny, hash_of_key
        cdef ShortKey key
        cdef size_t i, start, num_tiny, num_short, length
        starts.begin(&self.pattern.scanner, text, begin, end, False)
        while starts.find():
            num_tiny = num_short = 0
            for i in range(starts.ready):
                start = starts.starts[i]
                length = starts.starts[i + 1] - start
                if length <= TINY:
                    tiny = tiny_key(text + start, length)
                    hash_of_key = self.tinies.hash_of(tiny)
                    self.tinies.prefetch(hash_of_key)
                    tiny_keys[num_tiny] = tiny
                    tiny_hashes[num_tiny] = hash_of_key
                    num_tiny += 1
                elif length <= SHORT:
                    key = counted_key(text + start, length)
                    hash_of_key = self.shorts.hash_of(key)
                    self.shorts.prefetch(hash_of_key)
                    short_keys[num_short] = key
                    short_hashes[num_short] = hash_of_key
                    num_short += 1
                elif not self.longs.add(text + start, length, 1):
                    return NO_MEMORY
            for i in range(num_tiny):
                if not self.tinies.add(tiny_keys[i], tiny_hashes[i], 1):
                    return NO_MEMORY
            for i in range(num_short):
                if not self.shorts.add(short_keys[i], short_hashes[i], 1):
                    return NO_MEMORY
            if not (self.tinies.tidy() and self.shorts.tidy()):
                return NO_MEMORY
        return INVALID if starts.invalid else DONE

    def as_dict(self):
        counts = {}
        add_to_dict(&self.tinies, counts)
        add_to_dict(&self.shorts, counts)
        add_to_dict(&self.longs, counts)
        return counts
