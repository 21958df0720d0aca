/* Merges in a table without collisions.
 *
 * As in merge_numbers.h, a token has the number of its merge. There a slot has 4 bytes, a search walks
 * on until it meets a free slot, and parts that are elsewhere are compared on the way: each step is a
 * branch that is hard to predict, and may be a wait for memory. Here every pair has a slot to itself,
 * and the slot has all of it: left, right, and what they make, in 8 bytes. So one place is looked at,
 * and no branch depends on what is there.
 *
 * How slots are found ("hash and displace"): a hash puts each pair into a small bucket. Bucket by
 * bucket, the fullest first, a number of 8 bits is searched that sends all its pairs to free slots.
 * These numbers are all that a look-up needs besides the slots, and they stay in the nearest cache.
 */
#ifndef CS336_BPE_PERFECT_MERGES_H
#define CS336_BPE_PERFECT_MERGES_H

#include <algorithm>
#include <vector>
#include "hash.h"
#include "table_memory.h"

static const uint32_t NO_MERGE = 0x3FFFFF;  /* greater than every token */
static const uint32_t NO_TOKEN = 0x1FFFFF;  /* part of no merge */
enum { MAX_TOKENS = 0x1FFFFF };             /* what a slot has bits for */

struct Merges {
    struct Parts { uint32_t left, right; };

    uint32_t *byte_pairs;  /* [left << 8 | right]: nearly half of all look-ups are for these */
    Parts *parts;          /* of each token */
    uint32_t *ids;         /* of each token, as the user numbers them */
    size_t num_tokens;     /* so far */
    bool in_order;         /* the parts of each merge are bytes, or made by merges before it */

    /* Room for `num_merges`. `add` has to be called for each one, in order, and then `finish`. */
    bool start(size_t num_merges) noexcept {
        byte_pairs = (uint32_t *)malloc(65536 * sizeof(uint32_t));
        parts = (Parts *)calloc(256 + num_merges, sizeof(Parts));
        ids = (uint32_t *)calloc(256 + num_merges, sizeof(uint32_t));
        num_tokens = 256;
        in_order = true;
        slots = NULL;
        numbers = NULL;
        if (!byte_pairs || !parts || !ids) return false;
        for (int i = 0; i < 65536; i++) byte_pairs[i] = NO_MERGE;
        return true;
    }

    void end() noexcept {
        free(byte_pairs);
        free(parts);
        free(ids);
        free(numbers);
        if (slots) table_free(slots, slot_mask + 1, sizeof(uint64_t));
    }

    void add(uint32_t left, uint32_t right, uint32_t id) noexcept {
        uint32_t token = (uint32_t)num_tokens++;
        parts[token] = Parts{left, right};
        ids[token] = id;
        in_order = in_order && left < token && right < token;
        if (left < 256 && right < 256) byte_pairs[left << 8 | right] = token;
    }

    /* Make the table; false if there is no memory. */
    bool finish() noexcept {
        size_t number = num_tokens - 256, size = 64;
        while (4 * size < 5 * number) size *= 2;
        for (uint64_t attempt = 1;; attempt++) {  /* (one is enough, unless luck is very bad) */
            secret = new_secret(attempt);
            if (attempt % 4 == 0) size *= 2;
            int made = place_all(size);
            if (made >= 0) return made;
        }
    }

    uint32_t of_bytes(uint8_t left, uint8_t right) const noexcept {
        return byte_pairs[(size_t)left << 8 | right];
    }

    /* The token that a pair is merged into, or NO_MERGE. */
    BPE_ALWAYS_INLINE uint32_t of(uint32_t left, uint32_t right) const noexcept {
        uint64_t pair = pair_of(left, right), hash = hash_of(pair);
        uint64_t slot = slots[slot_of(hash, numbers[bucket_of(hash)])];
        return (slot ^ pair) >> TOKEN_BITS ? NO_MERGE : (uint32_t)slot & NO_MERGE;
    }

