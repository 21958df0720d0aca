/* 64 bytes into masks with NEON: four registers of 16. */

/* A bit per byte, of bytes that are 0 or 255: keep another bit of each eight, add neighbours. */
SCAN_FUNCTION uint64_t bits(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
    static const uint8_t one_each[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t one = vld1q_u8(one_each);
    uint8x16_t ab = vpaddq_u8(vandq_u8(a, one), vandq_u8(b, one));
    uint8x16_t cd = vpaddq_u8(vandq_u8(c, one), vandq_u8(d, one));
    ab = vpaddq_u8(ab, cd);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(ab, ab)), 0);
}

SCAN_FUNCTION uint64_t equal(const uint8x16_t *x, int byte) {
    uint8x16_t y = vdupq_n_u8((uint8_t)byte);
    return bits(vceqq_u8(x[0], y), vceqq_u8(x[1], y), vceqq_u8(x[2], y), vceqq_u8(x[3], y));
}

SCAN_FUNCTION uint8x16_t within(uint8x16_t x, int first, int last) {
    return vcleq_u8(vsubq_u8(x, vdupq_n_u8((uint8_t)first)), vdupq_n_u8((uint8_t)(last - first)));
}

SCAN_FUNCTION uint64_t in_range(const uint8x16_t *x, int first, int last) {
    return bits(within(x[0], first, last), within(x[1], first, last),
                within(x[2], first, last), within(x[3], first, last));
}

SCAN_FUNCTION Block classify(const uint8_t *text, uint64_t *wide) {
    Block b = {};
    uint8x16_t x[4], small[4];
    for (int i = 0; i < 4; i++) {
        x[i] = vld1q_u8(text + 16 * i);
        small[i] = vorrq_u8(x[i], vdupq_n_u8(0x20));
    }
    *wide = in_range(x, 0x80, 0xFF);
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
    uint8x16_t x[4], letters[4];
    for (int i = 0; i < 4; i++) {
        x[i] = vld1q_u8(text + 16 * i);
        uint8x16_t low = vqtbl1q_u8(vld1q_u8(letter_table), vandq_u8(x[i], vdupq_n_u8(15)));
        uint8x16_t high = vqtbl1q_u8(vld1q_u8(letters_high), vshrq_n_u8(x[i], 4));
        letters[i] = vtstq_u8(low, high);
    }
    leads.more = in_range(x, 0x80, 0xBF);
    leads.three = in_range(x, 0xE0, 0xFF);
    leads.four = in_range(x, 0xF0, 0xFF);
    leads.letters = bits(letters[0], letters[1], letters[2], letters[3]);
    return leads;
}
