/* Merging eight short words at once: each has a lane of its own in every vector.
 *
 * One word is a chain of small steps, and each waits for the one before: which pair is the lowest,
 * where are its neighbours, what do they make with the new token? Eight words are eight chains that
 * don't wait for each other, and one instruction does a step of all of them.
 *
 * A vector has one number for each word. There is one of `tokens` and one of `keys` for each place of
 * a word (merge_words.h says what keys are). Which places still begin a token is a number of bits,
 * `begins`. The place that is merged, its neighbours, and the places beside them are a bit each, so
 * "the token at the next place" is: of all places, those whose bit is that one.
 *
 * All words go on until the last one is done. For a word that is done before, all these bits are zero,
 * and nothing about it changes.
 *
 * It needs AVX2, for vectors of this size and for `gather`, which reads eight places of a table.
 */
#ifndef CS336_BPE_SIDE_BY_SIDE_H
#define CS336_BPE_SIDE_BY_SIDE_H

#include "merge_words.h"
#include "word_key.h"

enum { LANES = 8 };

/* The tokens of a word. After the last one is whatever was there. */
struct MadeTokens { uint32_t number, tokens[16]; };

#if defined(__GNUC__) && defined(__x86_64__) && !defined(CS336_BPE_ONE_BY_ONE)
#define CS336_BPE_SIDE_BY_SIDE 1
#pragma GCC diagnostic push  /* gcc 12 warns of its own registers that are left undefined */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#define BPE_AVX2 __attribute__((target("avx2,bmi")))
#define BPE_EACH_PLACE _Pragma("GCC unroll 16") for

typedef uint32_t Eight __attribute__((vector_size(32)));
typedef int32_t Signed __attribute__((vector_size(32)));

BPE_INLINE BPE_AVX2 Eight eight(uint32_t x) { return Eight{x, x, x, x, x, x, x, x}; }

/* For each lane, the 4 bytes that are `index` times `scale` bytes from the beginning of a table. */
template <int scale> BPE_INLINE BPE_AVX2 Eight gather(const void *table, Eight index) {
    return (Eight)_mm256_i32gather_epi32((const int *)table, (__m256i)index, scale);
}

BPE_INLINE BPE_AVX2 Eight least(Eight a, Eight b) {
    return (Eight)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

/* Where `mask` has all bits, those of `b`, and where it has none, those of `a`. */
BPE_INLINE BPE_AVX2 Eight choose(Eight a, Eight b, Eight mask) {
    return (Eight)_mm256_blendv_epi8((__m256i)a, (__m256i)b, (__m256i)mask);
}

BPE_INLINE BPE_AVX2 Eight lowest_bit(Eight x) { return x & -x; }

/* 127 more than the number of the highest bit, in the bits where a float has its exponent; or 0. */
BPE_INLINE BPE_AVX2 Eight exponent(Eight x) {
    return (Eight)_mm256_cvtepi32_ps((__m256i)x) & 0xFF800000u;
}
static constexpr uint32_t exponent_of_bit(int n) { return (uint32_t)(127 + n) << 23; }

/* As Merges::of, for a pair in each lane. */
BPE_INLINE BPE_AVX2 Eight merged(const Merges &merges, Eight left, Eight right) {
    Eight bucket = (left * merges.factors[0] + right * merges.factors[1]) >> merges.bucket_shift;
    Eight number = gather<1>(merges.numbers, bucket) & 255;
    Eight hash = (left * merges.factors[2] + right * merges.factors[3]) * (number + number + 1);
    Eight slot = hash >> merges.slot_shift;
    Eight slot_left = gather<8>(&merges.slots->left, slot);
    Eight slot_right = gather<8>(&merges.slots->right, slot);
    Eight same = (Eight)((((slot_left ^ left) | (slot_right ^ right)) & Merges::PART) == 0);
    Eight token = slot_left >> Merges::PART_BITS
                  | slot_right >> Merges::PART_BITS << Merges::TOKEN_BITS;
    return choose(eight(NO_MERGE), token, same);
}

/* Merge eight words of up to `places` bytes, which lie one after the other as keys (word_key.h). */
template <int places>
BPE_NEVER_INLINE BPE_AVX2 static void merge_eight(const Merges &merges, const Key *words,
                                                  MadeTokens *made) {
    const Eight each = {0, 16, 32, 48, 64, 80, 96, 112};
    const Eight lengths = gather<1>(words->bytes() + 12, each) >> 24;
    Eight begins = (eight(1) << lengths) - 1, keys[places], tokens[places], bytes = each;
    BPE_EACH_PLACE (int i = 0; i < places; i++) {
        const int first = i < 12 ? i / 3 * 3 : 12;  /* of four bytes, in which there are three pairs */
        if (i == first) bytes = gather<1>(words->bytes() + first, each);
        Eight pair = bytes >> 8 * (i - first);
        tokens[i] = pair & 255;
        Eight token = gather<4>(merges.byte_pairs, (pair & 255) << 8 | (pair >> 8 & 255));
        keys[i] = token << 4 | (uint32_t)i | (Eight)(lengths <= (uint32_t)i + 1);
    }
    for (;;) {
        Eight key = keys[0];
        BPE_EACH_PLACE (int i = 1; i < places; i++) key = least(key, keys[i]);
        const Eight active = (Eight)(key < NO_MERGE << 4);
        if (_mm256_testz_si256((__m256i)active, (__m256i)active)) break;
        const Eight token = key >> 4, here = (eight(1) << (key & 15)) & active;
        const Eight later = begins & ~(here + here - 1), gone = lowest_bit(later);
        const Eight rest = later ^ gone, after = lowest_bit(rest);
        const Eight sooner = begins & (here - 1) & active, ahead = exponent(sooner);
        Eight right = (Eight)(rest == 0) & NO_TOKEN, left = (Eight)(sooner == 0) & NO_TOKEN;
        BPE_EACH_PLACE (int i = 0; i < places; i++) {
            right |= tokens[i] & (Eight)(after == 1u << i);
            left |= tokens[i] & (Eight)(ahead == exponent_of_bit(i));
        }
        const Eight right_key = merged(merges, token, right) << 4 | (key & 15);
        const Eight left_key = merged(merges, left, token) << 4 | ((ahead >> 23) - 127);
        BPE_EACH_PLACE (int i = 0; i < places; i++) {
            const Eight is_here = (Eight)(here == 1u << i);
            tokens[i] = choose(tokens[i], token, is_here);
            keys[i] = choose(keys[i] | (Eight)(gone == 1u << i), right_key, is_here);
            keys[i] = choose(keys[i], left_key, (Eight)(ahead == exponent_of_bit(i)));
        }
        begins ^= gone;
    }
    /* For each word, the tokens of the places where one begins, one after the other. */
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t number = 0, bits = begins[lane];
        BPE_EACH_PLACE (int i = 0; i < places; i++) {
            made[lane].tokens[number] = tokens[i][lane];
            number += bits >> i & 1;
        }
        made[lane].number = number;
    }
}

/* The same for words of up to `longest` bytes; unused lanes have words of none. */
static void merge_eight(const Merges &merges, const Key *words, size_t longest, MadeTokens *made) {
    if (longest <= 8) merge_eight<8>(merges, words, made);
    else if (longest <= 12) merge_eight<12>(merges, words, made);
    else merge_eight<16>(merges, words, made);
}

static bool can_merge_side_by_side() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}
#else
static void merge_eight(const Merges &, const Key *, size_t, MadeTokens *) {}
static bool can_merge_side_by_side() { return false; }
#endif

#endif
