/* Merges, with one number for a merge's rank and for the token that it makes.
 *
 * Inside, a token has the number of the merge that made it, after the 256 bytes: byte 97 is token
 * 97, and the first merge makes token 256. So the pair of the lowest rank is the one that makes the
 * lowest token, and a table from pairs to tokens is all that merging needs.
 *
 * That table has to be small, because a look-up that leaves the processor's cache takes longer than
 * the rest of a merge. So a slot has 4 bytes: the token, and a fingerprint, 8 bits of the pair's hash.
 * The pair itself is elsewhere, and is compared only if the fingerprint is right.
 */
#ifndef CS336_BPE_MERGE_NUMBERS_H
#define CS336_BPE_MERGE_NUMBERS_H

#include "open_table.h"

static const uint32_t NO_MERGE = 0xFFFFFFFF;  /* greater than every token */
enum { MAX_TOKENS = 1 << 24 };                /* what a slot has bits for */
enum { SCAN_BELOW = 128 };                    /* bytes: longer pretokens are not for merge_by_scan */

struct Merges {
    struct Parts { uint32_t left, right; };
    struct Slot {
        uint32_t bits;  /* token << 8 | fingerprint */
        bool is_free() const noexcept { return !bits; }
    };

    uint32_t *byte_pairs;  /* [left << 8 | right]: nearly half of all look-ups are for these */
    Parts *parts;          /* of each token */
    uint32_t *ids;         /* of each token, as the user numbers them */
    size_t num_tokens;     /* so far */

    /* Room for `num_merges`. `add` has to be called for each one, in order. */
    bool start(size_t num_merges) noexcept {
        size_t size = 64;
        while (size < 2 * num_merges) size *= 2;
        byte_pairs = (uint32_t *)malloc(65536 * sizeof(uint32_t));
        parts = (Parts *)calloc(256 + num_merges, sizeof(Parts));
        ids = (uint32_t *)calloc(256 + num_merges, sizeof(uint32_t));
        num_tokens = 256;
        if (!slots.start(size) || !byte_pairs || !parts || !ids) return false;
        for (int i = 0; i < 65536; i++) byte_pairs[i] = NO_MERGE;
        return true;
    }

    void end() noexcept {
        slots.end();
        free(byte_pairs);
        free(parts);
        free(ids);
    }

    void add(uint32_t left, uint32_t right, uint32_t id) noexcept {
        uint32_t token = (uint32_t)num_tokens++;
        uint64_t hash = hash_of(left, right, slots.secret);
        Slot *slot = slots.place_for(hash);
        slot->bits = token << 8 | fingerprint(hash);
        parts[token] = Parts{left, right};
        ids[token] = id;
        if (slots.is_far(slot, hash)) spread();
        if (left < 256 && right < 256) byte_pairs[left << 8 | right] = token;
    }

    uint32_t of_bytes(uint8_t left, uint8_t right) const noexcept {
        return byte_pairs[(size_t)left << 8 | right];
    }

    /* The token that a pair is merged into, or NO_MERGE. */
    uint32_t of(uint32_t left, uint32_t right) const noexcept {
        uint64_t hash = hash_of(left, right, slots.secret);
        const Slot *slot = slots.find(hash, [=](const Slot &one) {
            const Parts *of_slot = &parts[one.bits >> 8];
            return (one.bits & 255) == fingerprint(hash) && of_slot->left == left
                   && of_slot->right == right;
        });
        return slot->bits ? slot->bits >> 8 : NO_MERGE;
    }

private:
    OpenTable<Slot> slots;

    static uint64_t hash_of(uint32_t left, uint32_t right, const Secret &secret) noexcept {
        return secret_hash((uint64_t)left << 32 | right, 0, secret);
    }

    /* Without memory for it, all stay where they are. */
    void spread() noexcept {
        slots.move_away([this](Slot &one, Secret &made) {
            const Parts &of_slot = parts[one.bits >> 8];
            uint64_t hash = hash_of(of_slot.left, of_slot.right, made);
            one.bits = (one.bits & ~(uint32_t)255) | fingerprint(hash);
            return hash;
        });
    }

    static uint32_t fingerprint(uint64_t hash) noexcept { return (uint32_t)(hash >> 56); }
};

/* Encode fewer than SCAN_BELOW bytes: look at all pairs for the lowest, merge it, close the gap, and
 * so on. Returns the number of ids. */
static size_t merge_by_scan(const Merges &merges, const uint8_t *text, size_t length,
                            uint32_t *ids) {
    uint32_t tokens[SCAN_BELOW], joined[SCAN_BELOW];  /* joined[i]: what tokens i and i + 1 make */
    size_t n = length;
    for (size_t i = 0; i < n; i++) tokens[i] = text[i];
    for (size_t i = 0; i + 1 < n; i++) joined[i] = merges.of_bytes(text[i], text[i + 1]);
    while (n > 1) {
        uint32_t lowest = NO_MERGE;
        size_t at = 0;
        for (size_t i = 0; i + 1 < n; i++) {  /* written so that it needs no branches */
            int lower = joined[i] < lowest;
            at = lower ? i : at;
            lowest = lower ? joined[i] : lowest;
        }
        if (lowest == NO_MERGE) break;
        n--;
        tokens[at] = lowest;
        for (size_t i = at + 1; i < n; i++) {
            tokens[i] = tokens[i + 1];
            joined[i - 1] = joined[i];
        }
        if (at > 0) joined[at - 1] = merges.of(tokens[at - 1], lowest);
        if (at + 1 < n) joined[at] = merges.of(lowest, tokens[at + 1]);
    }
    for (size_t i = 0; i < n; i++) ids[i] = merges.ids[tokens[i]];
    return n;
}

#endif
