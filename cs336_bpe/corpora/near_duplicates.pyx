# cython: language_level=3, boundscheck=False, wraparound=False
# distutils: language = c++
# boundscheck and wraparound off: pointers and vectors are indexed, which they do not cover anyway;
# each index is reduced to the range it belongs to in the line where it is made.
"""Which documents have nearly the same text as one before, in bounded time and memory.

Two documents are near-duplicates if most of their *shingles* are the same: all strings of 24 bytes
that occur in them, after letters A-Z were made small and each run of white space one space. How
alike two sets of shingles are is the size of their intersection over that of their union (Jaccard).

By hand, because the libraries for it (`datasketch`, `rensa`) are given shingles as Python objects,
one for each byte of text: that took 25 times as long or more, and the whole document in memory.

To compare every document with every other would take for ever, so three ideas are used:

1. A *sketch*. Hash every shingle; the high bits of the hash say into which of 128 bins it falls,
   and of each bin the smallest hash is kept. The share of bins in which two sketches agree is an
   estimate of how alike the documents are (one-permutation MinHash). A bin into which nothing fell
   borrows from another one that is chosen by a hash of the bin's number.
2. *Bands*. The sketch is cut into 16 bands of 8 bins. Two documents meet only if all 8 bins of some
   band agree: likely if they are much alike, and unlikely otherwise.
3. Those that meet are compared by their whole sketches: near-duplicates agree in 102 of 128 bins.

Memory: 512 bytes per document that is remembered, and the number of those is bounded: when the
memory is full, the newest takes the place of the oldest. Time: about 8 ns per byte.
Trap: each band's table has one place per hash, and the newest document takes it. A duplicate is
missed only if it is evicted from every band that matches.
"""

from libc.stdint cimport UINT64_MAX, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from cs336_bpe.rules import check_size

cdef enum:
    SHINGLE = 24  # bytes
    SPACE = 32
    BINS = 128  # the top 7 bits of a hash say which
    BANDS = 16
    ROWS = 8  # bins in a band
    AGREE = 102  # of BINS: 0.8
    FIRST_CAPACITY = 1024  # documents; it doubles until the limit is reached
    PLACES = 4  # in each band's table, for each document

DEFAULT_MAX_DOCUMENTS = 1 << 20
MAX_DOCUMENTS = 1 << 28  # numbers of documents, plus one, are 32-bit

cdef uint64_t BASE = 0x9E3779B97F4A7C15u
cdef uint64_t[256] LEAVING  # what a byte adds to the hash, when it leaves the window
cdef uint8_t[256] FOLDED  # A-Z made small, and white space one space


cdef struct Window:
    uint64_t hash  # a polynomial in BASE, of the last bytes
    uint64_t length  # of the document, so far
    uint32_t oldest  # where in `bytes` the one is that leaves next
    bint space  # white space was the last that came
    uint8_t[SHINGLE] bytes


cdef void fill_tables() noexcept:
    cdef uint64_t power = 1
    cdef int i, _
    for _ in range(SHINGLE):
        power *= BASE
    for i in range(256):
        LEAVING[i] = <uint64_t>(i + 1) * power
        FOLDED[i] = <uint8_t>(i + 32 if 65 <= i <= 90 else SPACE if 9 <= i <= 13 else i)

fill_tables()


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    """Spread the bits (the finalizer of MurmurHash3): a polynomial's high bits are too regular."""
    x = (x ^ (x >> 33)) * <uint64_t>0xFF51AFD7ED558CCDu
    x = (x ^ (x >> 33)) * <uint64_t>0xC4CEB9FE1A85EC53u
    return x ^ (x >> 33)


