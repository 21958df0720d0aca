/* A table that finds tokens by their bytes, and two tokens' bytes together without copying them.
 *
 * The hash of a token is a polynomial: its bytes, plus one, are the coefficients, and a secret number is
 * put in for the unknown, modulo the prime 2^61 - 1. So the hash of two tokens together follows from their own:
 *
 *     hash(left + right) = hash(left) * secret^length(right) + hash(right)
 *
 * And two different tokens of n bytes have the same hash for at most n of the 2^61 secrets, because
 * that is how many roots the difference has. So nobody can write a file whose tokens collide. A
 * token that is found is compared all the same.
 */
#ifndef CS336_BPE_TOKEN_TABLE_H
#define CS336_BPE_TOKEN_TABLE_H

#include <string.h>
#include <vector>
#include "open_table.h"

struct TokenTable {
    /* Bytes to look for, with their hash. */
    struct Wanted {
        const uint8_t *bytes; /* the caller's */
        size_t length;
        uint64_t hash;
    };

    static const uint32_t NO_TOKEN = 0xFFFFFFFF;
    static const uint64_t PRIME = ((uint64_t)1 << 61) - 1;

    /* Room for `num_tokens`. */
    bool start(size_t num_tokens, uint64_t any_number) {
        size_t size = 256;
        while (size < 2 * num_tokens) size *= 2;
        secret = 256 + any_number % (PRIME - 256);
        powers.assign(1, 1);
        tokens.clear();
        tokens.reserve(num_tokens);
        bytes.clear();
        return slots.start(size);
    }

    void end() noexcept { slots.end(); }

    /* Add a token, whose number is how many were there; false if it is there already. */
    bool add(const uint8_t *token, size_t length) {
        Wanted wanted = prepared(token, length);
        Slot *slot = look_up(wanted);
        if (slot->number_plus) return false;
        while (powers.size() <= length) powers.push_back(multiplied(powers.back(), secret));
        tokens.push_back(Token{bytes.size(), length, wanted.hash});
        bytes.insert(bytes.end(), token, token + length);
        *slot = Slot{tag(wanted.hash), (uint32_t)tokens.size()};
        return true;
    }

    uint32_t find(const uint8_t *token, size_t length) const noexcept {
        return find(prepared(token, length));
    }

    /* The same in two steps: with other work between them, what is looked up has time to arrive. */
    Wanted prepared(const uint8_t *token, size_t length) const noexcept {
        uint64_t hash = 0;
        for (size_t i = 0; i < length; i++) hash = reduced(multiplied(hash, secret) + token[i] + 1);
        slots.prefetch(hash);
        return Wanted{token, length, hash};
    }

    uint32_t find(const Wanted &wanted) const noexcept { return look_up(wanted)->number_plus - 1; }

    /* The token that two tokens make together. */
    uint32_t find_joined(uint32_t first, uint32_t second) const noexcept {
        const Token &left = tokens[first], &right = tokens[second];
        const uint8_t *start = bytes.data();
        return look_up(left.length + right.length, joined_hash(left, right), [&](const Token &one) {
            return memcmp(start + one.start, start + left.start, left.length) == 0
                   && memcmp(start + one.start + left.length, start + right.start, right.length) == 0;
        })->number_plus - 1;
    }

    void prepare_joined(uint32_t first, uint32_t second) const noexcept {
        slots.prefetch(joined_hash(tokens[first], tokens[second]));
    }

private:
    struct Token {
        size_t start, length; /* in `bytes` */
        uint64_t hash;
    };

    struct Slot {
        uint32_t tag, number_plus; /* the number of the token, + 1 */
        bool is_free() const noexcept { return !number_plus; }
    };

    OpenTable<Slot> slots;
    std::vector<Token> tokens;
    std::vector<uint8_t> bytes;   /* of all tokens, close together */
    std::vector<uint64_t> powers; /* of the secret */
    uint64_t secret;

    uint64_t joined_hash(const Token &left, const Token &right) const noexcept {
        return reduced(multiplied(left.hash, powers[right.length]) + right.hash);
    }

    static uint64_t reduced(uint64_t number) noexcept {
        number = (number & PRIME) + (number >> 61);
        return number >= PRIME ? number - PRIME : number;
    }

    /* a * b modulo the prime, for a, b below it. */
    static uint64_t multiplied(uint64_t a, uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
        unsigned __int128 product = (unsigned __int128)a * b;
        return reduced(((uint64_t)product & PRIME) + (uint64_t)(product >> 61));
#else
        /* With a = a1 2^32 + a0, and b alike, it is a1 b1 2^64 + middle 2^32 + a0 b0; and 2^64 is 8
         * here, 2^61 is 1. */
        uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
        uint64_t middle = a1 * b0 + a0 * b1; /* below 2^62 */
        uint64_t high = 8 * (a1 * b1) + (middle >> 29); /* below 2^61 + 2^33 */
        uint64_t low = (middle & (((uint64_t)1 << 29) - 1)) << 32; /* below 2^61 */
        return reduced(reduced(high + low) + reduced(a0 * b0));
#endif
    }

    static uint32_t tag(uint64_t hash) noexcept { return (uint32_t)(hash >> 29); }

    Slot *look_up(const Wanted &wanted) const noexcept {
        return look_up(wanted.length, wanted.hash, [&](const Token &one) {
            return memcmp(bytes.data() + one.start, wanted.bytes, wanted.length) == 0;
        });
    }

    template <class IsSame>
    Slot *look_up(size_t length, uint64_t hash, IsSame is_same) const noexcept {
        return slots.find(hash, [&](const Slot &slot) {
            if (slot.tag != tag(hash) || !slot.number_plus) return false;
            const Token &one = tokens[slot.number_plus - 1];
            return one.hash == hash && one.length == length && is_same(one);
        });
    }
};

#endif
