/* Merging a word of up to 127 bytes without a branch that depends on it.
 *
 * Tokens stay where their first byte is, linked to their neighbours. Each place has a key: the token
 * that it and the next one would make, and the place itself. So the least key says what to merge and
 * where, and among equal tokens it is the leftmost. The least of sixteen keys is found at once; for
 * a longer word, the least of each sixteen is remembered, and the least of these is taken.
 */
#ifndef CS336_BPE_MERGE_WORDS_H
#define CS336_BPE_MERGE_WORDS_H

#include "perfect_merges.h"

enum { SCAN_BELOW = 128 };  /* bytes: places that a key has bits for */

/* The least of `number` keys, a power of two. */
template <int number> BPE_INLINE uint64_t least_of(const uint64_t *keys) {
    uint64_t a = least_of<number / 2>(keys), b = least_of<number / 2>(keys + number / 2);
    return a < b ? a : b;
}
template <> BPE_ALWAYS_INLINE uint64_t least_of<1>(const uint64_t *keys) { return keys[0]; }

struct WordMerger {
    enum { BLOCK = 16, NOWHERE = 128, BLOCKS = NOWHERE / BLOCK };
    /* 64 bits, though 32 would do: several small numbers that were just written can't be read as one
     * large one without a wait, which is what a compiler makes of it if it can. */
    uint64_t keys[NOWHERE + BLOCK];  /* token << 7 | place */
    uint64_t least[BLOCKS];          /* of each block */
    uint32_t tokens[NOWHERE + 1];
    uint8_t next[NOWHERE + 1], before[NOWHERE + 1];

    static uint64_t key_of(uint64_t token, uint64_t place) noexcept { return token << 7 | place; }

    /* Returns the number of ids. If `places` is not 0, there are no more, and it is a constant. */
    template <int places>
    size_t merge(const Merges &merges, const uint8_t *text, size_t length, uint32_t *ids) noexcept {
        const uint64_t none = key_of(NO_MERGE, 0);
        const size_t all = places ? places : (length + BLOCK - 1) / BLOCK * BLOCK;
        for (size_t i = 0; i < length; i++) {
            tokens[i] = text[i];
            next[i] = (uint8_t)(i + 1);
            before[i] = (uint8_t)(i - 1);
        }
        for (size_t i = 0; i + 1 < length; i++) keys[i] = key_of(merges.of_bytes(text[i], text[i + 1]), i);
        for (size_t i = length - 1; i < all; i++) keys[i] = none;
        before[0] = NOWHERE;
        tokens[length] = tokens[NOWHERE] = NO_TOKEN;
        if (!places)
            for (size_t b = 0; b < BLOCKS; b++)
                least[b] = b * BLOCK < all ? least_of<BLOCK>(keys + b * BLOCK) : none;
        for (;;) {
            uint64_t key = places ? least_of<places ? places : 1>(keys) : least_of<BLOCKS>(least);
            if (key >= none) break;
            uint32_t token = (uint32_t)(key >> 7);
            size_t here = key & 127, gone = next[here], after = next[gone], ahead = before[here];
            uint32_t right = merges.of(token, tokens[after]), left = merges.of(tokens[ahead], token);
            tokens[here] = token;
            next[here] = (uint8_t)after;
            before[after] = (uint8_t)here;
            keys[gone] = none;
            keys[here] = key_of(right, here);
            keys[ahead] = key_of(left, ahead);
            if (!places) {
                least[here / BLOCK] = least_of<BLOCK>(keys + here / BLOCK * BLOCK);
                least[gone / BLOCK] = least_of<BLOCK>(keys + gone / BLOCK * BLOCK);
                if (here) least[ahead / BLOCK] = least_of<BLOCK>(keys + ahead / BLOCK * BLOCK);
            }
        }
        size_t number = 0;
        for (size_t i = 0; i < length; i = next[i]) ids[number++] = merges.ids[tokens[i]];
        return number;
    }
};

/* Encode fewer than SCAN_BELOW bytes; returns the number of ids. */
static size_t merge_by_scan(const Merges &merges, const uint8_t *text, size_t length,
                            uint32_t *ids) {
    WordMerger merger;
    return length <= 8    ? merger.merge<8>(merges, text, length, ids)
           : length <= 16 ? merger.merge<16>(merges, text, length, ids)
                          : merger.merge<0>(merges, text, length, ids);
}

#endif
