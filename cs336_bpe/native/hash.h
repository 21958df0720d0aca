/* Hashes with a secret, so that nobody can make text whose words all fall on one place of a table.
 *
 * Without one, words with equal hashes can be computed, and a table of them is a list: reading a few
 * megabytes of such text took minutes. The secret comes from the system's randomness when a module is
 * loaded. Results never depend on it. (Counts are read out in the order of hashes, but a mapping has no
 * order: what is made of them, as merges or a file, has its own.)
 */
#ifndef CS336_BPE_HASH_H
#define CS336_BPE_HASH_H

#include <random>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "scan.h" /* BPE_INLINE */

/* Called for each place that a search looks at; tests and benchmarks count them. */
#ifndef BPE_PROBE
#define BPE_PROBE() ((void)0)
#endif

struct Secret { uint64_t a, b; };

static Secret random_secret() {
    Secret made = {0x9E3779B97F4A7C15u, 0xD6E8FEB86659FD93u};
    try {
        std::random_device random;
        made.a ^= (uint64_t)random() << 32 | random();
        made.b ^= (uint64_t)random() << 32 | random();
    } catch (...) {
        /* A system without randomness: nothing is secret then, and all results are the same. */
    }
    return made;
}

static const Secret process_secret = random_secret();

/* The product of two integers, its halves folded into one. Every bit of it depends on all of both. */
BPE_INLINE uint64_t folded(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)a * b;  /* one multiplication: gcc made two of a * b */
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (uint32_t)a * (uint64_t)(uint32_t)b, high = (a >> 32) * (b >> 32);
    uint64_t cross = (a >> 32) * (uint32_t)b, other = (uint32_t)a * (b >> 32);
    uint64_t middle = (low >> 32) + (uint32_t)cross + (uint32_t)other;
    high += (cross >> 32) + (other >> 32) + (middle >> 32);
    return (middle << 32 | (uint32_t)low) ^ high;
#endif
}

/* The hash of two integers, such as the bytes of a short word. */
BPE_INLINE uint64_t secret_hash(uint64_t a, uint64_t b, const Secret &secret) {
    return folded(a ^ secret.a, b ^ secret.b);
}

/* The hash of any number of bytes. */
static uint64_t secret_hash_of(const uint8_t *text, size_t length, const Secret &secret) {
    uint64_t h = secret.a ^ length, words[2] = {0, 0};
    const uint8_t *last = text + length;
    for (; (size_t)(last - text) > 16; text += 16) {
        memcpy(words, text, 16);
        h = folded(words[0] ^ secret.b, words[1] ^ h);
    }
    if (length >= 16) {
        memcpy(words, last - 16, 16);
    } else {
        words[0] = words[1] = 0;
        memcpy(words, text, length);
    }
    return folded(words[0] ^ secret.b, words[1] ^ h);
}

/* The secret of a table that has to be made anew, for the `number`th time. It is drawn again: whoever
 * found out the last one does not know this one. */
static Secret new_secret(uint64_t number) {
    Secret made = random_secret();
    made.a ^= secret_hash(number, 1, process_secret);
    made.b ^= secret_hash(number, 2, process_secret);
    return made;
}

#endif
