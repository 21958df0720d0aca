/* The scanners for each kind of machine. Everything between text and masks is written several
 * times, and everything after it once, but compiled several times, in a namespace each. */
#ifndef CS336_BPE_SCAN_PATHS_H
#define CS336_BPE_SCAN_PATHS_H

#include "wide_careful.h"

#if defined(__GNUC__) && defined(__x86_64__) && !defined(CS336_BPE_PORTABLE)
#define SCAN_X86 1
#pragma GCC diagnostic push  /* gcc 12 warns of its own registers that are left undefined */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#define SCAN_X86 0
#endif
#if defined(__GNUC__) && defined(__aarch64__) && !defined(CS336_BPE_PORTABLE)
#define SCAN_NEON 1
#include <arm_neon.h>
#else
#define SCAN_NEON 0
#endif

#define SCAN_FUNCTION BPE_INLINE SCAN_TARGET

/* Of the bytes from 0x80 on: those that do not start a character; those of 0xE0 and above, and of
 * 0xF0 and above, which start one of three or four bytes; and those that start a letter, whatever
 * follows (or some of these, or none). */
typedef struct { uint64_t more, three, four, letters; } Leads;

static const uint64_t EACH_BYTE = 0x0101010101010101u, HIGH_BITS = 0x8080808080808080u;
static const uint64_t HIGHEST_BIT = (uint64_t)1 << 63;

/* The first byte in the lowest bits, on every machine. */
BPE_INLINE uint64_t eight_bytes(const uint8_t *text) {
    uint64_t x;
    memcpy(&x, text, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Without an instruction for it, and without the function call that gcc makes of its own. */
BPE_INLINE int count_bits(uint64_t x) {
    x -= x >> 1 & EACH_BYTE * 0x55;
    x = (x & EACH_BYTE * 0x33) + (x >> 2 & EACH_BYTE * 0x33);
    return (int)(((x + (x >> 4)) & EACH_BYTE * 0x0F) * EACH_BYTE >> 56);
}

namespace portable {
#define SCAN_TARGET
#define SCAN_CTZ(x) BPE_CTZ((x) | HIGHEST_BIT)
#define SCAN_POPCOUNT(x) count_bits(x)
#include "classify_portable.h"
#include "write_by_eights.h"
#include "classify_wide.h"
#include "masks_gpt2.h"
#include "masks_cl100k.h"
#include "masks_o200k.h"
#include "scan_loop.h"
#undef SCAN_TARGET
#undef SCAN_CTZ
#undef SCAN_POPCOUNT
static int is_here() { return 1; }
}

#if SCAN_X86
namespace sse2 {
#define SCAN_TARGET
#define SCAN_CTZ(x) BPE_CTZ((x) | HIGHEST_BIT)
#define SCAN_POPCOUNT(x) count_bits(x)
#include "classify_sse2.h"
#include "write_by_eights.h"
#include "classify_wide.h"
#include "masks_gpt2.h"
#include "masks_cl100k.h"
#include "masks_o200k.h"
#include "scan_loop.h"
#undef SCAN_TARGET
#undef SCAN_CTZ
#undef SCAN_POPCOUNT
static int is_here() { return 1; }
}

namespace avx2 {
#define SCAN_TARGET __attribute__((target("avx2,bmi,lzcnt,popcnt")))
#define SCAN_CTZ(x) _tzcnt_u64(x)
#define SCAN_POPCOUNT(x) BPE_POPCOUNT(x)
#include "classify_avx2.h"
#include "write_by_eights.h"
#include "classify_wide.h"
#include "masks_gpt2.h"
#include "masks_cl100k.h"
#include "masks_o200k.h"
#include "scan_loop.h"
#undef SCAN_TARGET
#undef SCAN_CTZ
#undef SCAN_POPCOUNT
static int is_here() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
           && __builtin_cpu_supports("popcnt");
}
}

namespace avx512 {
static const uint8_t zero_to_63[64] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
    43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
#define SCAN_TARGET \
    __attribute__((target("avx2,bmi,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi2")))
#define SCAN_CTZ(x) _tzcnt_u64(x)
#include "classify_avx512.h"
#include "classify_wide.h"
#include "masks_gpt2.h"
#include "masks_cl100k.h"
#include "masks_o200k.h"
#include "scan_loop.h"
#undef SCAN_TARGET
#undef SCAN_CTZ
static int is_here() {
    return avx2::is_here() && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2");
}
}
#endif

#if SCAN_NEON  /* every aarch64 has it */
namespace neon {
#define SCAN_TARGET
#define SCAN_CTZ(x) BPE_CTZ((x) | HIGHEST_BIT)
#define SCAN_POPCOUNT(x) BPE_POPCOUNT(x)
#include "classify_neon.h"
#include "write_by_eights.h"
#include "classify_wide.h"
#include "masks_gpt2.h"
#include "masks_cl100k.h"
#include "masks_o200k.h"
#include "scan_loop.h"
#undef SCAN_TARGET
#undef SCAN_CTZ
#undef SCAN_POPCOUNT
static int is_here() { return 1; }
}
#endif

#define SCAN_PATH(name) {#name, name::is_here, \
                         {name::scan_gpt2, name::scan_cl100k, name::scan_cl100k_2023, \
                          name::scan_qwen2, name::scan_nanochat, name::scan_o200k}}

/* From the fastest to the one that every machine has. */
static const ScanPath scan_paths[] = {
#if SCAN_X86
    SCAN_PATH(avx512), SCAN_PATH(avx2), SCAN_PATH(sse2),
#endif
#if SCAN_NEON
    SCAN_PATH(neon),
#endif
    SCAN_PATH(portable),
};
enum { NUM_SCAN_PATHS = sizeof scan_paths / sizeof *scan_paths };

static const ScanPath *fastest_scan_path(void) {
    const ScanPath *path = scan_paths;
    while (!path->is_here()) path++;
    return path;
}

#endif