    bool is(uint32_t token, uint32_t left, uint32_t right) const noexcept {
        return parts[token].left == left && parts[token].right == right;
    }

private:
    enum { TOKEN_BITS = 22, PART_BITS = 21 };
    static const uint64_t FREE = UINT64_MAX;
    uint64_t *slots;   /* left, right and token */
    uint8_t *numbers;  /* of each bucket */
    size_t slot_mask, bucket_mask;
    Secret secret;

    static uint64_t pair_of(uint32_t left, uint32_t right) noexcept {
        return (uint64_t)left << (TOKEN_BITS + PART_BITS) | (uint64_t)right << TOKEN_BITS;
    }
    uint64_t hash_of(uint64_t pair) const noexcept { return folded(pair ^ secret.a, secret.b); }
    size_t bucket_of(uint64_t hash) const noexcept { return (hash >> 32) & bucket_mask; }
    size_t slot_of(uint64_t hash, uint8_t number) const noexcept {
        return (hash ^ number * (uint64_t)0x9E3779B1) & slot_mask;
    }

    /* Find a number for each bucket. 1 if there is one, 0 if there is no memory, -1 if there is none. */
    int place_all(size_t size) noexcept {
        free(numbers);
        if (slots) table_free(slots, slot_mask + 1, sizeof(uint64_t));
        slot_mask = size - 1;
        bucket_mask = size / 4 - 1;
        numbers = (uint8_t *)calloc(bucket_mask + 1, 1);
        slots = (uint64_t *)table_new(size, sizeof(uint64_t));
        if (!numbers || !slots) return 0;
        for (size_t i = 0; i < size; i++) slots[i] = FREE;
        try {
            std::vector<uint32_t> ends(bucket_mask + 2), tokens(num_tokens - 256), order;
            std::vector<uint64_t> hashes(num_tokens);
            for (size_t token = 256; token < num_tokens; token++) {
                hashes[token] = hash_of(pair_of(parts[token].left, parts[token].right));
                ends[bucket_of(hashes[token]) + 1]++;
            }
            for (size_t i = 1; i < ends.size(); i++) ends[i] += ends[i - 1];
            for (size_t token = num_tokens; token-- > 256;)
                tokens[--ends[bucket_of(hashes[token]) + 1]] = (uint32_t)token;
            /* Now bucket i is tokens[ends[i + 1]:ends[i + 2]], the last one to the end. */
            ends.push_back((uint32_t)tokens.size());
            for (uint32_t i = 0; i <= bucket_mask; i++) order.push_back(i);
            std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
                return ends[a + 2] - ends[a + 1] > ends[b + 2] - ends[b + 1];
            });
            for (uint32_t bucket : order)
                if (!place(bucket, tokens.data() + ends[bucket + 1], ends[bucket + 2] - ends[bucket + 1],
                           hashes.data())) return -1;
        } catch (...) {
            return 0;
        }
        return 1;
    }

    bool is_repeated(const uint32_t *tokens, size_t place) const noexcept {
        for (size_t i = 0; i < place; i++)
            if (is(tokens[i], parts[tokens[place]].left, parts[tokens[place]].right)) return true;
        return false;
    }

    bool place(uint32_t bucket, const uint32_t *tokens, size_t size, const uint64_t *hashes) noexcept {
        for (int number = 0; number < 256; number++) {
            size_t placed = 0;
            for (; placed < size; placed++) {
                uint64_t *slot = &slots[slot_of(hashes[tokens[placed]], (uint8_t)number)];
                if (is_repeated(tokens, placed)) continue;  /* the first one counts */
                if (*slot != FREE) break;
                *slot = pair_of(parts[tokens[placed]].left, parts[tokens[placed]].right)
                        | tokens[placed];
            }
            if (placed == size) {
                numbers[bucket] = (uint8_t)number;
                return true;
            }
            while (placed--) slots[slot_of(hashes[tokens[placed]], (uint8_t)number)] = FREE;
        }
        return false;
    }
};

#endif
