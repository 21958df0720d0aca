/* Tables that count pretokens, and the loop that fills them from text.
 *
 * A pretoken of up to 7 bytes is its own key: one 64-bit integer with the length in the last byte.
 * One of up to 15 is two integers. Only the longer ones, which are rare, need a copy of their bytes
 * elsewhere. The smaller an entry, the more of the frequent ones stay in the processor's caches;
 * with one table of 16-byte keys for both, counting took a seventh longer.
 *
 * All three tables use open addressing: a pretoken is in the first free place at or behind the one
 * that its hash names, and a table grows before it is more than half full.
 *
 * Text is handled in batches of pretokens: find where they start, make their keys and ask for
 * their places in the table, and only then look there. So the waits for memory overlap.
 */
#ifndef CS336_BPE_WORD_COUNTS_H
#define CS336_BPE_WORD_COUNTS_H

#include "scan.h"
#include "table_memory.h"

enum { BATCH = 512, TINY = 7, SHORT = 15 };
enum { AHEAD = 16 };  /* entries: how far ahead memory is asked for when tables are added up */

typedef struct { uint64_t a, b; } Key;
/* An entry is free if its count is 0. No key is 0, for its last byte is the length. */
typedef struct { uint64_t key, count; } TinyEntry;
typedef struct { Key key; uint64_t count; } ShortEntry;
typedef struct { uint64_t hash, count; size_t start, length; } LongEntry;

typedef struct {  /* each table has mask + 1 entries, a power of two */
    TinyEntry *tiny;
    size_t tiny_mask, tiny_used;
    ShortEntry *shorts;
    size_t short_mask, short_used;
    LongEntry *longs;
    size_t long_mask, long_used;
    uint8_t *bytes;  /* of long pretokens, one after the other */
    size_t bytes_used, bytes_room;
    size_t tiny_bytes, short_bytes, long_bytes;  /* of all pretokens in each table, each once */
} Counts;

static Key key_masks[16];  /* the first n bytes set, and nothing else */

static void counts_init_module(void) {
    for (int n = 0; n < 16; n++) {
        memset(&key_masks[n], 0, 16);
        memset(&key_masks[n], 0xFF, (size_t)n);
    }
}

static void counts_free(Counts *counts) {
    if (!counts) return;
    table_free(counts->tiny, counts->tiny_mask + 1, sizeof(TinyEntry));
    table_free(counts->shorts, counts->short_mask + 1, sizeof(ShortEntry));
    table_free(counts->longs, counts->long_mask + 1, sizeof(LongEntry));
    free(counts->bytes);
    free(counts);
}

static Counts *counts_new(void) {
    Counts *counts = (Counts *)calloc(1, sizeof *counts);
    if (!counts) return NULL;
    counts->tiny_mask = (1 << 13) - 1;
    counts->short_mask = (1 << 12) - 1;
    counts->long_mask = (1 << 8) - 1;
    counts->tiny = (TinyEntry *)table_new(counts->tiny_mask + 1, sizeof(TinyEntry));
    counts->shorts = (ShortEntry *)table_new(counts->short_mask + 1, sizeof(ShortEntry));
    counts->longs = (LongEntry *)table_new(counts->long_mask + 1, sizeof(LongEntry));
    if (counts->tiny && counts->shorts && counts->longs) return counts;
    counts_free(counts);
    return NULL;
}

/* --- up to 7 bytes ---------------------------------------------------------------------- */

BPE_INLINE uint64_t tiny_key(const uint8_t *text, size_t length) {  /* reads 8 bytes */
    uint64_t key;
    uint8_t last = (uint8_t)length;
    memcpy(&key, text, 8);
    key &= key_masks[length].a;
    memcpy((uint8_t *)&key + 7, &last, 1);
    return key;
}

