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
 * Hashes are sums of 32-bit products, which can be made for several pairs at once (side_by_side.h).
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
        if (slots) table_free(slots, num_slots, sizeof(Slot));
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
        int bits = 6;
        while (((size_t)4 << bits) < 5 * (num_tokens - 256)) bits++;
        for (uint64_t attempt = 1;; attempt++) {  /* (one is enough, unless luck is very bad) */
            Secret secret = new_secret(attempt);
            factors[0] = (uint32_t)secret.a | 1;
            factors[1] = (uint32_t)(secret.a >> 32) | 1;
            factors[2] = (uint32_t)secret.b | 1;
            factors[3] = (uint32_t)(secret.b >> 32) | 1;
            if (attempt % 4 == 0) bits++;
            int made = place_all(bits);
            if (made >= 0) return made;
        }
    }

    uint32_t of_bytes(uint8_t left, uint8_t right) const noexcept {
        return byte_pairs[(size_t)left << 8 | right];
    }

    /* The token that a pair is merged into, or NO_MERGE. */
    BPE_ALWAYS_INLINE uint32_t of(uint32_t left, uint32_t right) const noexcept {
        Slot slot = slots[slot_of(left, right, numbers[bucket_of(left, right)])];
        return ((slot.left ^ left) | (slot.right ^ right)) & PART ? NO_MERGE : token_of(slot);
    }

    bool is(uint32_t token, uint32_t left, uint32_t right) const noexcept {
        return parts[token].left == left && parts[token].right == right;
    }

    /* The rest is for those who look up several pairs at once. */
    static constexpr uint32_t PART_BITS = 21, PART = (1 << PART_BITS) - 1, TOKEN_BITS = 32 - PART_BITS;
    struct Slot { uint32_t left, right; };  /* and in their upper bits the two halves of the token */
    Slot *slots;
    uint8_t *numbers;     /* of each bucket; 3 bytes more can be read */
    uint32_t factors[4];  /* of the hashes; odd, and secret */
    int bucket_shift, slot_shift;

private:
    size_t num_slots;
    static Slot free_slot() noexcept { return Slot{UINT32_MAX, UINT32_MAX}; }

    uint32_t bucket_of(uint32_t left, uint32_t right) const noexcept {
        return (left * factors[0] + right * factors[1]) >> bucket_shift;
    }
    uint32_t slot_of(uint32_t left, uint32_t right, uint32_t number) const noexcept {
        return ((left * factors[2] + right * factors[3]) * (2 * number + 1)) >> slot_shift;
    }
    static uint32_t token_of(Slot slot) noexcept {
        return slot.left >> PART_BITS | slot.right >> PART_BITS << TOKEN_BITS;
    }
    uint32_t bucket_of(uint32_t token) const noexcept {
        return bucket_of(parts[token].left, parts[token].right);
    }
    Slot *slot_for(uint32_t token, uint32_t number) const noexcept {
        return &slots[slot_of(parts[token].left, parts[token].right, number)];
    }

    /* Find a number for each bucket. 1 if there is one, 0 if there is no memory, -1 if there is none. */
    int place_all(int bits) noexcept {
        free(numbers);
        if (slots) table_free(slots, num_slots, sizeof(Slot));
        num_slots = (size_t)1 << bits;
        const size_t num_buckets = num_slots / 4;
        slot_shift = 32 - bits;
        bucket_shift = slot_shift + 2;
        numbers = (uint8_t *)calloc(num_buckets + 3, 1);
        slots = (Slot *)table_new(num_slots, sizeof(Slot));
        if (!numbers || !slots) return 0;
        for (size_t i = 0; i < num_slots; i++) slots[i] = free_slot();
        try {
            std::vector<uint32_t> ends(num_buckets + 1), tokens(num_tokens - 256), order;
            for (uint32_t token = 256; token < num_tokens; token++) ends[bucket_of(token) + 1]++;
            for (size_t i = 1; i < ends.size(); i++) ends[i] += ends[i - 1];
            for (uint32_t token = (uint32_t)num_tokens; token-- > 256;)
                tokens[--ends[bucket_of(token) + 1]] = token;
            /* Now bucket i is tokens[ends[i + 1]:ends[i + 2]], the last one to the end. */
            ends.push_back((uint32_t)tokens.size());
            for (uint32_t i = 0; i < num_buckets; i++) order.push_back(i);
            std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
                return ends[a + 2] - ends[a + 1] > ends[b + 2] - ends[b + 1];
            });
            for (uint32_t bucket : order)
                if (!place(bucket, tokens.data() + ends[bucket + 1], ends[bucket + 2] - ends[bucket + 1]))
                    return -1;
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

    bool place(uint32_t bucket, const uint32_t *tokens, size_t size) noexcept {
        for (uint32_t number = 0; number < 256; number++) {
            size_t placed = 0;
            for (; placed < size; placed++) {
                uint32_t token = tokens[placed];
                if (is_repeated(tokens, placed)) continue;  /* the first one counts */
                if (slot_for(token, number)->left != UINT32_MAX) break;
                *slot_for(token, number) = Slot{parts[token].left | token << PART_BITS,
                                                parts[token].right | token >> TOKEN_BITS << PART_BITS};
            }
            if (placed == size) {
                numbers[bucket] = (uint8_t)number;
                return true;
            }
            while (placed--) *slot_for(tokens[placed], number) = free_slot();
        }
        return false;
    }
};

#endif
