/* GPT-2's pattern as bit masks: where do the pretokens of a text start?
 *
 * 64 bytes at a time are classified into masks, one bit per byte: L letters, N digits, W white space,
 * O anything else, and S the space itself, which is white space too. All bytes of a character have
 * its class. Then a few operations on 64-bit integers give the starts:
 *
 *   - a run of white space starts a pretoken where it begins, and another one at its last
 *     character if something follows: \s+(?!\S) leaves that one behind;
 *   - a run of L, N or O starts one where it begins, unless a space is before it: then the space,
 *     being the last white space before something, has started it already.
 *
 * Contractions are left to starts.h.
 *
 * Classifying is the only part that depends on the machine. There is a version for AVX2, chosen
 * at run time, and a portable one that gives the same bits.
 */
#ifndef CS336_BPE_SCAN_H
#define CS336_BPE_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define BPE_ALWAYS_INLINE inline __attribute__((always_inline))
#define BPE_NEVER_INLINE __attribute__((noinline))
#define BPE_CTZ(x) __builtin_ctzll(x)
#define BPE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define BPE_PREFETCH(p) __builtin_prefetch(p, 1)
#else
#define BPE_ALWAYS_INLINE inline
#define BPE_NEVER_INLINE
static inline int BPE_CTZ(uint64_t x) { int n = 0; while (!(x & 1)) { x >>= 1; n++; } return n; }
#define BPE_UNLIKELY(x) (x)
#define BPE_PREFETCH(p) ((void)(p))
#endif
#define BPE_INLINE static BPE_ALWAYS_INLINE
#if defined(CS336_BPE_NO_PREFETCH)  /* to measure what it gains */
#undef BPE_PREFETCH
#define BPE_PREFETCH(p) ((void)(p))
#endif

#if defined(__GNUC__) && defined(__x86_64__) && !defined(CS336_BPE_PORTABLE)
#define BPE_AVX2 1
#include <immintrin.h>
#else
#define BPE_AVX2 0
#endif

enum { CLASS_O, CLASS_L, CLASS_N, CLASS_W, CLASS_BLANK };
enum { SCAN_PADDING = 64 };  /* bytes after a text that may be read, whatever is in them */

/* The classes of all code points: classes[index[c >> 8] << 8 | (c & 255)]. */
static uint8_t class_index[0x1100];
static uint8_t classes[256 << 8];
static uint8_t ascii_class[128];

/* Has to be called once, with the tables that native/classes.py makes. */
static void scan_init_module(const void *index, size_t index_size, const void *all_classes,
                             size_t classes_size) {
    memcpy(class_index, index, index_size);
    memcpy(classes, all_classes, classes_size);
    memcpy(ascii_class, classes, 128);  /* block 0 is the first */
    ascii_class[' '] = CLASS_BLANK;
}

typedef struct { uint64_t L, N, W, S, wide; } Masks;  /* wide: bytes of 0x80 and above */

static Masks classify_portable(const uint8_t *text) {
    Masks m = {0, 0, 0, 0, 0};
    for (int i = 0; i < 64; i++) {
        uint8_t byte = text[i];
        uint64_t bit = (uint64_t)1 << i;
        if (byte >= 0x80) { m.wide |= bit; continue; }
        uint8_t c = ascii_class[byte];
        m.L |= c == CLASS_L ? bit : 0;
        m.N |= c == CLASS_N ? bit : 0;
        m.W |= c >= CLASS_W ? bit : 0;
        m.S |= c == CLASS_BLANK ? bit : 0;
    }
    return m;
}

#if BPE_AVX2
__attribute__((target("avx2")))
static inline uint32_t between(__m256i x, char first, char last) {
    __m256i above = _mm256_cmpgt_epi8(x, _mm256_set1_epi8((char)(first - 1)));
    __m256i below = _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(last + 1)), x);
    return (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(above, below));
}

