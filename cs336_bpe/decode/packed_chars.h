/* UTF-8 to characters, 64 bytes at a time, whatever is in them.
 *
 * A character begins at each byte that doesn't continue one. The instruction `vpcompressb` takes these
 * bytes out of 64 and packs them side by side. Done again with the 64 bytes one place further on, it
 * packs the second bytes of the same characters, then the third and the fourth ones:
 *
 *     text             a  C3 A9  E2 82 AC  b
 *     first bytes      a  C3     E2        b
 *     second bytes     C3 A9     82        ..
 *     third bytes      A9 E2     AC        ..
 *
 * Now each column is a character, and all columns are treated alike: what it would be if it had two
 * bytes, three or four is computed, and its first byte says which of these it is. Where 64 bytes end
 * makes no difference: a character belongs to those in which it begins.
 *
 * It needs AVX-512 with VBMI2, for this one instruction.
 */
#ifndef CS336_BPE_PACKED_CHARS_H
#define CS336_BPE_PACKED_CHARS_H

#include "utf8_text.h"

#if defined(__GNUC__) && defined(__x86_64__) && !defined(CS336_BPE_NO_BUILTINS)
#pragma GCC diagnostic push  /* gcc 12 warns of its own registers that are left undefined */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#define BPE_VBMI2 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")))

BPE_VBMI2 static inline __m512i all_of(uint32_t x) { return _mm512_set1_epi32((int)x); }

/* A number of bytes so far, and six bits more. */
BPE_VBMI2 static inline __m512i longer(__m512i code, __m128i byte) {
    const __m512i bits = _mm512_and_si512(_mm512_cvtepu8_epi32(byte), all_of(0x3F));
    return _mm512_or_si512(_mm512_slli_epi32(code, 6), bits);
}

/* The bytes of the characters that begin in 64 bytes. */
struct Columns { __m512i first, second, third, fourth; };

/* Sixteen of these characters. With `wide`, some may have four bytes. What UTF-8 has not (too many bytes
 * for a small number, surrogates, numbers that are too large) is added to `bad`. */
template <int which, bool wide>
BPE_VBMI2 static inline __m512i sixteen(const Columns &columns, uint32_t *bad) {
    const __m512i first = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(columns.first, which));
    const __mmask16 two = _mm512_cmpge_epu32_mask(first, all_of(0xC0));
    const __mmask16 three = _mm512_cmpge_epu32_mask(first, all_of(0xE0));
    const __m512i of_two = longer(_mm512_and_si512(first, all_of(0x1F)),
                                  _mm512_extracti32x4_epi32(columns.second, which));
    const __m512i of_three = longer(of_two, _mm512_extracti32x4_epi32(columns.third, which));
    __m512i code = _mm512_mask_mov_epi32(first, two, of_two);
    __m512i least = _mm512_maskz_mov_epi32(two, all_of(0x80));
    code = _mm512_mask_mov_epi32(code, three, of_three);
    least = _mm512_mask_mov_epi32(least, three, all_of(0x800));
    if (wide) {
        const __mmask16 four = _mm512_cmpge_epu32_mask(first, all_of(0xF0));
        const __m512i of_four = longer(of_three, _mm512_extracti32x4_epi32(columns.fourth, which));
        code = _mm512_mask_and_epi32(code, four, of_four, all_of(0x3FFFFF));
        least = _mm512_mask_mov_epi32(least, four, all_of(0x10000));
        *bad |= _mm512_cmpgt_epu32_mask(code, all_of(0x10FFFF));
    }
    const __m512i high = _mm512_and_si512(code, all_of(0xFFFFF800));
    *bad |= (uint32_t)_mm512_cmplt_epu32_mask(code, least)
            | (uint32_t)_mm512_cmpeq_epi32_mask(high, all_of(0xD800));
    return code;
}

BPE_VBMI2 static inline void store_sixteen(__m512i chars, Py_UCS4 *to) { _mm512_storeu_si512(to, chars); }
BPE_VBMI2 static inline void store_sixteen(__m512i chars, Py_UCS2 *to) {
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(chars));
}

/* Write all characters, as write_chars does. There are `num_chars` of them if the text is UTF-8, and
 * never more than that. */
template <class Char>
BPE_VBMI2 static bool write_packed(const uint8_t *__restrict text, size_t size, Char *__restrict to,
                                   size_t num_chars) {
    enum { STEP = 64, READ = STEP + 3 };
    const bool wide = sizeof(Char) == 4;
    const uint8_t *const end = text + size;
    Char *const full = to + num_chars;
    uint64_t owed = 0, wrong = 0;  /* which bytes have to continue a character; and which don't */
    uint32_t bad = 0;
    for (; end - text >= READ && full - to >= STEP; text += STEP) {
        const __m512i bytes = _mm512_loadu_si512(text);
        if (!_mm512_movepi8_mask(bytes)) {  /* ASCII */
            for (int i = 0; i < STEP; i++) to[i] = text[i];
            wrong |= owed;
            owed = 0;
            to += STEP;
            continue;
        }
        const uint64_t continued = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-64));
        const uint64_t two = _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8((char)0xC0));
        const uint64_t three = _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8((char)0xE0));
        const uint64_t four = _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8((char)0xF0));
        wrong |= continued ^ (owed | two << 1 | three << 2 | four << 3);
        owed = two >> 63 | three >> 62 | four >> 61;
        const __mmask64 firsts = ~continued;
        const size_t number = (size_t)__builtin_popcountll(firsts);
        Columns columns;
        columns.first = _mm512_maskz_compress_epi8(firsts, bytes);
        columns.second = _mm512_maskz_compress_epi8(firsts, _mm512_loadu_si512(text + 1));
        columns.third = _mm512_maskz_compress_epi8(firsts, _mm512_loadu_si512(text + 2));
        columns.fourth = columns.third;
        if (wide) columns.fourth = _mm512_maskz_compress_epi8(firsts, _mm512_loadu_si512(text + 3));
        store_sixteen(sixteen<0, wide>(columns, &bad), to);
        if (number > 16) store_sixteen(sixteen<1, wide>(columns, &bad), to + 16);
        if (number > 32) store_sixteen(sixteen<2, wide>(columns, &bad), to + 32);
        if (number > 48) store_sixteen(sixteen<3, wide>(columns, &bad), to + 48);
        to += number;
    }
    if (wrong || bad) return false;
    /* What the last character still needs has been read. It has to be there all the same. */
    for (; owed; owed >>= 1)
        if (text == end || (*text++ & 0xC0) != 0x80) return false;
    return write_chars(text, (size_t)(end - text), to);
}
#pragma GCC diagnostic pop

static bool can_pack_chars() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512vl");
}

static bool write_packed_text(const uint8_t *text, size_t size, int kind, void *to,
                              size_t num_chars) {
    static const bool can_pack = can_pack_chars();
    if (can_pack && kind == PyUnicode_2BYTE_KIND)
        return write_packed(text, size, (Py_UCS2 *)to, num_chars);
    if (can_pack && kind == PyUnicode_4BYTE_KIND)
        return write_packed(text, size, (Py_UCS4 *)to, num_chars);
    return write_text(text, size, kind, to, num_chars);
}
#else
#define write_packed_text write_text
#endif

/* As text_from_utf8. */
static PyObject *text_from_packed(const uint8_t *bytes, size_t size) {
    return text_from_utf8(bytes, size, true, write_packed_text);
}

#endif
