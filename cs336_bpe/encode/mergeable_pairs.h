/* Places that no merge can cross.
 *
 * A merge joins two tokens at one place: between the last byte of the left one and the first byte of
 * the right one. So it can only cross a place whose two bytes are the last and the first byte of the
 * parts of some merge. Of all 65,536 pairs of bytes few are (2,689 with GPT-2's merges). At every other
 * pair a pretoken can be cut before it is merged, and its ids are those of the parts, one after the
 * other: neither part ever has a say in what happens in the other.
 */
#ifndef CS336_BPE_MERGEABLE_PAIRS_H
#define CS336_BPE_MERGEABLE_PAIRS_H

#include "perfect_merges.h"

struct MergeablePairs {
    uint64_t bits[65536 / 64];  /* [left << 8 | right] */

    void start(const Merges &merges) noexcept {
        memset(bits, 0, sizeof bits);
        for (size_t token = 256; token < merges.num_tokens; token++) {
            uint32_t left = merges.parts[token].left, right = merges.parts[token].right;
            while (left >= 256) left = merges.parts[left].right;
            while (right >= 256) right = merges.parts[right].left;
            bits[left << 2 | right >> 6] |= (uint64_t)1 << (right & 63);
        }
    }

    bool has(uint8_t left, uint8_t right) const noexcept {
        return bits[(size_t)left << 2 | right >> 6] >> (right & 63) & 1;
    }

    /* Bit k: may a merge cross the place before text[k + 1]? For up to 63 places. */
    uint64_t crossings(const uint8_t *text, size_t places) const noexcept {
        uint64_t all = 0;
        for (size_t k = 0; k < places; k++) all |= (uint64_t)has(text[k], text[k + 1]) << k;
        return all;
    }

    /* The first place after `at` that no merge crosses, or the end. */
    size_t next_cut(const uint8_t *text, size_t at, size_t end) const noexcept {
        while (++at < end && has(text[at - 1], text[at])) {}
        return at;
    }
};

#endif