/* Comparisons are signed: bytes of 0x80 and above are negative, and in no range. */
__attribute__((target("avx2")))
static inline Masks classify_avx2(const uint8_t *text) {
    Masks m;
    __m256i low = _mm256_loadu_si256((const __m256i *)text);
    __m256i high = _mm256_loadu_si256((const __m256i *)(text + 32));
    __m256i case_bit = _mm256_set1_epi8(0x20);
    m.wide = (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32
             | (uint32_t)_mm256_movemask_epi8(low);
    m.L = (uint64_t)between(_mm256_or_si256(high, case_bit), 'a', 'z') << 32
          | between(_mm256_or_si256(low, case_bit), 'a', 'z');
    m.N = (uint64_t)between(high, '0', '9') << 32 | between(low, '0', '9');
    m.S = (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, case_bit)) << 32
          | (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, case_bit));
    m.W = ((uint64_t)between(high, '\t', '\r') << 32 | between(low, '\t', '\r')) | m.S;
    return m;
}
#endif

/* The length and the class of the UTF-8 character at `text`; length 0 if it is not valid.
 * Reads at most 3 bytes more. */
BPE_INLINE int decode_wide(const uint8_t *text, int *class_of) {
    uint32_t a = text[0], b = text[1], c;
    int length;
    if ((b & 0xC0) != 0x80) return 0;
    if (a < 0xE0) {
        if (a < 0xC2) return 0;
        c = (a & 0x1F) << 6 | (b & 0x3F);
        length = 2;
    } else if (a < 0xF0) {
        if ((text[2] & 0xC0) != 0x80) return 0;
        c = (a & 0x0F) << 12 | (b & 0x3F) << 6 | (text[2] & 0x3F);
        if (c < 0x800 || (c >= 0xD800 && c < 0xE000)) return 0;
        length = 3;
    } else {
        if (a > 0xF4 || (text[2] & 0xC0) != 0x80 || (text[3] & 0xC0) != 0x80) return 0;
        c = (a & 0x07) << 18 | (b & 0x3F) << 12 | (text[2] & 0x3F) << 6 | (text[3] & 0x3F);
        if (c < 0x10000 || c > 0x10FFFF) return 0;
        length = 4;
    }
    *class_of = classes[(uint32_t)class_index[c >> 8] << 8 | (c & 255)];
    return length;
}

typedef struct {
    const uint8_t *text;
    size_t at, end;          /* the part still to be scanned */
    uint64_t L, N, O, W, S;  /* the class of the character before `at`: 0 or 1 each */
    size_t last_char;        /* where that character starts */
    size_t last_start;       /* the last start found, + 1; 0 before the first */
    int invalid;             /* the text at `at` is not UTF-8 */
    int lenient;             /* go on: a byte that is not part of a character is of class O */
} Scan;

BPE_INLINE void scan_begin(Scan *scan, const uint8_t *text, size_t begin, size_t end) {
    memset(scan, 0, sizeof *scan);
    scan->text = text;
    scan->at = begin;
    scan->end = end;
}

/* Find starts until there is no room for those of another block, or the text ends, or is found
 * not to be UTF-8. Return how many there are. Needs room for 65. */
