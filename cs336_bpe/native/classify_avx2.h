/* 64 bytes into masks with AVX2: two registers of 32. */

SCAN_FUNCTION uint64_t bits(__m256i low, __m256i high) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32
           | (uint32_t)_mm256_movemask_epi8(low);
}

SCAN_FUNCTION uint64_t equal(__m256i low, __m256i high, char byte) {
    __m256i x = _mm256_set1_epi8(byte);
    return bits(_mm256_cmpeq_epi8(low, x), _mm256_cmpeq_epi8(high, x));
}

/* Moved to the end of the signed numbers, a range needs one comparison. */
SCAN_FUNCTION uint64_t in_range(__m256i low, __m256i high, int first, int last) {
    __m256i move = _mm256_set1_epi8((char)(127 - last));
    __m256i limit = _mm256_set1_epi8((char)(127 - last + first - 1));
    return bits(_mm256_cmpgt_epi8(_mm256_add_epi8(low, move), limit),
                _mm256_cmpgt_epi8(_mm256_add_epi8(high, move), limit));
}

SCAN_FUNCTION Block classify(const uint8_t *text, uint64_t *wide) {
    Block b = {};
    __m256i low = _mm256_loadu_si256((const __m256i *)text);
    __m256i high = _mm256_loadu_si256((const __m256i *)(text + 32));
    __m256i small = _mm256_set1_epi8(0x20);
    *wide = bits(low, high);
    b.L = in_range(_mm256_or_si256(low, small), _mm256_or_si256(high, small), 'a', 'z');
    b.N = in_range(low, high, '0', '9');
    b.S = equal(low, high, ' ');
    b.W = in_range(low, high, '\t', '\r') | b.S;
    b.R = equal(low, high, '\n') | equal(low, high, '\r');
    b.quote = equal(low, high, '\'');
    b.slash = equal(low, high, '/');
    b.U = in_range(low, high, 'A', 'Z');
    return b;
}

/* Does a byte from 0x80 on always start a letter? */
SCAN_FUNCTION __m256i always_letters(__m256i x, const uint8_t *letter_table) {
    __m256i low_table = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)letter_table));
    __m256i high_table = _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)letters_high));
    __m256i nibble = _mm256_set1_epi8(15);
    __m256i low = _mm256_shuffle_epi8(low_table, _mm256_and_si256(x, nibble));
    __m256i high = _mm256_shuffle_epi8(high_table,
                                       _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));
    return _mm256_cmpgt_epi8(_mm256_and_si256(low, high), _mm256_setzero_si256());
}

SCAN_FUNCTION Leads classify_leads(const uint8_t *text, const uint8_t *letter_table) {
    Leads leads;
    __m256i low = _mm256_loadu_si256((const __m256i *)text);
    __m256i high = _mm256_loadu_si256((const __m256i *)(text + 32));
    leads.more = in_range(low, high, -128, -65);
    leads.three = in_range(low, high, -32, -1);
    leads.four = in_range(low, high, -16, -1);
    leads.letters = bits(always_letters(low, letter_table), always_letters(high, letter_table));
    return leads;
}
