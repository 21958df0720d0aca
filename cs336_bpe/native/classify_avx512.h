/* 64 bytes into masks with AVX-512: one register, and comparisons give masks at once. */

SCAN_FUNCTION uint64_t equal(__m512i x, char byte) {
    return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(byte));
}

SCAN_FUNCTION uint64_t in_range(__m512i x, int first, int last) {
    __m512i from_first = _mm512_sub_epi8(x, _mm512_set1_epi8((char)first));
    return _mm512_cmple_epu8_mask(from_first, _mm512_set1_epi8((char)(last - first)));
}

SCAN_FUNCTION Block classify(const uint8_t *text, uint64_t *wide) {
    Block b = {};
    __m512i x = _mm512_loadu_si512(text);
    *wide = (uint64_t)_mm512_movepi8_mask(x);
    b.L = in_range(_mm512_or_si512(x, _mm512_set1_epi8(0x20)), 'a', 'z');
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
    __m512i x = _mm512_loadu_si512(text), nibble = _mm512_set1_epi8(15);
    __m512i low = _mm512_shuffle_epi8(
        _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)letter_table)),
        _mm512_and_si512(x, nibble));
    __m512i high = _mm512_shuffle_epi8(
        _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)letters_high)),
        _mm512_and_si512(_mm512_srli_epi16(x, 4), nibble));
    leads.more = in_range(x, 0x80, 0xBF);
    leads.three = in_range(x, 0xE0, 0xFF);
    leads.four = in_range(x, 0xF0, 0xFF);
    leads.letters = _mm512_test_epi8_mask(low, high);
    return leads;
}

/* The numbers of the bits, packed by VBMI2's vpcompressb, and widened eight at a time. */
SCAN_FUNCTION size_t write_starts(uint64_t begins, size_t at, size_t *starts) {
    size_t number = (size_t)_mm_popcnt_u64(begins);
    __m512i places = _mm512_maskz_compress_epi8(begins, _mm512_loadu_si512(zero_to_63));
    __m512i base = _mm512_set1_epi64((long long)at);
    uint8_t packed[64];
    __m128i first = _mm512_castsi512_si128(places);
    _mm512_storeu_si512(starts, _mm512_add_epi64(base, _mm512_cvtepu8_epi64(first)));
    _mm512_storeu_si512(starts + 8, _mm512_add_epi64(
        base, _mm512_cvtepu8_epi64(_mm_unpackhi_epi64(first, first))));
    if (BPE_UNLIKELY(number > 16)) {
        _mm512_storeu_si512(packed, places);
        for (size_t i = 16; i < number; i += 8)
            _mm512_storeu_si512(starts + i, _mm512_add_epi64(base, _mm512_cvtepu8_epi64(
                _mm_loadl_epi64((const __m128i *)(packed + i)))));
    }
    return number;
}
