/* The classes of characters of several bytes. Included once for each kind of machine.
 *
 * Which bytes begin a character, and how long it is, comes as masks. So does, for the larger half of
 * all letters, that it is one: every character that begins with 0xD0, or with 0xE5, is. The others
 * are looked up one by one, without a branch but that of the loop.
 */

/* Masks of the first bytes of characters -> masks of all their bytes. `carry`: of the last one in
 * the block before. An addition lets a bit run through all bytes that belong to a character. */
SCAN_FUNCTION uint64_t spread(uint64_t firsts, uint64_t more, uint64_t carry) {
    return firsts | (more & ~(more + ((firsts << 1 | carry) & more)));
}

/* Returns false if the text may not be UTF-8. */
SCAN_FUNCTION bool look_up_wide(const uint8_t *here, size_t left, uint64_t inside, uint64_t wide,
                                uint64_t due, Wide *found) {
    Leads leads = classify_leads(here);
    uint64_t more = leads.more & inside, three = leads.three & inside, four = leads.four & inside;
    uint64_t first = wide & ~leads.more;
    uint64_t expected = due | first << 1 | three << 2 | four << 3;
    uint64_t low = leads.letters & first, high = 0;
    uint32_t all = 0;
    found->due = first >> 63 | three >> 62 | four >> 61;
    if (BPE_UNLIKELY(found->due))
        for (size_t i = 0; i < 3; i++)
            if (found->due >> i & 1 && (64 + i >= left || (here[64 + i] & 0xC0) != 0x80))
                all = CLASS_BAD;
    for (uint64_t rest = first & ~(four | low); rest; rest &= rest - 1) {
        int i = BPE_CTZ(rest);
        uint32_t row = row_of[(here[i] & 0x3Fu) << 6 | (here[i + 1] & 0x3Fu)];
        uint32_t class_here = rows[row][here[i + 2] & 0x3F];
        all |= class_here;
        low |= (uint64_t)(class_here & 1) << i;
        high |= (uint64_t)(class_here >> 1 & 1) << i;
    }
    for (uint64_t rest = four; BPE_UNLIKELY(rest); rest &= rest - 1) {
        int i = BPE_CTZ(rest), class_here = CLASS_BAD;
        if (!decode_wide(here + i, &class_here)) return false;
        low |= (uint64_t)(class_here & 1) << i;
        high |= (uint64_t)(class_here >> 1) << i;
    }
    found->low = low;
    found->high = high;
    found->more = more;
    return expected == more && all < CLASS_BAD;
}

/* The masks of the block at `at`. False if the text is not UTF-8: then scan->at says where. */
SCAN_FUNCTION bool classify_block(Scan *scan, size_t at, const Block &before, Block *block) {
    const uint8_t *here = scan->text + at;
    size_t left = scan->end - at;
    uint64_t wide, inside = left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
    Block b = classify(here, &wide);
    wide &= inside;
    if (BPE_UNLIKELY(wide)) {
        Wide w;
        if (BPE_UNLIKELY(!look_up_wide(here, left, inside, wide, before.due, &w))) {
            int valid = classify_carefully(here, left, before.due, scan->lenient, &w);
            if (valid < ALL_VALID) {
                scan->invalid = 1;
                scan->at = at + (size_t)valid;
                return false;
            }
        }
        b.L |= spread(w.low & ~w.high, w.more, before.L >> 63);
        b.N |= spread(w.high & ~w.low, w.more, before.N >> 63);
        b.W |= spread(w.low & w.high, w.more, before.W >> 63);
        b.more = w.more;
        b.due = w.due;
    }
    b.L &= inside;
    b.N &= inside;
    b.W &= inside;
    b.S &= inside;
    b.R &= inside;
    b.quote &= inside;
    b.O = inside & ~(b.L | b.N | b.W);
    *block = b;
    return true;
}
