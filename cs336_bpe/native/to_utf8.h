/* Python's str to UTF-8, a stretch at a time.
 *
 * A str has one, two or four bytes per character, as its widest character needs. Ordinary text is
 * mostly ASCII even then, so eight or sixteen characters are looked at together.
 */
#ifndef CS336_BPE_TO_UTF8_H
#define CS336_BPE_TO_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "scan.h" /* BPE_INLINE */
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The bytes that one character of a str may need, by the size of its characters. */
BPE_INLINE size_t most_bytes(int kind) { return kind == 1 ? 2 : kind == 2 ? 3 : 4; }

/* Are these sixteen (or eight, of 16 or 32 bits) characters all ASCII? Then copy them. */
#if defined(__SSE2__)
BPE_INLINE size_t copy_ascii(const uint8_t *from, uint8_t *to) {
    __m128i all = _mm_loadu_si128((const __m128i *)from);
    _mm_storeu_si128((__m128i *)to, all);
    return _mm_movemask_epi8(all) ? 0 : 16;
}
BPE_INLINE size_t copy_ascii(const uint16_t *from, uint8_t *to) {
    __m128i low = _mm_loadu_si128((const __m128i *)from);
    __m128i high = _mm_loadu_si128((const __m128i *)(from + 8));
    __m128i beyond = _mm_and_si128(_mm_or_si128(low, high), _mm_set1_epi16((short)0xFF80));
    _mm_storeu_si128((__m128i *)to, _mm_packus_epi16(low, high));
    return _mm_movemask_epi8(_mm_cmpeq_epi16(beyond, _mm_setzero_si128())) == 0xFFFF ? 16 : 0;
}
BPE_INLINE size_t copy_ascii(const uint32_t *from, uint8_t *to) {
    __m128i four[4], any = _mm_setzero_si128();
    for (int i = 0; i < 4; i++) {
        four[i] = _mm_loadu_si128((const __m128i *)from + i);
        any = _mm_or_si128(any, four[i]);
    }
    any = _mm_and_si128(any, _mm_set1_epi32(~0x7F));
    _mm_storeu_si128((__m128i *)to, _mm_packus_epi16(_mm_packs_epi32(four[0], four[1]),
                                                     _mm_packs_epi32(four[2], four[3])));
    return _mm_movemask_epi8(_mm_cmpeq_epi32(any, _mm_setzero_si128())) == 0xFFFF ? 16 : 0;
}
#else
template <class Char> BPE_INLINE size_t copy_ascii(const Char *from, uint8_t *to) {
    Char any = 0;
    for (int i = 0; i < 16; i++) {
        any |= from[i];
        to[i] = (uint8_t)from[i];
    }
    return any < 0x80 ? 16 : 0;
}
#endif

/* Convert `number` characters. Returns how many bytes they gave; `number` becomes the number of
 * characters converted, which is smaller if one has no UTF-8 form: a lone surrogate. Up to 16 bytes
 * more than `most_bytes` says may be written. */
template <class Char> static size_t to_utf8(const Char *from, size_t *number, uint8_t *to) {
    const Char *const end = from + *number, *const begin = from;
    uint8_t *const first = to;
    while (from < end) {
        while (end - from >= 16) {
            size_t done = copy_ascii(from, to);
            if (!done) break;
            from += done;
            to += done;
        }
        /* Some characters one by one. More than sixteen: what isn't ASCII comes in runs. */
        const Char *stop = end - from > 32 ? from + 32 : end;
        while (from < stop) {
            uint32_t c = *from;
            if (c < 0x80) {
                *to++ = (uint8_t)c;
            } else if (c < 0x800) {
                to[0] = (uint8_t)(0xC0 | c >> 6);
                to[1] = (uint8_t)(0x80 | (c & 0x3F));
                to += 2;
            } else if (c < 0x10000) {
                if (BPE_UNLIKELY((c & 0xF800) == 0xD800)) {
                    *number = (size_t)(from - begin);
                    return (size_t)(to - first);
                }
                to[0] = (uint8_t)(0xE0 | c >> 12);
                to[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
                to[2] = (uint8_t)(0x80 | (c & 0x3F));
                to += 3;
            } else {
                to[0] = (uint8_t)(0xF0 | c >> 18);
                to[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
                to[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
                to[3] = (uint8_t)(0x80 | (c & 0x3F));
                to += 4;
            }
            from++;
        }
    }
    return (size_t)(to - first);
}

/* The same for characters of `kind` bytes. */
static size_t to_utf8(int kind, const void *from, size_t *number, uint8_t *to) {
    return kind == 1 ? to_utf8((const uint8_t *)from, number, to)
         : kind == 2 ? to_utf8((const uint16_t *)from, number, to)
                     : to_utf8((const uint32_t *)from, number, to);
}

#endif
