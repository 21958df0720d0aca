/* Where do the pretokens of a text start? What a module needs to ask.
 *
 *     Scan scan;
 *     scan_begin(&scan, text, begin, end);
 *     while (scan.at < scan.end && !scan.invalid) {
 *         size_t number = scan_starts(SCAN_GPT2, &scan, starts, room);  // room >= SCAN_ROOM
 *         ...
 *     }
 *
 * Starts are final: pretoken i is text[starts[i]:starts[i + 1]], and the last one ends at `end`.
 *
 * The scanners are compiled once, in scan.pyx, for several kinds of machine (scan_paths.h), and
 * used through pointers; every module that scans gets its pointer from there (scan.pxd).
 */
#ifndef CS336_BPE_SCAN_H
#define CS336_BPE_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compiler.h"

enum {
    SCAN_PADDING = 64,  /* bytes after a text that may be read, whatever is in them */
    SCAN_ROOM = 80,     /* starts for which there has to be room: a block's, and some for haste */
};

/* 64 bytes of text as masks, a bit per byte. All bytes of a character have its class. After the end
 * of the text no bit is set. */
typedef struct {
    uint64_t L, N, O, W;  /* letters, digits, others, white space: each byte is in one of them */
    uint64_t S, R;        /* of the white space: the space itself; \r and \n */
    uint64_t quote;       /* of the others: the apostrophe */
    uint64_t slash;       /* and the slash */
    uint64_t U, B, M;     /* letters in upper and in lower case (others are in neither); marks */
    uint64_t more;        /* bytes of a character but its first */
    uint64_t due;         /* bytes in the next block that go on with this block's last character */
} Block;

typedef struct {
    const uint8_t *text;
    size_t at, end;      /* the part that is still to be given out */
    Block before, here;  /* the block that ends at `at`, and the one that starts there */
    int begun;           /* there is a block `here` */
    uint64_t set, clear; /* starts of `here` that a contraction in `before` adds, or removes */
    /* Of the last byte before `at`, 0 or 1. cl100k: it is a newline that belongs to what is before
     * it; it is of a symbol that letters may go with. o200k: it is part of a word, of symbols, of a
     * mark among symbols; lower case before it has been seen; it has no case. */
    uint64_t tied, single, word, other, mark, lower, either;
    unsigned owed;       /* cl100k: digits that the last group of digits has still room for */
    uint64_t cut;        /* o200k: letters of `here` that are of a contraction in `before` */
    size_t suffix_end;   /* o200k: where the last contraction ends */
    int invalid;         /* the text at `at` is not UTF-8 */
    int lenient;         /* go on: a byte that is not part of a character is of class O */
} Scan;

static inline void scan_begin(Scan *scan, const uint8_t *text, size_t begin, size_t end) {
    memset(scan, 0, sizeof *scan);
    scan->text = text;
    scan->at = begin;
    scan->end = end;
}

/* Finds starts until there is no room for those of another block, or the text ends, or is found not
 * to be UTF-8. Returns how many there are. */
typedef size_t ScanStarts(Scan *scan, size_t *starts, size_t room);

/* The patterns that have masks; masked_patterns.py has them as regular expressions. */
enum { SCAN_GPT2, SCAN_CL100K, SCAN_CL100K_2023, SCAN_QWEN2, SCAN_NANOCHAT, SCAN_O200K,
       NUM_SCAN_PATTERNS };

typedef struct {
    const char *name;
    int (*is_here)(void);  /* can this machine run it? */
    ScanStarts *starts[NUM_SCAN_PATTERNS];
} ScanPath;

static const ScanPath *const *scan_path;  /* which one is used: set by init_scanner() in scan.pxd */

static inline size_t scan_starts(int pattern, Scan *scan, size_t *starts, size_t room) {
    return (*scan_path)->starts[pattern](scan, starts, room);
}

#endif
