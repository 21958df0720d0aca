/* A pretoken of up to 15 bytes as a key of 16: its bytes, then zeros, and its length in the last byte.
 *
 * It is read, masked, compared and stored in one step each where a processor has registers of 16
 * bytes (SSE2, which every x86-64 has), and as two integers elsewhere.
 */
#ifndef CS336_BPE_WORD_KEY_H
#define CS336_BPE_WORD_KEY_H

#include "hash.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { SHORT = 15 };
enum { POOLED = 0x80, HASHED = 0x40 };  /* in a key's last byte: its bytes, or ids, are in a pool */

struct alignas(16) Key {
#if defined(__SSE2__)
    __m128i all;
    Key operator&(const Key &other) const noexcept { return {_mm_and_si128(all, other.all)}; }
    Key operator|(const Key &other) const noexcept { return {_mm_or_si128(all, other.all)}; }
    Key operator^(const Key &other) const noexcept { return {_mm_xor_si128(all, other.all)}; }
    bool operator==(const Key &other) const noexcept {
        return _mm_movemask_epi8(_mm_cmpeq_epi8(all, other.all)) == 0xFFFF;
    }
    static Key of(uint64_t a, uint64_t b) noexcept {
        return {_mm_set_epi64x((long long)b, (long long)a)};
    }
    uint64_t first() const noexcept { return (uint64_t)_mm_cvtsi128_si64(all); }
    uint64_t second() const noexcept {
        return (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(all, all));
    }
#else
    uint64_t words[2];
    Key operator&(const Key &other) const noexcept {
        return {{words[0] & other.words[0], words[1] & other.words[1]}};
    }
    Key operator|(const Key &other) const noexcept {
        return {{words[0] | other.words[0], words[1] | other.words[1]}};
    }
    Key operator^(const Key &other) const noexcept {
        return {{words[0] ^ other.words[0], words[1] ^ other.words[1]}};
    }
    bool operator==(const Key &other) const noexcept {
        return !((words[0] ^ other.words[0]) | (words[1] ^ other.words[1]));
    }
    static Key of(uint64_t a, uint64_t b) noexcept { return {{a, b}}; }
    uint64_t first() const noexcept { return words[0]; }
    uint64_t second() const noexcept { return words[1]; }
#endif
    const uint8_t *bytes() const noexcept { return (const uint8_t *)this; }
    uint8_t last() const noexcept { return bytes()[15]; }
    uint64_t hash(const Secret &secret) const noexcept {
        return last() & HASHED ? first() : secret_hash(first(), second(), secret);
    }
};

/* For each length: the bytes of a key that are text, and the length in its last byte. */
static struct { Key mask[SHORT + 1], length[SHORT + 1]; } key_parts;
static Key pooled_mark, not_pooled;

/* Has to be called once. */
static void keys_init_module(void) {
    uint8_t bytes[16] = {0};
    memset((void *)&key_parts, 0, sizeof key_parts);
    for (uint8_t n = 0; n <= SHORT; n++) {
        memset((void *)&key_parts.mask[n], 0xFF, n);
        memcpy((uint8_t *)&key_parts.length[n] + 15, &n, 1);
    }
    bytes[15] = POOLED;
    memcpy((void *)&pooled_mark, bytes, 16);
    memset(bytes, 0xFF, 15);
    bytes[15] = (uint8_t)~POOLED;
    memcpy((void *)&not_pooled, bytes, 16);
}

/* The key of a short pretoken, after whose start 16 bytes can be read. */
BPE_INLINE Key short_key(const uint8_t *text, size_t length) {
    Key key;
    memcpy((void *)&key, text, 16);
    return (key & key_parts.mask[length]) | key_parts.length[length];
}

/* The same where they can't be. */
BPE_INLINE Key short_key_of(const uint8_t *text, size_t length) {
    uint8_t copy[16] = {0};
    memcpy(copy, text, length);
    return short_key(copy, length);
}

/* The key of a longer one: its hash, and its length. Two may have the same, so bytes are compared. */
BPE_INLINE Key long_key(const uint8_t *text, size_t length, const Secret &secret) {
    Key key = Key::of(secret_hash_of(text, length, secret), 0);
    uint8_t mark = HASHED;
    for (int i = 0; i < 7; i++) {
        uint8_t part = (uint8_t)((uint64_t)length >> 8 * i);
        memcpy((uint8_t *)&key + 8 + i, &part, 1);
    }
    memcpy((uint8_t *)&key + 15, &mark, 1);
    return key;
}

/* The key of either, after whose start 16 bytes can be read. */
BPE_INLINE Key any_key(const uint8_t *text, size_t length, const Secret &secret) {
    return length > SHORT ? long_key(text, length, secret) : short_key(text, length);
}

#endif
