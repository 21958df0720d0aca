/* GPT-2's pattern as operations on masks. Included once for each kind of machine.
 *
 *     '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *
 *   - a run of white space starts a pretoken where it begins, and another one at its last
 *     character if something follows: \s+(?!\S) leaves that one behind;
 *   - a run of L, N or O starts one where it begins, unless a space is before it: then the space,
 *     being the last white space before something, has started it already;
 *   - an apostrophe that starts one, with the right letters after it, is a contraction: the letters
 *     start none, and what comes after them does.
 */

/* The bytes that come just after those of a mask. */
SCAN_FUNCTION uint64_t after(uint64_t mask, uint64_t mask_before) {
    return mask << 1 | mask_before >> 63;
}

/* The bytes that have one of a mask `by` places further on. */
SCAN_FUNCTION uint64_t ahead(uint64_t mask, uint64_t mask_of_next, int by) {
    return mask >> by | mask_of_next << (64 - by);
}

/* The first bytes of the characters of a run of white space that are the last ones in it, and have
 * something after them. White space has one to three bytes. */
SCAN_FUNCTION uint64_t last_white(const Block &b, const Block &next) {
    uint64_t some = b.L | b.N | b.O, next_some = next.L | next.N | next.O;
    uint64_t last = ahead(some, next_some, 1);
    if (BPE_UNLIKELY(b.more | next.more))
        last |= ahead(b.more, next.more, 1)
                & (ahead(some, next_some, 2)
                   | (ahead(b.more, next.more, 2) & ahead(some, next_some, 3)));
    return b.W & ~b.more & last;
}

/* Correct `begins` for the contractions of the apostrophes in `quotes`, a letter after each. What
 * that does to the next block is kept for it. */
SCAN_FUNCTION uint64_t contract(Scan *scan, uint64_t begins, uint64_t quotes, int any_case) {
    uint64_t set = scan->set, clear = scan->clear, next_set = 0, next_clear = 0;
    for (; BPE_UNLIKELY(quotes); quotes &= quotes - 1) {
        int i = BPE_CTZ(quotes);
        size_t at = scan->at + (size_t)i;
        unsigned first = first_letter[any_case][scan->text[at + 1]];
        unsigned both = first & second_letter[any_case][scan->text[at + 2]];
        uint64_t two = first & 1, three = (both != 0) & (at + 2 < scan->end);
        uint64_t to_set = two << 2 | three << 3, to_clear = (two | three) << 1;
        set |= to_set << i;
        clear |= to_clear << i;
        next_set |= to_set >> 1 >> (63 - i);
        next_clear |= to_clear >> 1 >> (63 - i);
    }
    scan->set = next_set;
    scan->clear = next_clear;
    return (begins & ~clear) | set;
}

SCAN_FUNCTION uint64_t gpt2(Scan *scan, const Block &before, const Block &b, const Block &next) {
    uint64_t runs = (b.L & ~after(b.L, before.L)) | (b.N & ~after(b.N, before.N))
                    | (b.O & ~after(b.O, before.O));
    uint64_t begins = (runs & ~after(b.S, before.S)) | (b.W & ~after(b.W, before.W))
                      | last_white(b, next);
    begins = contract(scan, begins, begins & b.quote & ahead(b.L, next.L, 1), 0);
    return begins & (b.L | b.N | b.O | b.W);  /* no contraction's end after the end of the text */
}
