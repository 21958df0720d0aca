/* The pattern of cl100k and its relatives as operations on masks. Included once for each kind of
 * machine.
 *
 *     (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
 *     | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *
 *   - a run of L starts a pretoken, unless there is a character before it to go with: white space
 *     that is no newline, or a single O without a space before it;
 *   - a run of N starts one at its first character, and at each third after that (or another one);
 *   - a run of O starts one, unless a space is before it; newlines after it are tied to it;
 *   - white space that is not tied starts one where it begins; after its last newline; and at the
 *     last character before something, if that is not a newline;
 *   - contractions are those of GPT-2, in any case.
 */

/* Does white space go on from `at` to a newline (1), to something else (0), or to the end of the
 * text (`at_end`)? */
static BPE_NEVER_INLINE int reaches_newline(const Scan *scan, size_t at, int at_end) {
    const uint8_t *text = scan->text;
    while (at < scan->end) {
        int class_here = CLASS_O, length = 1;
        if (text[at] >= 0x80) {
            length = decode_wide(PLAIN, text + at, &class_here);
            if (class_here != CLASS_W || !length || at + (size_t)length > scan->end) return 0;
        } else if (text[at] == '\n' || text[at] == '\r') {
            return 1;
        } else if (text[at] != ' ' && (text[at] < '\t' || text[at] > '\r')) {
            return 0;
        }
        at += (size_t)length;
    }
    return at_end;
}

/* Where groups of up to `most` digits start in runs of them. */
template <int most>
SCAN_FUNCTION uint64_t digit_groups(Scan *scan, const Block &before, const Block &b) {
    uint64_t after_digit = after(b.N, before.N), groups = b.N & ~after_digit;
    if (most == 1) return b.N & ~b.more;
    if (!b.N) return 0;
    if (BPE_UNLIKELY(b.N & b.more)) {  /* digits of several bytes */
        unsigned owed = scan->owed;
        for (uint64_t rest = b.N & ~b.more; rest; rest &= rest - 1) {
            uint64_t digit = rest & -rest;
            if (!(after_digit & digit)) owed = 0;
            if (!owed) groups |= digit;
            owed = owed ? owed - 1 : most - 1;
        }
        scan->owed = owed;
        return groups;
    }
    /* Go on with the group that has begun in the block before. */
    uint64_t needed = ((uint64_t)2 << scan->owed) - 1;
    if (BPE_UNLIKELY(b.N & after_digit & 1) && (b.N & needed) == needed)
        groups |= (uint64_t)1 << scan->owed;
    uint64_t together = b.N & b.N << 1;  /* `most` digits, of which this is the last */
    if (most == 3) together &= b.N << 2;
    for (uint64_t last = groups; (last = last << most & together) != 0;) groups |= last;
    if (BPE_UNLIKELY(b.N >> 63))
        scan->owed = (unsigned)(most - 1 - BPE_CLZ(groups));
    return groups;
}

/* The starts in white space, of which that in `tied` belongs to what is before it. `whole_tail`:
 * white space at the end of the text is one pretoken, also if a newline is in it (\s++$). */
template <bool whole_tail>
SCAN_FUNCTION uint64_t white_starts(const Scan *scan, const Block &before, const Block &b,
                                    const Block &next, uint64_t tied) {
    uint64_t not_newline = b.W & ~b.R, white = b.W & ~tied, newlines = b.R & ~tied;
    uint64_t white_before = before.W >> 63 & ~scan->tied;
    uint64_t newline_before = before.R >> 63 & ~scan->tied;
    size_t next_block = scan->at + 64 + (b.due & 1) + (b.due >> 1 & 1) + (b.due >> 2);
    uint64_t begins = (white & ~(white << 1 | white_before)) | (last_white(b, next) & not_newline);
    /* After a newline: up to where? */
    for (uint64_t rest = not_newline & (newlines << 1 | newline_before); rest; rest &= rest - 1) {
        uint64_t first = rest & -rest, stop = (not_newline + first) & ~not_newline;
        if (stop & b.R) continue;
        if (stop & (b.L | b.N | b.O)) begins |= first;
        else if (!reaches_newline(scan, stop ? scan->end : next_block, whole_tail)) begins |= first;
    }
    return begins;
}

/* `most_digits`: in a group. */
template <int most_digits, bool whole_tail>
SCAN_FUNCTION uint64_t cl100k(Scan *scan, const Block &before, const Block &b, const Block &next) {
    uint64_t after_other = after(b.O, before.O), after_space = after(b.S, before.S);
    uint64_t after_white = after(b.W & ~b.R, before.W & ~before.R);

    uint64_t first_tied = b.R & (after_other | scan->tied);
    uint64_t tied = b.R & ~(b.R + first_tied);
    uint64_t begins = white_starts<whole_tail>(scan, before, b, next, tied);

    uint64_t others = b.O & ~after_other & ~after_space;
    uint64_t single = spread(others, b.more, scan->single);
    uint64_t letters = b.L & ~after(b.L, before.L);
    begins |= others | (letters & ~after_white & ~(single << 1 | scan->single));
    begins |= digit_groups<most_digits>(scan, before, b);

    scan->tied = tied >> 63;
    scan->single = single >> 63;
    begins = contract(scan, begins, others & b.quote & ahead(b.L, next.L, 1), 1);
    return begins & (b.L | b.N | b.O | b.W);
}
