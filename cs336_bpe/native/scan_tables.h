/* The classes of characters of several bytes. */
#ifndef CS336_BPE_SCAN_TABLES_H
#define CS336_BPE_SCAN_TABLES_H

#include "scan.h"

/* Two ways to tell characters apart. PLAIN has four classes, and marks are others. CASED has seven:
 * letters in upper case, in lower case and without, and marks. */
enum { PLAIN, CASED };
enum { CLASS_O, CLASS_L, CLASS_N, CLASS_W };
enum { CASE_O, CASE_U, CASE_B, CASE_X, CASE_M, CASE_N, CASE_W };
enum { CLASS_BAD = 8 };

/* The classes of all code points: classes[index[c >> 8] << 8 | (c & 255)]. */
static uint8_t class_index[2][0x1100];
static uint8_t classes[2][256 << 8];

/* The same by bytes, for characters of two and three: rows[row_of[...first two]][...third], with
 * six bits of each. Rows that are alike are kept once. What is not UTF-8 is CLASS_BAD. */
static uint8_t row_of[2][0x30 << 6];
static uint8_t rows[2][256][64];

/* First bytes that always start a letter (one without case if CASED), whatever follows: for
 * b >= 0xC0, a bit for the high four bits of b in letters_low[b & 15], and the same bit in
 * letters_high[b >> 4]. */
static uint8_t letters_low[2][16], letters_high[16];

/* What may follow an apostrophe: a letter that makes a contraction with it has bit 0; the first and
 * the second letter of one of two have a bit in common. [0]: small letters; [1]: any case. */
static uint8_t first_letter[2][256], second_letter[2][256];

/* What a byte is, for the portable path: one of these, with each bit in 16 bits of its own. Two
 * of the first four make a fifth, where a byte can't be both: a newline is white, and "a letter". */
enum {
    PLANE_LETTER = 1, PLANE_WHITE = 2, PLANE_DIGIT = 4, PLANE_OTHER = 8,
    BYTE_CAPITAL = PLANE_LETTER | PLANE_DIGIT,
    BYTE_NEWLINE = PLANE_WHITE | PLANE_LETTER,
    BYTE_TAB = PLANE_WHITE | PLANE_DIGIT,
    BYTE_QUOTE = PLANE_OTHER | PLANE_DIGIT,
    BYTE_SLASH = PLANE_OTHER | PLANE_LETTER
};
static uint64_t planes_of[256];

static int class_of(int kind, uint32_t c) {
    return classes[kind][(uint32_t)class_index[kind][c >> 8] << 8 | (c & 255)];
}

static int class_of_bytes(int kind, int first, int second, int third) {
    uint32_t c;
    if (first < 0xE0) {
        c = (uint32_t)(first & 0x1F) << 6 | (uint32_t)second;
        return c < 0x80 ? CLASS_BAD : class_of(kind, c);
    }
    c = (uint32_t)(first & 0x0F) << 12 | (uint32_t)second << 6 | (uint32_t)third;
    return c < 0x800 || (c >= 0xD800 && c < 0xE000) ? CLASS_BAD : class_of(kind, c);
}

static void fill_rows(int kind) {
    int number = 0, letter = kind == CASED ? CASE_X : CLASS_L;
    for (int first = 0xC0; first < 0xF0; first++) {
        int only_letters = 1;
        for (int second = 0; second < 64; second++) {
            int row = 0;
            for (int third = 0; third < 64; third++) {
                rows[kind][number][third] = (uint8_t)class_of_bytes(kind, first, second, third);
                only_letters &= rows[kind][number][third] == letter;
            }
            while (memcmp(rows[kind][row], rows[kind][number], 64) != 0) row++;
            number += row == number;
            row_of[kind][(first - 0xC0) << 6 | second] = (uint8_t)row;
        }
        if (only_letters) letters_low[kind][first & 15] |= (uint8_t)(1 << (first >> 4 & 7));
    }
    for (int high = 12; high < 15; high++) letters_high[high] = (uint8_t)(1 << (high & 7));
}

static void fill_contractions(void) {
    enum { ALONE = 1, LL = 2, VE_RE = 4, LONG_S = 8 };
    for (int any_case = 0; any_case < 2; any_case++)
        for (int shift = 0; shift <= 0x20 * any_case; shift += 0x20) {
            uint8_t *first = first_letter[any_case], *second = second_letter[any_case];
            for (const char *letter = "sdmt"; *letter; letter++) first[*letter - shift] = ALONE;
            first['l' - shift] = second['l' - shift] = LL;
            first['v' - shift] = first['r' - shift] = second['e' - shift] = VE_RE;
        }
    first_letter[1][0xC5] = second_letter[1][0xBF] = LONG_S;  /* U+017F is an s in any case */
}

static void set_planes(int first, int last, int what) {
    uint64_t planes = 0;
    for (int bit = 0; bit < 4; bit++) planes |= (uint64_t)(what >> bit & 1) << 16 * bit;
    for (int byte = first; byte <= last; byte++) planes_of[byte] = planes;
}

static void fill_planes(void) {
    set_planes('a', 'z', PLANE_LETTER);
    set_planes('A', 'Z', BYTE_CAPITAL);
    set_planes('0', '9', PLANE_DIGIT);
    set_planes('\t', '\r', BYTE_TAB);
    set_planes('\n', '\n', BYTE_NEWLINE);
    set_planes('\r', '\r', BYTE_NEWLINE);
    set_planes(' ', ' ', PLANE_WHITE);
    set_planes('\'', '\'', BYTE_QUOTE);
    set_planes('/', '/', BYTE_SLASH);
    set_planes(0x80, 0xFF, PLANE_OTHER);
}

/* Has to be called once for each kind, with the tables that native/classes.py makes. */
static void fill_scan_tables(int kind, const void *index, size_t index_size,
                             const void *all_classes, size_t classes_size) {
    memcpy(class_index[kind], index, index_size);
    memcpy(classes[kind], all_classes, classes_size);
    fill_rows(kind);
    fill_contractions();
    fill_planes();
}

/* The length and the class of the UTF-8 character at `text`; length 0 if it is not valid.
 * Reads at most 3 bytes more. */
static int decode_wide(int kind, const uint8_t *text, int *class_here) {
    uint32_t a = text[0], b = text[1];
    if (a < 0xC2 || a > 0xF4 || (b & 0xC0) != 0x80) return 0;
    if (a >= 0xE0 && (text[2] & 0xC0) != 0x80) return 0;
    if (a < 0xF0) {
        *class_here = class_of_bytes(kind, (int)a, b & 0x3F, text[2] & 0x3F);
        return *class_here == CLASS_BAD ? 0 : a < 0xE0 ? 2 : 3;
    }
    if ((text[3] & 0xC0) != 0x80) return 0;
    uint32_t c = (a & 7) << 18 | (b & 0x3F) << 12 | (text[2] & 0x3Fu) << 6 | (text[3] & 0x3F);
    if (c < 0x10000 || c > 0x10FFFF) return 0;
    *class_here = class_of(kind, c);
    return 4;
}

#endif
