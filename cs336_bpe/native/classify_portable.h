/* 64 bytes into masks, by a table. Works everywhere.
 *
 * What a byte is stands in `planes_of`: a number of four bits, each of them in 16 bits of its own.
 * So sixteen bytes of text, shifted by one place after each, are 16 bits of four masks; and four
 * such rows, turned over like a square sheet, are the four masks. The others follow from them. */

SCAN_FUNCTION Block classify(const uint8_t *text, uint64_t *wide) {
    const uint64_t quarters = 0x0000FFFF0000FFFFu, half = 0x00000000FFFFFFFFu;
    Block b = {};
    uint64_t rows[4] = {};
    for (int i = 0; i < 4; i++)
        for (int j = 15; j >= 0; j--) rows[i] = rows[i] << 1 | planes_of[text[16 * i + j]];
    uint64_t even01 = (rows[0] & quarters) | (rows[1] & quarters) << 16;
    uint64_t odd01 = (rows[0] >> 16 & quarters) | (rows[1] & ~quarters);
    uint64_t even23 = (rows[2] & quarters) | (rows[3] & quarters) << 16;
    uint64_t odd23 = (rows[2] >> 16 & quarters) | (rows[3] & ~quarters);
    uint64_t letter = (even01 & half) | even23 << 32, digit = even01 >> 32 | (even23 & ~half);
    uint64_t white = (odd01 & half) | odd23 << 32, other = odd01 >> 32 | (odd23 & ~half);
    b.L = letter & ~(white | other);
    b.U = b.L & digit;
    b.N = digit & ~(letter | white | other);
    b.W = white;
    b.S = white & ~(letter | digit);
    b.R = white & letter;
    b.quote = other & digit;
    b.slash = other & letter;
    *wide = other & ~(letter | digit);
    return b;
}

/* The highest bits of eight bytes, as eight bits. */
SCAN_FUNCTION uint64_t high_bits(uint64_t x) {
    return (x & HIGH_BITS) * 0x0002040810204081u >> 56;
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
