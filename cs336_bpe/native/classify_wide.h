/* The classes of characters of several bytes. Included once for each kind of machine.
 *
 * Which bytes begin a character, and how long it is, comes as masks. So does, for the larger half
 * of all letters, that it is one: every character that begins with 0xD0, or with 0xE5, is. The
 * others are looked up one by one, without a branch but that of the loop.
 */

/* Masks of the first bytes of characters -> masks of all their bytes. `carry`: of the last one in
 * the block before. An addition lets a bit run through all bytes that belong to a character. */
SCAN_FUNCTION uint64_t spread(uint64_t firsts, uint64_t more, uint64_t carry) {
    return firsts | (more & ~(more + ((firsts << 1 | carry) & more)));
}

/* Returns false if the text may not be UTF-8. */
template <int kind>
SCAN_FUNCTION bool look_up_wide(const uint8_t *here, size_t left, uint64_t inside, uint64_t wide,
                                uint64_t due, Wide *found) {
    Leads leads = classify_leads(here, letters_low[kind]);
    uint64_t more = leads.more & inside, three = leads.three & inside, four = leads.four & inside;
    uint64_t first = wide & ~leads.more;
    uint64_t expected = due | first << 1 | three << 2 | four << 3;
    uint64_t letters = leads.letters & first, bit0 = letters, bit2 = 0;
    uint64_t bit1 = kind == CASED ? letters : 0;  /* CLASS_L is 1, CASE_X is 3 */
    uint32_t all = 0;
    found->due = first >> 63 | three >> 62 | four >> 61;
    if (BPE_UNLIKELY(found->due))
        for (size_t i = 0; i < 3; i++)
            if (found->due >> i & 1 && (64 + i >= left || (here[64 + i] & 0xC0) != 0x80))
                all = CLASS_BAD;
    for (uint64_t rest = first & ~(four | letters); rest; rest &= rest - 1) {
        int i = BPE_CTZ(rest);
        uint32_t row = row_of[kind][(here[i] & 0x3Fu) << 6 | (here[i + 1] & 0x3Fu)];
        uint32_t class_here = rows[kind][row][here[i + 2] & 0x3F];
        all |= class_here;
        bit0 |= (uint64_t)(class_here & 1) << i;
        bit1 |= (uint64_t)(class_here >> 1 & 1) << i;
        if (kind == CASED) bit2 |= (uint64_t)(class_here >> 2 & 1) << i;
    }
    for (uint64_t rest = four; BPE_UNLIKELY(rest); rest &= rest - 1) {
        int i = BPE_CTZ(rest), class_here = CLASS_BAD;
        if (!decode_wide(kind, here + i, &class_here)) return false;
        bit0 |= (uint64_t)(class_here & 1) << i;
        bit1 |= (uint64_t)(class_here >> 1 & 1) << i;
        bit2 |= (uint64_t)(class_here >> 2) << i;
    }
    found->bit0 = bit0;
    found->bit1 = bit1;
    found->bit2 = bit2;
    found->more = more;
    return expected == more && all < CLASS_BAD;
}

/* Add the wide characters to the masks of a block. */
template <int kind>
SCAN_FUNCTION void add_wide(const Wide &w, const Block &before, Block *b) {
    uint64_t letters = w.bit0 & ~w.bit1, digits = w.bit1 & ~w.bit0, white = w.bit0 & w.bit1;
    if (kind == CASED) {
        letters = (w.bit0 | w.bit1) & ~w.bit2;
        digits = w.bit0 & w.bit2;
        white = w.bit1 & w.bit2;
        b->U |= spread(w.bit0 & ~w.bit1 & ~w.bit2, w.more, before.U >> 63);
        b->B |= spread(w.bit1 & ~w.bit0 & ~w.bit2, w.more, before.B >> 63);
        b->M |= spread(w.bit2 & ~w.bit0 & ~w.bit1, w.more, before.M >> 63);
    }
    b->L |= spread(letters, w.more, before.L >> 63);
    b->N |= spread(digits, w.more, before.N >> 63);
    b->W |= spread(white, w.more, before.W >> 63);
    b->more = w.more;
    b->due = w.due;
}

/* The masks of the block at `at`. False if the text is not UTF-8: then scan->at says where. */
template <int kind, bool newlines>
SCAN_FUNCTION bool classify_block(Scan *scan, size_t at, const Block &before, Block *block) {
    const uint8_t *here = scan->text + at;
    size_t left = scan->end - at;
    uint64_t wide, inside = left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
    Block b = classify(here, &wide);
    b.B = b.L & ~b.U;
    wide &= inside;
    if (BPE_UNLIKELY(wide)) {
        Wide w;
        if (BPE_UNLIKELY(!look_up_wide<kind>(here, left, inside, wide, before.due, &w))) {
            int valid = classify_carefully(kind, here, left, before.due, scan->lenient, &w);
            if (valid < ALL_VALID) {
                scan->invalid = 1;
                scan->at = at + (size_t)valid;
                return false;
            }
        }
        add_wide<kind>(w, before, &b);
    }
    b.L &= inside;
    b.N &= inside;
    b.W &= inside;
    b.S &= inside;
    b.quote &= inside;
    b.R = newlines ? b.R & inside : 0;  /* what is not needed is not computed */
    b.slash = kind == CASED ? b.slash & inside : 0;
    b.U = kind == CASED ? b.U & inside : 0;
    b.B = kind == CASED ? b.B & inside : 0;
    b.O = inside & ~(b.L | b.N | b.W);
    *block = b;
    return true;
}
