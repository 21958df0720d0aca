/* What is spelled differently by compilers. CS336_BPE_NO_BUILTINS takes what any of them understands,
 * so that it can be tested with one that has more. */
#ifndef CS336_BPE_COMPILER_H
#define CS336_BPE_COMPILER_H

#include <stdint.h>

#if defined(__GNUC__) && !defined(CS336_BPE_NO_BUILTINS)
#define BPE_ALWAYS_INLINE inline __attribute__((always_inline))
#define BPE_NEVER_INLINE __attribute__((noinline))
#define BPE_CTZ(x) __builtin_ctzll(x)
#define BPE_CLZ(x) __builtin_clzll(x)
#define BPE_POPCOUNT(x) __builtin_popcountll(x)
#define BPE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define BPE_PREFETCH(p) __builtin_prefetch(p, 1)
#else
#define BPE_ALWAYS_INLINE inline
#define BPE_NEVER_INLINE
static inline int BPE_CTZ(uint64_t x) { int n = 0; while (!(x & 1)) { x >>= 1; n++; } return n; }
static inline int BPE_CLZ(uint64_t x) { int n = 0; while (!(x >> 63)) { x <<= 1; n++; } return n; }
static inline int BPE_POPCOUNT(uint64_t x) { int n = 0; while (x) { x &= x - 1; n++; } return n; }
#define BPE_UNLIKELY(x) (x)
#define BPE_PREFETCH(p) ((void)(p))
#endif
#define BPE_INLINE static BPE_ALWAYS_INLINE
#if defined(CS336_BPE_NO_PREFETCH)  /* to measure what it gains */
#undef BPE_PREFETCH
#define BPE_PREFETCH(p) ((void)(p))
#endif

#endif