BPE_INLINE size_t scan_with(Scan *scan, size_t *starts, size_t room,
                            Masks (*classify)(const uint8_t *)) {
    size_t found = 0;
    while (scan->at < scan->end && found + 65 <= room) {
        const uint8_t *here = scan->text + scan->at;
        size_t left = scan->end - scan->at;
        int size = left < 64 ? (int)left : 64;
        uint64_t valid = size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1;
        Masks m = classify(here);
        uint64_t O = 0;
        int wide_space = 0;
        if (BPE_UNLIKELY(m.wide & valid)) {
            uint64_t rest = m.wide & valid;
            while (rest) {
                int i = BPE_CTZ(rest), class_of = 0;
                int length = decode_wide(here + i, &class_of);
                if (i + length > size) {
                    if (size == 64 && i > 0) {  /* it goes on in the next block: leave it there */
                        size = i;
                        valid = ((uint64_t)1 << size) - 1;
                        break;
                    }
                    length = 0;
                }
                if (length == 0 && scan->lenient) {
                    O |= (uint64_t)1 << i;
                    rest &= rest - 1;
                    continue;
                }
                if (length == 0) {
                    scan->invalid = 1;
                    scan->at += (size_t)i;
                    return found;
                }
                uint64_t bits = (((uint64_t)1 << length) - 1) << i;
                if (class_of == CLASS_L) m.L |= bits;
                else if (class_of == CLASS_O) O |= bits;
                else if (class_of == CLASS_N) m.N |= bits;
                else { m.W |= bits; wide_space = 1; }
                rest &= ~bits;
            }
        }
        O = (O | ~(m.L | m.N | m.W | m.wide)) & valid;
        uint64_t L = m.L & valid, N = m.N & valid, W = m.W & valid, S = m.S & valid;

        uint64_t runs = (L & ~(L << 1 | scan->L)) | (N & ~(N << 1 | scan->N))
                        | (O & ~(O << 1 | scan->O));
        uint64_t after_space = (L | N | O) & (W << 1 | scan->W);
        uint64_t begins = (runs & ~(S << 1 | scan->S)) | (W & ~(W << 1 | scan->W));
        if (BPE_UNLIKELY(wide_space)) {
            uint64_t rest = after_space & ~(uint64_t)1;
            while (rest) {
                int i = BPE_CTZ(rest) - 1;
                while ((here[i] & 0xC0) == 0x80) i--;
                begins |= (uint64_t)1 << i;
                rest &= rest - 1;
            }
        } else {
            begins |= after_space >> 1;
        }
        if ((after_space & 1) && scan->last_start != scan->last_char + 1) {
            starts[found++] = scan->last_char;  /* white space that ended the block before */
            scan->last_start = scan->last_char + 1;
        }
        if (begins) {
            while (begins) {
                starts[found++] = scan->at + (size_t)BPE_CTZ(begins);
                begins &= begins - 1;
            }
            scan->last_start = starts[found - 1] + 1;
        }
        int last = size - 1;
        scan->L = L >> last & 1;
        scan->N = N >> last & 1;
        scan->O = O >> last & 1;
        scan->W = W >> last & 1;
        scan->S = S >> last & 1;
        while (last > 0 && (here[last] & 0xC0) == 0x80) last--;
        scan->last_char = scan->at + (size_t)last;
        scan->at += (size_t)size;
    }
    return found;
}

static size_t scan_portable(Scan *scan, size_t *starts, size_t room) {
    return scan_with(scan, starts, room, classify_portable);
}

#if BPE_AVX2
__attribute__((target("avx2,bmi,popcnt")))
static size_t scan_avx2(Scan *scan, size_t *starts, size_t room) {
    return scan_with(scan, starts, room, classify_avx2);
}
#endif

static int scan_has_avx2(void) {
#if BPE_AVX2
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
#else
    return 0;
#endif
}

static int scan_use_portable = 0;  /* for tests */

BPE_INLINE int scan_is_avx2(void) {
    static int has_avx2 = -1;
    if (has_avx2 < 0) has_avx2 = scan_has_avx2();
    return has_avx2 && !scan_use_portable;
}

static size_t scan_starts(Scan *scan, size_t *starts, size_t room) {
#if BPE_AVX2
    if (scan_is_avx2()) return scan_avx2(scan, starts, room);
#endif
    return scan_portable(scan, starts, room);
}

/* The length of the contraction ('s 'd 'm 't 'll 've 're) at `text`, which has `size` bytes; or 0. */
BPE_INLINE size_t contraction(const uint8_t *text, size_t size) {
    if (text[0] != '\'' || size < 2) return 0;
    uint8_t a = text[1];
    if (a == 's' || a == 'd' || a == 'm' || a == 't') return 2;
    if (size < 3) return 0;
    uint8_t b = text[2];
    return (a == 'l' && b == 'l') || ((a == 'v' || a == 'r') && b == 'e') ? 3 : 0;
}

#endif
