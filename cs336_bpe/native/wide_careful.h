/* Characters of several bytes, one after the other. For blocks in which something is not UTF-8. */
#ifndef CS336_BPE_WIDE_CAREFUL_H
#define CS336_BPE_WIDE_CAREFUL_H

#include "scan_tables.h"

/* The wide characters of a block: the bits of the class of each, at its first byte (see CLASS_*
 * and CASE_*); the bytes but the first; and how they go on in the next block. */
typedef struct { uint64_t bit0, bit1, bit2, more, due; } Wide;

enum { ALL_VALID = 64 };

/* The first byte of the block at `here` that is not UTF-8, or ALL_VALID. If `lenient`, such bytes
 * are of class O, which sets no bit. `left` bytes of text are left, and those in `due` are of the
 * block before. */
static BPE_NEVER_INLINE int classify_carefully(int kind, const uint8_t *here, size_t left,
                                               uint64_t due, int lenient, Wide *found) {
    Wide w = {0, 0, 0, due, 0};
    int size = left < 64 ? (int)left : 64;
    for (int i = due ? 64 - BPE_CLZ(due) : 0; i < size;) {
        int class_here = CLASS_O, length = 1;
        if (here[i] >= 0x80) {
            length = decode_wide(kind, here + i, &class_here);
            if (!length || (size_t)(i + length) > left) {
                if (!lenient) return i;
                length = 1;
                class_here = CLASS_O;
            }
        }
        w.bit0 |= (uint64_t)(class_here & 1) << i;
        w.bit1 |= (uint64_t)(class_here >> 1 & 1) << i;
        w.bit2 |= (uint64_t)(class_here >> 2 & 1) << i;
        for (int j = i + 1; j < i + length; j++) {
            if (j < 64) w.more |= (uint64_t)1 << j;
            else w.due |= (uint64_t)1 << (j - 64);
        }
        i += length;
    }
    *found = w;
    return ALL_VALID;
}

#endif