cdef class NearDuplicates:
    """Remembers documents, and says of each new one whether it is nearly one of them.

    >>> seen = NearDuplicates()
    >>> seen.add(b"A text of some length, about this and that.")
    False
    >>> seen.add(b" a text of some  length, about this and that.\\n")
    True
    """

    cdef vector[uint16_t] sketches  # BINS per document, of which 16 bits each are enough to tell
    cdef vector[uint32_t] tables  # BANDS tables: number of a document plus one, or 0
    cdef uint64_t capacity
    cdef uint64_t limit
    cdef readonly uint64_t remembered  # all that ever were; the last `limit` of them still are

    cdef uint64_t[BINS] smallest  # of the document that is being read
    cdef Window window

    def __cinit__(self, max_documents=DEFAULT_MAX_DOCUMENTS):
        self.limit = check_size("max_documents", max_documents, 1)
        if self.limit > MAX_DOCUMENTS:
            raise ValueError(f"max_documents is {max_documents}; it must be at most "
                             f"{MAX_DOCUMENTS}")
        self.remembered = 0
        self.resize(min(<uint64_t>FIRST_CAPACITY, self.limit))
        self.begin()

    @property
    def forgotten(self):
        """How many documents had to make room for newer ones."""
        return self.remembered - min(self.remembered, self.limit)

    def add(self, document):
        """Whether a document is nearly one of those remembered; if not, it is remembered."""
        self.update(document)
        return self.finish()

    def update(self, const uint8_t[::1] piece):
        """Take the next piece of a document, so that not all of it need be in memory."""
        if piece.shape[0]:
            with nogil:
                self.read(&piece[0], <uint64_t>piece.shape[0])

    def finish(self):
        """The document ends here: whether it is nearly one of those remembered."""
        cdef uint16_t[BINS] sketch
        self.close_sketch(sketch)
        self.begin()
        if self.find(sketch):
            return True
        if self.remembered == self.capacity < self.limit:
            self.resize(min(2 * self.capacity, self.limit))
        self.remember(self.remembered % self.capacity, sketch)
        self.remembered += 1
        return False

    # --- The sketch of one document ---

    cdef void begin(self) noexcept:
        cdef int i
        for i in range(BINS):
            self.smallest[i] = UINT64_MAX
        self.window.hash = self.window.length = 0
        self.window.oldest = 0
        self.window.space = False

    cdef void read(self, const uint8_t *data, uint64_t size) noexcept nogil:
        cdef Window window = self.window  # a local one, so that most of it stays in registers
        cdef uint64_t i
        cdef uint8_t byte
        for i in range(size):
            byte = FOLDED[data[i]]
            if byte == SPACE:
                window.space = window.length > 0  # none at the beginning, nor at the end
                continue
            if window.space:
                window.space = False
                self.push(&window, SPACE)
            self.push(&window, byte)
        self.window = window

    cdef inline void push(self, Window *window, uint8_t byte) noexcept nogil:
        window.hash = window.hash * BASE + byte + 1
        window.length += 1
        if window.length > SHINGLE:
            window.hash -= LEAVING[window.bytes[window.oldest]]
        window.bytes[window.oldest] = byte
        window.oldest = 0 if window.oldest == SHINGLE - 1 else window.oldest + 1
        if window.length >= SHINGLE:
            self.keep(mix(window.hash))

    cdef inline void keep(self, uint64_t value) noexcept nogil:
        # UINT64_MAX stands for an empty bin, and somebody can make a text with that hash. If it
        # were the only one of a document, `close_sketch` would look for a full bin for ever.
        value -= value == UINT64_MAX
        # Without a branch, which would often be guessed wrong.
        cdef uint64_t *smallest = &self.smallest[value >> 57]
        smallest[0] = value if value < smallest[0] else smallest[0]

    cdef void close_sketch(self, uint16_t *sketch) noexcept:
        cdef int i, j
        cdef uint64_t attempt
        if self.window.length < SHINGLE:  # the whole document is one shingle, also if it is empty
            self.keep(mix(self.window.hash + self.window.length * LEAVING[255]))
        for i in range(BINS):
            j = i
            attempt = 0
            while self.smallest[j] == UINT64_MAX:
                attempt += 1
                j = <int>(mix(<uint64_t>i << 32 | attempt) >> 57)
            sketch[i] = <uint16_t>(self.smallest[j] & 0xFFFF)

    # --- The documents that are remembered ---

    cdef inline uint32_t *place(self, int band, const uint16_t *sketch) noexcept:
        cdef uint64_t key = band
        cdef int row
        for row in range(ROWS):
            key = mix(key ^ sketch[band * ROWS + row]) * BASE
        return &self.tables[band + BANDS * (mix(key) % (PLACES * self.capacity))]

    cdef bint find(self, const uint16_t *sketch) noexcept:
        cdef int band, i, equal
        cdef uint32_t number
        cdef const uint16_t *other
        for band in range(BANDS):
            number = self.place(band, sketch)[0]
            if number == 0:
                continue
            other = &self.sketches[<uint64_t>(number - 1) * BINS]
            equal = 0
            for i in range(BINS):
                equal += sketch[i] == other[i]
            if equal >= AGREE:
                return True
        return False

    cdef void remember(self, uint64_t number, const uint16_t *sketch) noexcept:
        cdef int i
        for i in range(BINS):
            self.sketches[number * BINS + i] = sketch[i]
        for i in range(BANDS):
            self.place(i, sketch)[0] = <uint32_t>(number + 1)

    cdef resize(self, uint64_t capacity):
        """Make room for more documents; they get new places, oldest first, as they came."""
        cdef uint64_t number
        cdef int band
        cdef vector[uint32_t] tables
        # All memory first, so that without it nothing has changed. (Not `assign`: in Cython's
        # declaration it can't fail, so then the program would end.)
        tables.resize(BANDS * capacity * PLACES, 0)
        self.sketches.resize(capacity * BINS)
        self.tables.swap(tables)
        self.capacity = capacity
        for number in range(self.remembered):
            for band in range(BANDS):
                self.place(band, &self.sketches[number * BINS])[0] = <uint32_t>(number + 1)
