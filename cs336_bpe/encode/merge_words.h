/* Merging a word of up to 127 bytes with few branches that depend on it.
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

/* The tokens of a word while it is merged, in up to `number` places. */
template <int number> struct Places {
    enum { NOWHERE = number };
    /* 64 bits, though 32 would do: several small numbers that were just written can't be read as one
     * large one without a wait, which is what a compiler makes of it if it can. */
    uint64_t keys[number + 1];  /* token << 7 | place */
    uint32_t tokens[number + 1];
    uint8_t next[number + 1], before[number + 1];

    static uint64_t key_of(uint64_t token, uint64_t place) noexcept { return token << 7 | place; }
    static uint64_t none() noexcept { return key_of(NO_MERGE, 0); }

    /* Merge what the least key says. */
    BPE_ALWAYS_INLINE void merge_one(const Merges &merges, uint64_t key) noexcept {
        uint32_t token = (uint32_t)(key >> 7);
        size_t here = key & 127, gone = next[here], after = next[gone], ahead = before[here];
        uint32_t right = merges.of(token, tokens[after]), left = merges.of(tokens[ahead], token);
        tokens[here] = token;
        next[here] = (uint8_t)after;
        before[after] = (uint8_t)here;
        keys[gone] = none();
        keys[here] = key_of(right, here);
        keys[ahead] = key_of(left, ahead);
    }

    /* Returns the number of ids. */
    BPE_ALWAYS_INLINE size_t write_ids(const Merges &merges, size_t length, uint32_t *ids) noexcept {
        size_t made = 0;
        for (size_t i = 0; i < length; i = next[i]) ids[made++] = merges.ids[tokens[i]];
        return made;
    }
};

/* A word of up to 8, 12 or 16 bytes. What is done for each place is done for all of them, so that the
 * processor never has to guess where the word ends. */
template <int places> struct ShortWord : Places<16> {
    BPE_ALWAYS_INLINE uint64_t least() const noexcept {
        if (places != 12) return least_of<places == 8 ? 8 : 16>(keys);
        uint64_t a = least_of<8>(keys), b = least_of<4>(keys + 8);
        return a < b ? a : b;
    }

    BPE_NEVER_INLINE size_t merge(const Merges &merges, const uint8_t *text, size_t length,
                                  uint32_t *ids) noexcept {
        static const uint8_t numbers[] = {
            NOWHERE, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
        memcpy(before, numbers, sizeof before);
        memcpy(next, numbers + 2, sizeof next);
        for (size_t i = 0; i < places; i++) tokens[i] = text[i];
        for (size_t i = 0; i + 1 < places; i++) {
            uint64_t key = key_of(merges.of_bytes(text[i], text[i + 1]), i);
            keys[i] = i + 1 < length ? key : none();
        }
        keys[places - 1] = none();
        tokens[length] = tokens[NOWHERE] = NO_TOKEN;
        for (uint64_t key; (key = least()) < none();) merge_one(merges, key);
        return write_ids(merges, length, ids);
    }
};

/* A longer one. The least key of each block of sixteen is kept, and looked for again where a key has
 * changed. */
struct LongWord : Places<128> {
    enum { BLOCK = 16, BLOCKS = NOWHERE / BLOCK };
    uint64_t least[BLOCKS];

    void look_again(size_t place) noexcept {
        least[place / BLOCK] = least_of<BLOCK>(keys + place / BLOCK * BLOCK);
    }

    size_t merge(const Merges &merges, const uint8_t *text, size_t length, uint32_t *ids) noexcept {
        const size_t all = (length + BLOCK - 1) / BLOCK * BLOCK;
        for (size_t i = 0; i < length; i++) {
            tokens[i] = text[i];
            next[i] = (uint8_t)(i + 1);
            before[i] = (uint8_t)(i - 1);
        }
        for (size_t i = 0; i + 1 < length; i++) keys[i] = key_of(merges.of_bytes(text[i], text[i + 1]), i);
        for (size_t i = length - 1; i < all; i++) keys[i] = none();
        before[0] = NOWHERE;
        tokens[length] = tokens[NOWHERE] = NO_TOKEN;
        for (size_t b = 0; b < BLOCKS; b++) least[b] = none();
        for (size_t i = 0; i < all; i += BLOCK) look_again(i);
        for (uint64_t key; (key = least_of<BLOCKS>(least)) < none();) {
            size_t here = key & 127, gone = next[here], ahead = before[here];
            merge_one(merges, key);
            look_again(here);
            look_again(gone);
            if (here) look_again(ahead);
        }
        return write_ids(merges, length, ids);
    }
};

template <class Word>
static size_t merge_as(const Merges &merges, const uint8_t *text, size_t length, uint32_t *ids) {
    Word word;
    return word.merge(merges, text, length, ids);
}

/* Encode up to 16 bytes, of which all 16 can be read; returns the number of ids. */
static size_t merge_short(const Merges &merges, const uint8_t *text, size_t length, uint32_t *ids) {
    return length <= 8    ? merge_as<ShortWord<8>>(merges, text, length, ids)
           : length <= 12 ? merge_as<ShortWord<12>>(merges, text, length, ids)
                          : merge_as<ShortWord<16>>(merges, text, length, ids);
}

/* Encode fewer than SCAN_BELOW bytes; returns the number of ids. */
static size_t merge_by_scan(const Merges &merges, const uint8_t *text, size_t length,
                            uint32_t *ids) {
    if (length > 16) return merge_as<LongWord>(merges, text, length, ids);
    uint8_t padded[16] = {0};
    memcpy(padded, text, length);
    return merge_short(merges, padded, length, ids);
}

#endif