BPE_INLINE uint64_t tiny_hash(uint64_t key) {
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

static int grow_tiny(Counts *counts) {
    size_t mask = 2 * counts->tiny_mask + 1;
    TinyEntry *entries = (TinyEntry *)table_new(mask + 1, sizeof(TinyEntry));
    if (!entries) return -1;
    for (size_t i = 0; i <= counts->tiny_mask; i++) {
        if (!counts->tiny[i].count) continue;
        size_t at = tiny_hash(counts->tiny[i].key) & mask;
        while (entries[at].count) at = (at + 1) & mask;
        entries[at] = counts->tiny[i];
    }
    table_free(counts->tiny, counts->tiny_mask + 1, sizeof(TinyEntry));
    counts->tiny = entries;
    counts->tiny_mask = mask;
    return 0;
}

BPE_INLINE int add_tiny(Counts *counts, uint64_t key, uint64_t hash, uint64_t n) {
    size_t at = hash & counts->tiny_mask;
    while (counts->tiny[at].key != key) {
        if (!counts->tiny[at].count) {
            counts->tiny[at].key = key;
            counts->tiny[at].count = n;
            counts->tiny_bytes += ((const uint8_t *)&key)[7];
            return 2 * ++counts->tiny_used > counts->tiny_mask ? grow_tiny(counts) : 0;
        }
        at = (at + 1) & counts->tiny_mask;
    }
    counts->tiny[at].count += n;
    return 0;
}

/* --- up to 15 bytes --------------------------------------------------------------------- */

BPE_INLINE Key short_key(const uint8_t *text, size_t length) {  /* reads 16 bytes */
    Key key;
    uint8_t last = (uint8_t)length;
    memcpy(&key, text, 16);
    key.a &= key_masks[length].a;
    key.b &= key_masks[length].b;
    memcpy((uint8_t *)&key + 15, &last, 1);
    return key;
}

BPE_INLINE uint64_t short_hash(Key key) {
    uint64_t h = (key.a ^ (key.b * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

static int grow_short(Counts *counts) {
    size_t mask = 2 * counts->short_mask + 1;
    ShortEntry *entries = (ShortEntry *)table_new(mask + 1, sizeof(ShortEntry));
    if (!entries) return -1;
    for (size_t i = 0; i <= counts->short_mask; i++) {
        if (!counts->shorts[i].count) continue;
        size_t at = short_hash(counts->shorts[i].key) & mask;
        while (entries[at].count) at = (at + 1) & mask;
        entries[at] = counts->shorts[i];
    }
    table_free(counts->shorts, counts->short_mask + 1, sizeof(ShortEntry));
    counts->shorts = entries;
    counts->short_mask = mask;
    return 0;
}

BPE_INLINE int add_short(Counts *counts, Key key, uint64_t hash, uint64_t n) {
    size_t at = hash & counts->short_mask;
    ShortEntry *entry = &counts->shorts[at];
    while (entry->key.a != key.a || entry->key.b != key.b) {
        if (!entry->count) {
            entry->key = key;
            entry->count = n;
            counts->short_bytes += ((const uint8_t *)&key)[15];
            return 2 * ++counts->short_used > counts->short_mask ? grow_short(counts) : 0;
        }
        at = (at + 1) & counts->short_mask;
        entry = &counts->shorts[at];
    }
    entry->count += n;
    return 0;
}

/* --- longer ----------------------------------------------------------------------------- */

static int grow_long(Counts *counts) {
    size_t mask = 2 * counts->long_mask + 1;
    LongEntry *entries = (LongEntry *)table_new(mask + 1, sizeof(LongEntry));
    if (!entries) return -1;
    for (size_t i = 0; i <= counts->long_mask; i++) {
        if (!counts->longs[i].count) continue;
        size_t at = counts->longs[i].hash & mask;
        while (entries[at].count) at = (at + 1) & mask;
        entries[at] = counts->longs[i];
    }
    table_free(counts->longs, counts->long_mask + 1, sizeof(LongEntry));
    counts->longs = entries;
    counts->long_mask = mask;
    return 0;
}

static int add_long(Counts *counts, const uint8_t *text, size_t length, uint64_t n) {
    uint64_t hash = bytes_hash(text, length);
    size_t at = hash & counts->long_mask;
    for (; counts->longs[at].count; at = (at + 1) & counts->long_mask) {
        LongEntry *entry = &counts->longs[at];
        if (entry->hash == hash && entry->length == length
            && !memcmp(counts->bytes + entry->start, text, length)) {
            entry->count += n;
            return 0;
        }
    }
    if (counts->bytes_room - counts->bytes_used < length) {
        size_t room = counts->bytes_room + counts->bytes_room / 2 + length + 4096;
        uint8_t *bytes = (uint8_t *)realloc(counts->bytes, room);
        if (!bytes) return -1;
        counts->bytes = bytes;
        counts->bytes_room = room;
    }
    memcpy(counts->bytes + counts->bytes_used, text, length);
    counts->longs[at].hash = hash;
    counts->longs[at].count = n;
    counts->longs[at].start = counts->bytes_used;
    counts->longs[at].length = length;
    counts->bytes_used += length;
    counts->long_bytes += length;
    return 2 * ++counts->long_used > counts->long_mask ? grow_long(counts) : 0;
}

/* Adding up and writing out go table by table, so that two threads can share the work: they have no
 * variable in common. About half of all kinds are short ones. */
enum { HALF_SHORT, HALF_REST };

/* Add the counts of another table; returns -1 if there is no memory. */
static int counts_merge(Counts *into, const Counts *from, int half) {
    if (half == HALF_SHORT) {
        for (size_t i = 0; i <= from->short_mask; i++) {
            ShortEntry entry = from->shorts[i];
            uint64_t next = short_hash(from->shorts[(i + AHEAD) & from->short_mask].key);
            BPE_PREFETCH(&into->shorts[next & into->short_mask]);
            if (entry.count && add_short(into, entry.key, short_hash(entry.key), entry.count))
                return -1;
        }
        return 0;
    }
    for (size_t i = 0; i <= from->tiny_mask; i++) {
        TinyEntry entry = from->tiny[i];
        uint64_t next = tiny_hash(from->tiny[(i + AHEAD) & from->tiny_mask].key);
        BPE_PREFETCH(&into->tiny[next & into->tiny_mask]);
        if (entry.count && add_tiny(into, entry.key, tiny_hash(entry.key), entry.count)) return -1;
    }
    for (size_t i = 0; i <= from->long_mask; i++) {
        LongEntry entry = from->longs[i];
        if (entry.count && add_long(into, from->bytes + entry.start, entry.length, entry.count))
            return -1;
    }
    return 0;
}

/* All pretokens, one after the other; and of each its length and its count. The short ones come
 * first, then the others. */
static void counts_to_columns(const Counts *counts, uint8_t *text, uint64_t *lengths,
                              uint64_t *numbers, int half) {
    if (half == HALF_SHORT) {
        const uint8_t *end = text + counts->short_bytes;
        for (size_t i = 0; i <= counts->short_mask; i++) {
            const ShortEntry *entry = &counts->shorts[i];
            if (!entry->count) continue;
            *lengths = ((const uint8_t *)&entry->key)[15];
            *numbers++ = entry->count;
            /* A whole key is quicker to write than a part of it; what is too much, the next one
             * writes over. But behind the end another thread writes. */
            if (end - text >= 16) memcpy(text, &entry->key, 16);
            else memcpy(text, &entry->key, *lengths);
            text += *lengths++;
        }
        return;
    }
    text += counts->short_bytes;
    lengths += counts->short_used;
    numbers += counts->short_used;
    const uint8_t *end = text + counts->tiny_bytes;
    for (size_t i = 0; i <= counts->tiny_mask; i++) {
        const TinyEntry *entry = &counts->tiny[i];
        if (!entry->count) continue;
        *lengths = ((const uint8_t *)&entry->key)[7];
        *numbers++ = entry->count;
        if (end - text >= 8) memcpy(text, &entry->key, 8);
        else memcpy(text, &entry->key, *lengths);
        text += *lengths++;
    }
    for (size_t i = 0; i <= counts->long_mask; i++) {
        const LongEntry *entry = &counts->longs[i];
        if (!entry->count) continue;
        *lengths = entry->length;
        *numbers++ = entry->count;
        memcpy(text, counts->bytes + entry->start, *lengths);
        text += *lengths++;
    }
}

enum { COUNT_DONE = 0, COUNT_NO_MEMORY = 1, COUNT_INVALID = 2 };

/* Count the pretokens of text[begin:end], which no special token cuts. SCAN_PADDING bytes behind
 * the end must be readable. */
static int count_text(Counts *counts, const uint8_t *text, size_t begin, size_t end) {
    size_t starts[BATCH + 2];
    uint64_t tiny_keys[BATCH], tiny_hashes[BATCH], short_hashes[BATCH];
    Key short_keys[BATCH];
    size_t num_starts = 0;
    Scan scan;
    int done = begin >= end;
    scan_begin(&scan, text, begin, end);
    while (!done) {
        num_starts += scan_starts(&scan, starts + num_starts, BATCH - num_starts);
        if (scan.invalid) return COUNT_INVALID;
        done = scan.at >= end;
        if (done) starts[num_starts] = starts[num_starts + 1] = end;
        /* A pretoken ends where the next one starts. A contraction moves that place, and to see
         * whether it does, the start after it is needed too; so two are kept for the next batch. */
        size_t ready = done ? num_starts : num_starts > 2 ? num_starts - 2 : 0;
        size_t num_tiny = 0, num_short = 0, i;
        for (i = 0; i < ready; i++) {
            size_t start = starts[i], stop = starts[i + 1];
            if (BPE_UNLIKELY(text[start] == '\'') && stop == start + 1) {
                size_t length = contraction(text + start, end - start);
                if (length && start + length < starts[i + 2])
                    starts[i + 1] = stop = start + length;  /* 'tis: the letters go on */
                else if (length)
                    stop = starts[++i + 1];  /* the letters are used up, and so is their start */
            }
            size_t length = stop - start;
            if (length <= TINY) {
                uint64_t key = tiny_key(text + start, length), hash = tiny_hash(key);
                BPE_PREFETCH(&counts->tiny[hash & counts->tiny_mask]);
                tiny_keys[num_tiny] = key;
                tiny_hashes[num_tiny++] = hash;
            } else if (length <= SHORT) {
                Key key = short_key(text + start, length);
                uint64_t hash = short_hash(key);
                BPE_PREFETCH(&counts->shorts[hash & counts->short_mask]);
                short_keys[num_short] = key;
                short_hashes[num_short++] = hash;
            } else if (add_long(counts, text + start, length, 1)) {
                return COUNT_NO_MEMORY;
            }
        }
        for (size_t k = 0; k < num_tiny; k++)
            if (add_tiny(counts, tiny_keys[k], tiny_hashes[k], 1)) return COUNT_NO_MEMORY;
        for (size_t k = 0; k < num_short; k++)
            if (add_short(counts, short_keys[k], short_hashes[k], 1)) return COUNT_NO_MEMORY;
        num_starts = done ? 0 : num_starts - i;
        memmove(starts, starts + i, num_starts * sizeof *starts);
    }
    return COUNT_DONE;
}

#endif
