/* 64 bytes into masks with SSE2, which every x86-64 has: four registers of 16. */

SCAN_FUNCTION uint64_t bits(__m128i a, __m128i b, __m128i c, __m128i d) {
    uint32_t low = (uint32_t)(_mm_movemask_epi8(a) | _mm_movemask_epi8(b) << 16);
    uint32_t high = (uint32_t)(_mm_movemask_epi8(c) | _mm_movemask_epi8(d) << 16);
    return (uint64_t)high << 32 | low;
}

SCAN_FUNCTION uint64_t equal(const __m128i *x, char byte) {
    __m128i y = _mm_set1_epi8(byte);
    return bits(_mm_cmpeq_epi8(x[0], y), _mm_cmpeq_epi8(x[1], y), _mm_cmpeq_epi8(x[2], y),
                _mm_cmpeq_epi8(x[3], y));
}

/* Moved to the end of the signed numbers, a range needs one comparison. */
SCAN_FUNCTION uint64_t in_range(const __m128i *x, int first, int last) {
    __m128i move = _mm_set1_epi8((char)(127 - last));
    __m128i limit = _mm_set1_epi8((char)(127 - last + first - 1));
    return bits(_mm_cmpgt_epi8(_mm_add_epi8(x[0], move), limit),
                _mm_cmpgt_epi8(_mm_add_epi8(x[1], move), limit),
                _mm_cmpgt_epi8(_mm_add_epi8(x[2], move), limit),
                _mm_cmpgt_epi8(_mm_add_epi8(x[3], move), limit));
}

SCAN_FUNCTION Block classify(const uint8_t *text, uint64_t *wide) {
    Block b = {};
    __m128i x[4], small[4];
    for (int i = 0; i < 4; i++) {
        x[i] = _mm_loadu_si128((const __m128i *)(text + 16 * i));
        small[i] = _mm_or_si128(x[i], _mm_set1_epi8(0x20));
    }
    *wide = bits(x[0], x[1], x[2], x[3]);
    b.L = in_range(small, 'a', 'z');
    b.N = in_range(x, '0', '9');
    b.S = equal(x, ' ');
    b.W = in_range(x, '\t', '\r') | b.S;
    b.R = equal(x, '\n') | equal(x, '\r');
    b.quote = equal(x, '\'');
    b.slash = equal(x, '/');
    b.U = in_range(x, 'A', 'Z');
    return b;
}

SCAN_FUNCTION Leads classify_leads(const uint8_t *text, const uint8_t *letter_table) {
    Leads leads;
    (void)letter_table;
    __m128i x[4];
    for (int i = 0; i < 4; i++) x[i] = _mm_loadu_si128((const __m128i *)(text + 16 * i));
    leads.more = in_range(x, -128, -65);
    leads.three = in_range(x, -32, -1);
    leads.four = in_range(x, -16, -1);
    leads.letters = 0;  /* look them all up: there is no shuffle to look up a set of bytes */
    return leads;
}
