/* Memory that runs out: preloaded, it lets the n-th allocation of compiled code of ours fail.
 *
 * `fail_at(n)` arms it, `fail_at(0)` disarms it, and `failures()` says how many have failed. Only
 * calls from our modules and from the C++ library on their behalf are counted: what Python itself
 * does without memory is not ours to test. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static long left, failed;

void fail_at(long n) { left = n; failed = 0; }
long failures(void) { return failed; }

static int fails(void *caller) {
    Dl_info info;
    if (left <= 0 || !dladdr(caller, &info) || !info.dli_fname) return 0;
    if (!strstr(info.dli_fname, "cs336_bpe/") && !strstr(info.dli_fname, "libstdc++")) return 0;
    if (--left) return 0;
    failed++;
    errno = ENOMEM;
    return 1;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}
void *calloc(size_t number, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(number, size);
}
void *realloc(void *old, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **to, size_t alignment, size_t size) {
    if (fails(__builtin_return_address(0))) return ENOMEM;
    *to = __libc_memalign(alignment, size);
    return *to ? 0 : ENOMEM;
}
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (!real) real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    if (fails(__builtin_return_address(0))) return MAP_FAILED;
    return real(at, size, protection, flags, file, offset);
}
