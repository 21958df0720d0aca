/* 64 bytes into masks, eight at a time in a 64-bit integer. Works everywhere. */

/* The highest bits of eight bytes, as eight bits. */
SCAN_FUNCTION uint64_t high_bits(uint64_t x) {
    return (x & HIGH_BITS) * 0x0002040810204081u >> 56;
}

/* The highest bit of each byte that is in a range, of bytes below 0x80. */
SCAN_FUNCTION uint64_t in_range(uint64_t x, int first, int last) {
    return (x + EACH_BYTE * (uint64_t)(0x80 - first)) & ~(x + EACH_BYTE * (uint64_t)(0x7F - last));
}

SCAN_FUNCTION Block classify(const uint8_t *text, uint64_t *wide) {
    Block b = {};
    *wide = 0;
    for (int i = 0; i < 64; i += 8) {
        uint64_t x = eight_bytes(text + i), low = x & ~HIGH_BITS, narrow = ~x & HIGH_BITS;
        uint64_t space = in_range(low, ' ', ' ') & narrow;
        *wide |= high_bits(x) << i;
        b.L |= high_bits(in_range(low | EACH_BYTE * 0x20, 'a', 'z') & narrow) << i;
        b.N |= high_bits(in_range(low, '0', '9') & narrow) << i;
        b.S |= high_bits(space) << i;
        b.W |= high_bits((in_range(low, '\t', '\r') & narrow) | space) << i;
        b.R |= high_bits((in_range(low, '\n', '\n') | in_range(low, '\r', '\r')) & narrow) << i;
        b.slash |= high_bits(in_range(low, '/', '/') & narrow) << i;
        b.U |= high_bits(in_range(low, 'A', 'Z') & narrow) << i;
        b.quote |= high_bits(in_range(low, '\'', '\'') & narrow) << i;
    }
    return b;
}

/* Of the bytes from 0x80 on: those that do not start a character, those of 0xE0 and above, those of
 * 0xF0 and above, and those that start a letter whatever follows (or none of them, as here). */
SCAN_FUNCTION Leads classify_leads(const uint8_t *text, const uint8_t *letter_table) {
    Leads leads = {};
    (void)letter_table;
    for (int i = 0; i < 64; i += 8) {
        uint64_t x = eight_bytes(text + i);
        leads.more |= high_bits(x & ~(x << 1)) << i;
        leads.three |= high_bits(x & x << 1 & x << 2) << i;
        leads.four |= high_bits(x & x << 1 & x << 2 & x << 3) << i;
    }
    return leads;
}
