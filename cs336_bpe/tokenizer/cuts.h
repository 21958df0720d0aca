/* Places where a text can be cut, so that its parts can be encoded one by one. */
#ifndef CS336_BPE_CUTS_H
#define CS336_BPE_CUTS_H

#include "scan.h"

BPE_INLINE bool is_white(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* The last place at or before `from` where a pretoken starts whatever is around it: white space
 * after something else (docs/pretokenize/cutting.md). Looks at most at `reach` bytes; 0 if there is
 * none among them. */
static size_t last_cut(const uint8_t *text, size_t from, size_t reach) {
    size_t stop = from > reach ? from - reach : 0;
    for (size_t at = from; at > stop; at--)
        if (is_white(text[at]) && text[at - 1] < 0x80 && !is_white(text[at - 1])) return at;
    return 0;
}

/* The length of the contraction ('s 'd 'm 't 'll 've 're) at `text`, which has `size` bytes; or 0. */
BPE_INLINE size_t contraction(const uint8_t *text, size_t size) {
    if (text[0] != '\'' || size < 2) return 0;
    uint8_t a = text[1];
    if (a == 's' || a == 'd' || a == 'm' || a == 't') return 2;
    if (size < 3) return 0;
    uint8_t b = text[2];
    return (a == 'l' && b == 'l') || ((a == 'v' || a == 'r') && b == 'e') ? 3 : 0;
}

/* How much of a text is cut into pretokens for good, whatever may follow it. The last pretoken is
 * not, because more of it may come, unless it is a contraction. Nor is an apostrophe before it if
 * together they may become a contraction: `'l` is two pretokens, but `'ll` is one. SCAN_PADDING
 * bytes after the end must be readable. */
static size_t final_part(const uint8_t *text, size_t size) {
    size_t starts[256], before = 0, last = 0, number;
    Scan scan;
    if (!size) return 0;
    last = before = last_cut(text, size - 1, size);
    scan_begin(&scan, text, last, size);
    scan.lenient = 1;
    while (scan.at < size) {
        number = scan_starts(SCAN_GPT2, &scan, starts, 256);
        if (number > 1) before = starts[number - 2];
        else if (number) before = last;
        if (number) last = starts[number - 1];
    }
    if (text[last] == '\'') return last + contraction(text + last, size - last);
    if (text[before] == '\'' && last == before + 1 && size == last + 1
        && (text[last] == 'l' || text[last] == 'v' || text[last] == 'r'))
        return before;
    return last;
}

#endif
