/* The pattern of o200k as operations on masks. Included once for each kind of machine.
 *
 * In short, with u for [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and l for [\p{Ll}\p{Lm}\p{Lo}\p{M}]:
 *
 *     [^\r\n\p{L}\p{N}]?u*l+(?i:'s|...)?|[^\r\n\p{L}\p{N}]?u+l*(?i:'s|...)?
 *     |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *
 * It is cl100k's but for these:
 *
 *   - a word starts anew where upper case follows lower case: camelCase. Letters without case and
 *     marks (either, below) go with both. After them, upper case starts a word only if nothing but
 *     upper case follows: u*l+ is tried first, and ends at the last character that can be an l;
 *   - marks are parts of words, but after symbols that no word has taken they are symbols too;
 *   - slashes after newlines after symbols are tied to them, as the newlines are;
 *   - a contraction belongs to the word before it, which ends with it.
 */

/* From the bits of `seeds` on through all bits of `mask` without a gap. */
SCAN_FUNCTION uint64_t flood(uint64_t seeds, uint64_t mask) {
    seeds &= mask;
    return mask & (((mask + seeds) ^ mask) | seeds);
}

/* Is there, after upper case from `at` on, the end of the word? */
static BPE_NEVER_INLINE bool upper_ends_word(const Scan *scan, size_t at) {
    const uint8_t *text = scan->text;
    for (size_t length = 1; at < scan->end; at += length) {
        int class_here = CASE_O;
        if (text[at] >= 0x80) {
            length = (size_t)decode_wide(CASED, text + at, &class_here);
            if (!length || at + length > scan->end) return true;
        } else {
            int small = text[at] | 0x20;
            length = 1;
            class_here = small < 'a' || small > 'z' ? CASE_O : text[at] == small ? CASE_B : CASE_U;
        }
        if (class_here != CASE_U)
            return class_here != CASE_B && class_here != CASE_X && class_here != CASE_M;
    }
    return true;
}

/* The contractions of the apostrophes in `quotes`, each after a word and with a letter after it.
 * Sets the starts after them, clears their own, and cuts their letters out of what has a case. */
SCAN_FUNCTION uint64_t suffixes(Scan *scan, uint64_t quotes, uint64_t *cut, uint64_t *clear) {
    uint64_t set = scan->set, next_set = 0, next_cut = 0;
    *cut = scan->cut;
    for (; BPE_UNLIKELY(quotes); quotes &= quotes - 1) {
        int i = BPE_CTZ(quotes);
        size_t at = scan->at + (size_t)i;
        unsigned first = first_letter[1][scan->text[at + 1]];
        unsigned both = first & second_letter[1][scan->text[at + 2]];
        uint64_t two = first & 1, three = (both != 0) & (at + 2 < scan->end);
        uint64_t to_set = two << 2 | three << 3, to_cut = two << 1 | three << 1 | three << 2;
        if (!(two | three) || at == scan->suffix_end) continue;  /* 's's: the second is a word */
        scan->suffix_end = at + 2 + three;
        set |= to_set << i;
        *cut |= to_cut << i;
        *clear |= (uint64_t)1 << i;
        next_set |= to_set >> 1 >> (63 - i);
        next_cut |= to_cut >> 1 >> (63 - i);
    }
    scan->set = next_set;
    scan->cut = next_cut;
    return set;
}

SCAN_FUNCTION uint64_t o200k(Scan *scan, const Block &before, const Block &b, const Block &next) {
    uint64_t after_space = after(b.S, before.S);
    uint64_t after_white = after(b.W & ~b.R, before.W & ~before.R);
    uint64_t symbols = b.O & ~b.M, newlines_and_slashes = b.R | b.slash;
    uint64_t first_marks = b.M & ~after(b.M, before.M);

    /* What is tied, and which marks are symbols, depends on what is before it. The first place that
     * is wrong becomes right in each round; most often there is none. */
    uint64_t found = symbols, all_others, others, after_other, single, after_single, tied, marks;
    do {
        all_others = found;
        after_other = all_others << 1 | scan->other;
        others = all_others & ~after_other & ~after_space;
        single = spread(others, b.more, scan->single);
        after_single = single << 1 | scan->single;
        tied = flood((b.R & after_other) | scan->tied, newlines_and_slashes);
        marks = flood((first_marks & after_other & ~after_single) | scan->mark, b.M);
        found = (symbols & ~tied) | marks;
    } while (BPE_UNLIKELY(found != all_others));
    uint64_t begins = white_starts<false>(scan, before, b, next, tied);
    begins |= others | digit_groups<3>(scan, before, b);

    uint64_t words = b.L | (b.M & ~marks), after_word = words << 1 | scan->word;
    begins |= words & ~after_word & ~after_white & ~after_single;

    uint64_t cut, clear = 0;
    uint64_t set = suffixes(scan, b.quote & after_word & ahead(b.L, next.L, 1), &cut, &clear);
    begins = (begins & ~clear) | set;

    /* Case. */
    uint64_t upper = b.U & ~cut, lower = b.B & ~cut, either = words & ~(b.U | b.B | cut);
    lower |= flood(lower << 1 | scan->lower, either);
    uint64_t after_lower = lower << 1 | scan->lower;
    begins |= upper & after_lower;
    uint64_t rest = upper & ~after_lower & (either << 1 | scan->either);
    for (; BPE_UNLIKELY(rest); rest &= rest - 1) {
        uint64_t first = rest & -rest, stop = (upper + first) & ~upper;
        size_t next_block = scan->at + 64 + (b.due & 1) + (b.due >> 1 & 1) + (b.due >> 2);
        if (stop ? !(stop & words) : upper_ends_word(scan, next_block)) begins |= first;
    }
    scan->tied = tied >> 63;
    scan->single = single >> 63;
    scan->other = all_others >> 63;
    scan->mark = marks >> 63;
    scan->word = words >> 63;
    scan->lower = lower >> 63;
    scan->either = either >> 63;
    return begins & (b.L | b.N | b.O | b.W);
}
