# cython: language_level=3
# distutils: language = c++
"""Stage 05: masks instead of single characters, a table in C, and threads.

Unlike stage 04, which makes a Python object of every pretoken, this one counts in tables of its
own: a pretoken of up to 7 bytes is its own 8-byte key, one of up to 15 its own 16-byte key. And it
classifies 64 bytes at once into bit masks, from which a few operations give the starts of all
pretokens in them. The two parts are in `scan.h` and `word_counts.h`, and are plain C.

No Python object is touched, so the GIL is released, and each thread counts its own blocks into its
own table; at the end the tables are added up. Nothing is pickled, and nothing is copied.

Cost: some instructions a byte, and a visit to a table for each pretoken.
Memory: a block and a table a thread; 16 bytes for each kind of pretoken of up to 7 bytes, 24 for
one of up to 15, 32 and the bytes for a longer one, and as much again that is free.
Expect: many times stage 04 on one thread; and two threads are the nearer to twice as fast the
larger the file is, because every thread has to learn the frequent words for itself.
Trap: a thread that fails must not let the others go on for minutes, and the error that is raised
must be the first one in the file, not the first one in time.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint8_t, uint64_t
from libcpp.string cimport string

import os
import threading

from cs336_bpe.text.blocks import DEFAULT_BLOCK_BYTES, BlockReader, file_size
from cs336_bpe.text.cuts import Cutter
from cs336_bpe.rules import is_gpt2
from cs336_bpe.pretokenize.counts import Columns, PretokenCounts
from cs336_bpe.rules import GPT2_PATTERN, check_errors, check_size, check_special_tokens
from cs336_bpe.rules import check_workers
from cs336_bpe.text.blocks import decode, open_text
from cs336_bpe.native.classes import tables
from cs336_bpe.common.progress import reporting

cdef extern from "word_counts.h" nogil:
    enum:
        SCAN_PADDING
        COUNT_DONE
        COUNT_NO_MEMORY
        COUNT_INVALID
        HALF_SHORT
        HALF_REST
    ctypedef struct Counts:
        size_t tiny_used, short_used, long_used
        size_t tiny_bytes, short_bytes, long_bytes
    void scan_init_module(const char *index, size_t index_size, const char *classes,
                          size_t classes_size)
    int scan_use_portable
    int scan_has_avx2()
    void counts_init_module()
    Counts *counts_new()
    void counts_free(Counts *counts)
    int counts_merge(Counts *into, const Counts *source, int half)
    void counts_to_columns(const Counts *counts, uint8_t *text, uint64_t *lengths,
                           uint64_t *numbers, int half)
    int count_text(Counts *counts, const uint8_t *text, size_t begin, size_t end)

cdef extern from "special_tokens.h" nogil:
    cppclass SpecialTokens:
        void add(string token, unsigned id) except +
    cppclass SpecialSearch:
        size_t length
        bint begin(const SpecialTokens *specials, const uint8_t *text, size_t size)
        size_t next(size_t at)


MAX_THREADS = 256


cdef init_module():
    index, classes = tables()
    scan_init_module(index, len(index), classes, len(classes))
    counts_init_module()


init_module()


def use_portable_scanner(portable):
    """For tests: do without AVX2, as on a machine that has none. Returns whether it has."""
    global scan_use_portable
    scan_use_portable = bool(portable)
    return bool(scan_has_avx2())


def count_pretokens(input_path, special_tokens, *, pattern=GPT2_PATTERN, errors="strict",
                    workers=None, block_bytes=DEFAULT_BLOCK_BYTES, progress=None):
    """How often each pretoken occurs in a file."""
    specials = check_special_tokens(special_tokens)
    check_errors(errors)
    num_workers = check_workers(workers)
    check_size("block_bytes", block_bytes, 1)
    if not is_gpt2(pattern):
        raise ValueError("this stage has GPT-2's pattern written out and can't run another one; "
                         "use stage02 or stage03")
    with open_text(input_path) as file:
        size = file_size(file)
        cutter = Cutter(specials, pattern, errors)
        reader = BlockReader(file, os.fspath(input_path), cutter, block_bytes, end=size)
        with reporting(progress, "count", size or 0) as report:
            return count_blocks(reader, specials, errors, num_workers, report)


def count_blocks(reader, specials, errors, num_workers, report):
    """Count all blocks of a reader, in this thread or in several."""
    job = Job(reader, specials, errors)
    if reader.end is not None:  # no more threads than there are blocks
        num_workers = min(num_workers, -(-reader.end // reader.block_bytes))
    num_workers = max(1, min(num_workers, MAX_THREADS))
    if num_workers == 1:
        table = Table(specials)
        while job.count_block(table):
            PyErr_CheckSignals()
            report(job.done)
        return job.result([table])
    all_tables = [Table(specials) for _ in range(num_workers)]
    threads = [threading.Thread(target=job.work, args=(table,)) for table in all_tables]
    # Ctrl-C interrupts a wait on a semaphore cleanly. `Thread.join` would not do here: in Python
    # 3.9 to 3.12 an interrupted join takes the thread for ended, and then nobody waits for it.
    # And what says that a thread has ended is a number, which no interrupt can use up.
    try:
        for thread in threads:
            thread.start()
        while job.num_ended < num_workers:
            job.wake_up.acquire(timeout=0.05)
            report(job.done)
    finally:
        job.stopped = True  # if we were interrupted, each thread ends after its block
        started = [thread for thread in threads if thread.ident is not None]
        while job.num_ended < len(started):
            job.wake_up.acquire(timeout=0.05)
        for thread in started:
            thread.join()
    report(job.done)
    return job.result(all_tables)


class Job:
    """What the threads share: the reader, and the first error."""

    def __init__(self, reader, specials, errors):
        self.reader = reader
        self.specials = specials
        self.errors = errors
        self.lock = threading.Lock()  # around the reader: blocks are given out in order
        self.num_ended = 0  # threads that have ended
        self.wake_up = threading.Semaphore(0)  # a permit each time that one does
        self.buffers = threading.local()
        self.done = 0
        self.stopped = False
        self.failures = []  # (offset, exception)

    def work(self, Table table):
        try:
            while not self.stopped and self.count_block(table):
                pass
        except BaseException as error:
            with self.lock:
                self.failures.append((getattr(error, "offset", 0), error))
                self.stopped = True
        finally:
            with self.lock:
                self.num_ended += 1
            self.wake_up.release()

    def count_block(self, Table table):
        """Read the next block and count it; False at the end."""
        buffer = getattr(self.buffers, "buffer", None)
        if buffer is None:  # made here and not by the reader, under the lock
            buffer = self.buffers.buffer = bytearray(self.reader.block_bytes + SCAN_PADDING)
        with self.lock:
            size = self.reader.read_into(buffer)
            offset = self.reader.offset - size
        if not size:
            return False
        if len(buffer) < size + SCAN_PADDING:
            buffer.extend(bytes(SCAN_PADDING))
        try:
            self.count_buffer(table, buffer, size, offset)
        except Exception as error:
            error.offset = offset
            raise
        with self.lock:
            self.done += size
        return True

    def count_buffer(self, Table table, bytearray buffer, size_t size, offset):
        cdef const uint8_t *text = buffer
        cdef int status
        if self.errors != "strict":
            clean = decode(bytes(buffer[:size]), self.errors, self.reader.name).encode()
            size = len(clean)
            buffer = bytearray(clean) + bytes(SCAN_PADDING)
            text = buffer
        with nogil:
            status = table.count(text, size)
        if status == COUNT_NO_MEMORY:
            raise MemoryError("no memory for the table of pretokens")
        if status == COUNT_INVALID:
            decode(bytes(buffer[:size]), "strict", self.reader.name, offset)  # says where
            raise AssertionError("the scanner and the decoder disagree on UTF-8")

    def result(self, list all_tables):
        if self.failures:
            raise min(self.failures, key=lambda failure: failure[0])[1]
        cdef Table first = all_tables[0]
        if len(all_tables) == 1:
            return first.as_counts(in_one_thread)
        in_two_threads(lambda half: first.merge(all_tables[1:], half))
        return first.as_counts(in_two_threads)


def in_one_thread(work):
    work(HALF_SHORT)
    work(HALF_REST)


def in_two_threads(work):
    """Half of the work in another thread and half in this one; returns when both have ended."""
    errors = []

    def work_and_keep_error():
        try:
            work(HALF_SHORT)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work_and_keep_error)
    thread.start()
    try:
        work(HALF_REST)
    finally:
        thread.join()
    if errors:
        raise errors[0]


cdef class Table:
    """A table of counts in C, which this object owns, and the special tokens that cut the text."""
    cdef Counts *counts
    cdef SpecialTokens specials

    def __cinit__(self, specials):
        self.counts = counts_new()
        if self.counts == NULL:
            raise MemoryError("no memory for the table of pretokens")
        for token in specials:
            self.specials.add(token.encode(), 0)

    def __dealloc__(self):
        counts_free(self.counts)

    cdef int count(self, const uint8_t *text, size_t size) noexcept nogil:
        """Count the parts of the text between special tokens."""
        cdef SpecialSearch search
        cdef size_t at = 0, special
        cdef int status
        if not search.begin(&self.specials, text, size):
            return COUNT_NO_MEMORY
        while True:
            special = search.next(at)
            status = count_text(self.counts, text, at, special)
            if status != COUNT_DONE or special == size:
                return status
            at = special + search.length

    def merge(self, list others, int half):
        """Add the counts of other tables."""
        cdef int status
        cdef Table other
        for other in others:
            with nogil:
                status = counts_merge(self.counts, other.counts, half)
            if status:
                raise MemoryError("no memory for the table of pretokens")

    def as_counts(self, in_threads):
        """What is in the tables, as columns: no Python object is made for a pretoken."""
        cdef Counts *counts = self.counts
        cdef size_t kinds = counts.tiny_used + counts.short_used + counts.long_used
        text = PyBytes_FromStringAndSize(
            NULL, counts.tiny_bytes + counts.short_bytes + counts.long_bytes)
        lengths = PyBytes_FromStringAndSize(NULL, 8 * kinds)
        numbers = PyBytes_FromStringAndSize(NULL, 8 * kinds)
        in_threads(lambda half: self.write_columns(text, lengths, numbers, half))
        return PretokenCounts.from_columns(
            Columns(text, memoryview(lengths).cast("Q"), memoryview(numbers).cast("Q")))

    def write_columns(self, bytes text, bytes lengths, bytes numbers, int half):
        """Fill new bytes objects, which nobody else has seen yet."""
        cdef uint8_t *text_at = <uint8_t *>PyBytes_AS_STRING(text)
        cdef uint64_t *lengths_at = <uint64_t *>PyBytes_AS_STRING(lengths)
        cdef uint64_t *numbers_at = <uint64_t *>PyBytes_AS_STRING(numbers)
        with nogil:
            counts_to_columns(self.counts, text_at, lengths_at, numbers_at, half)
