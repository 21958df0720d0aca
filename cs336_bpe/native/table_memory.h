/* Memory for large tables whose entries are visited at random.
 *
 * Two things about memory pages cost more here than the work itself:
 *
 *   - A processor remembers where only so many pages are (its TLB). A large table gets huge pages,
 *     of 2 MB instead of 4 kB, where the system has them.
 *   - A fresh page that is *read* first is only a view of one page of zeros that all share. When it
 *     is written to later, the system must replace it, and interrupt every other processor that runs
 *     a thread of this process, to make it forget the view. An open-addressing table does just
 *     that: look whether the place is free, then write. With two threads these interrupts took a
 *     sixth of the time. So every page is written to once, when the table is made.
 */
#ifndef CS336_BPE_TABLE_MEMORY_H
#define CS336_BPE_TABLE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

static void touch_pages(void *memory, size_t size) {
    volatile uint8_t *bytes = (volatile uint8_t *)memory;
    for (size_t i = 0; i < size; i += 4096) bytes[i] = 0;
}

/* CS336_BPE_SMALL_PAGES and CS336_BPE_UNTOUCHED are for stages that come before this idea, and to measure
 * what it gains. */
#if defined(__linux__) && defined(MADV_HUGEPAGE) && !defined(CS336_BPE_SMALL_PAGES)
enum { HUGE_PAGE = 1 << 21 };

/* The size of a table if it is large enough for huge pages, in whole ones; otherwise 0. */
static size_t mapped_size(size_t num_entries, size_t entry_size) {
    size_t size = num_entries * entry_size;
    return size < HUGE_PAGE ? 0 : (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* Are there no pages before they are written to? */
static bool is_mapped(size_t num_entries, size_t entry_size) {
    return entry_size && num_entries < SIZE_MAX / 16 && mapped_size(num_entries, entry_size);
}

/* `num_entries` times `entry_size` bytes, all zero; NULL if there is no memory. */
static void *pages_new(size_t num_entries, size_t entry_size) {
    size_t size = mapped_size(num_entries, entry_size);
    if (!size) return calloc(num_entries, entry_size);
    /* A huge page begins at a multiple of its size: take more, and give back both ends. */
    uint8_t *taken = (uint8_t *)mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (taken == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE - (uintptr_t)taken % HUGE_PAGE) % HUGE_PAGE;
    if (before) munmap(taken, before);
    munmap(taken + before + size, HUGE_PAGE - before);
    madvise(taken + before, size, MADV_HUGEPAGE);  /* a wish, and it does not matter if it fails */
    return taken + before;
}

/* The same for what is written before it is read. Only fresh pages are zero. */
static void *uncleared_new(size_t num_entries, size_t entry_size) {
    return mapped_size(num_entries, entry_size) ? pages_new(num_entries, entry_size)
                                                : malloc(num_entries * entry_size);
}

static void table_free(void *table, size_t num_entries, size_t entry_size) {
    size_t size = mapped_size(num_entries, entry_size);
    if (!size) free(table);
    else if (table) munmap(table, size);
}
/* Huge pages for memory that somebody else has taken and not yet written to. */
static void advise_huge(void *memory, size_t size) {
    uintptr_t first = ((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t last = ((uintptr_t)memory + size) / HUGE_PAGE * HUGE_PAGE;
    if (first < last) madvise((void *)first, last - first, MADV_HUGEPAGE);
}

/* Give back pages behind the first `num_kept` entries, if there are whole ones; returns the number of
 * entries that there are now. */
static size_t table_shrink(void *table, size_t num_entries, size_t num_kept, size_t entry_size) {
    size_t size = mapped_size(num_entries, entry_size), kept = mapped_size(num_kept, entry_size);
    if (!kept || kept >= size) return num_entries;
    munmap((uint8_t *)table + kept, size - kept);
    return num_kept;
}
#else
static void advise_huge(void *memory, size_t size) { (void)memory, (void)size; }

static bool is_mapped(size_t num_entries, size_t entry_size) {
    (void)num_entries, (void)entry_size;
    return false;
}

static size_t table_shrink(void *table, size_t num_entries, size_t num_kept, size_t entry_size) {
    (void)table, (void)num_kept, (void)entry_size;
    return num_entries;
}

static void *pages_new(size_t num_entries, size_t entry_size) {
    return calloc(num_entries, entry_size);
}

static void *uncleared_new(size_t num_entries, size_t entry_size) {
    return malloc(num_entries * entry_size);
}

static void table_free(void *table, size_t num_entries, size_t entry_size) {
    (void)num_entries, (void)entry_size;
    free(table);
}
#endif

/* The same, and every page written to: for a table whose entries are read before they are written. */
static void *table_new(size_t num_entries, size_t entry_size) {
    void *memory = pages_new(num_entries, entry_size);
#if !defined(CS336_BPE_UNTOUCHED)
    if (memory) touch_pages(memory, num_entries * entry_size);
#endif
    return memory;
}

/* The same for entries of which two or more are to lie in one line of the processor's cache. */
static void *aligned_table_new(size_t num_entries, size_t entry_size) {
#if defined(__unix__) || defined(__APPLE__)
    void *memory = NULL;
    if (num_entries * entry_size < ((size_t)1 << 21)) {
        if (posix_memalign(&memory, 64, num_entries * entry_size)) return NULL;
        return memset(memory, 0, num_entries * entry_size);
    }
#endif
    return table_new(num_entries, entry_size);  /* whole pages, where it matters */
}

#endif
