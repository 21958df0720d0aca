/* A memory of pretokens and their ids, and the loop that encodes text with it.
 *
 * Text repeats its words, so nearly every pretoken has been encoded before. Its ids are in the same
 * entry as its bytes: to find the one is to have read the other.
 *
 *   up to 15 bytes    32-byte entries, two to a cache line: the bytes and their number, which are
 *                     compared as two integers, then three ids and how many there are
 *   up to 255 bytes   entries that point to the bytes
 *   longer            are not remembered
 *
 * What has more than three ids keeps them in a pool. Both tables use open addressing and grow before
 * they are more than two thirds full.
 *
 * The memory has a limit. When it is reached, everything is forgotten and learnt anew: frequent
 * words are back after a few lines, and what does not come back was not worth its place. Nothing
 * has to be noted at a hit, as it must be to know which entries are old.
 *
 * Text is handled in batches of pretokens: find where they start; make their keys and ask for their
 * places in the table; and only then look there, and write the ids out. So the waits for memory
 * overlap.
 */
#ifndef CS336_BPE_WORD_TABLE_H
#define CS336_BPE_WORD_TABLE_H

#include "merge_ranks.h"

enum { BATCH = 256, SHORT = 15, LONG = 255 };
enum { IN_ENTRY = 3 };  /* ids that a Found has room for */
static const uint32_t NOT_KEPT = 0xFFFFFFFF;  /* as number of a Found: it must be encoded again */

typedef struct { uint64_t a, b; } Key;
/* The ids of a pretoken. More than IN_ENTRY are in the pool, from ids[0] on. */
typedef struct { uint32_t ids[IN_ENTRY], number; } Found;
typedef struct { Key key; Found found; } ShortEntry;  /* free if key.b, with the length, is 0 */
typedef struct { uint64_t hash; uint32_t start, length; Found found; } LongEntry;

typedef struct {  /* each table has mask + 1 entries, a power of two */
    ShortEntry *shorts;
    size_t short_mask, short_used;
    LongEntry *longs;
    size_t long_mask, long_used;
    uint8_t *bytes;  /* of long pretokens, one after the other */
    size_t bytes_used, bytes_room;
    uint32_t *pool;  /* the number of ids, then the ids: of pretokens that have many */
    size_t pool_used, pool_room;
    size_t size, limit;  /* bytes of all this, and the most there may be */
    int full;            /* there was no room for a pretoken: forget all after this batch */
    size_t times_full;
    Lists lists;
} Words;

/* Where ids go. */
typedef struct {
    void *ids;          /* of 2 or of 4 bytes each */
    size_t used, room;  /* numbers of ids */
    int width;          /* 2 or 4; or 0 to count them only */
} Output;

/* For each length: the bytes of a key that are text, and the length in its last byte. Place 0 is for
 * what is longer than a key; its length fits no entry. */
static struct { Key mask, length; } key_parts[SHORT + 1];

static void words_init_module(void) {
    memset(key_parts, 0, sizeof key_parts);
    for (size_t n = 0; n <= SHORT; n++) {
        uint8_t number = n ? (uint8_t)n : 255;
        memset(&key_parts[n].mask, 0xFF, n);
        memcpy((uint8_t *)&key_parts[n].length + SHORT, &number, 1);
    }
}

static void words_free(Words *words) {
    if (!words) return;
    if (words->shorts) table_free(words->shorts, words->short_mask + 1, sizeof(ShortEntry));
    if (words->longs) table_free(words->longs, words->long_mask + 1, sizeof(LongEntry));
    free(words->bytes);
    free(words->pool);
    lists_free(&words->lists);
    free(words);
}

/* An empty memory of at most `limit` bytes, but never less than SMALLEST. */
enum { FIRST_SHORT = 1 << 12, FIRST_LONG = 1 << 8, FIRST_POOL = 1 << 14 };
enum { SMALLEST = FIRST_SHORT * sizeof(ShortEntry) + FIRST_LONG * sizeof(LongEntry) + FIRST_POOL + FIRST_POOL };

static Words *words_new(size_t limit) {
    Words *words = (Words *)calloc(1, sizeof *words);
    if (!words) return NULL;
    words->limit = limit;
    words->size = SMALLEST;
    words->short_mask = FIRST_SHORT - 1;
    words->long_mask = FIRST_LONG - 1;
    words->bytes_room = FIRST_POOL;
    words->pool_room = FIRST_POOL / 4;
    words->shorts = (ShortEntry *)table_new(FIRST_SHORT, sizeof(ShortEntry));
    words->longs = (LongEntry *)table_new(FIRST_LONG, sizeof(LongEntry));
    words->bytes = (uint8_t *)malloc(FIRST_POOL);
    words->pool = (uint32_t *)malloc(FIRST_POOL);
    if (words->shorts && words->longs && words->bytes && words->pool) return words;
    words_free(words);
    return NULL;
}

static void words_forget(Words *words) {
    memset(words->shorts, 0, (words->short_mask + 1) * sizeof(ShortEntry));
    memset(words->longs, 0, (words->long_mask + 1) * sizeof(LongEntry));
    words->short_used = words->long_used = 0;
    words->bytes_used = words->pool_used = 0;
    words->full = 0;
    words->times_full++;
}

/* May the memory grow by `bytes`? If not, or if there is none to be had, it is full. */
BPE_INLINE int may_grow(Words *words, size_t bytes) {
    if (words->size + bytes <= words->limit) return 1;
    words->full = 1;
    return 0;
}

BPE_INLINE uint32_t key_hash(Key key) {
    uint64_t h = (key.a ^ key.b * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(h ^ h >> 32);
}

static int grow_short(Words *words) {
    enum { AHEAD = 16 };
    size_t mask = 2 * words->short_mask + 1, old_size = (mask + 1) / 2 * sizeof(ShortEntry);
    /* For a moment the old table and the new one are both there. */
    if (!may_grow(words, 2 * old_size)) return 0;
    ShortEntry *entries = (ShortEntry *)table_new(mask + 1, sizeof(ShortEntry));
    if (!entries) return words->full = 1, 0;
    for (size_t i = 0; i <= words->short_mask; i++) {
        Key ahead = words->shorts[(i + AHEAD) & words->short_mask].key;
        BPE_PREFETCH(&entries[key_hash(ahead) & mask]);
        if (!words->shorts[i].key.b) continue;
        size_t at = key_hash(words->shorts[i].key) & mask;
        while (entries[at].key.b) at = (at + 1) & mask;
        entries[at] = words->shorts[i];
    }
    table_free(words->shorts, words->short_mask + 1, sizeof(ShortEntry));
    words->shorts = entries;
    words->short_mask = mask;
    words->size += old_size;
    return 1;
}

static int grow_long(Words *words) {
    size_t mask = 2 * words->long_mask + 1, old_size = (mask + 1) / 2 * sizeof(LongEntry);
    if (!may_grow(words, 2 * old_size)) return 0;
    LongEntry *entries = (LongEntry *)table_new(mask + 1, sizeof(LongEntry));
    if (!entries) return words->full = 1, 0;
    for (size_t i = 0; i <= words->long_mask; i++) {
        if (!words->longs[i].length) continue;
        size_t at = words->longs[i].hash & mask;
        while (entries[at].length) at = (at + 1) & mask;
        entries[at] = words->longs[i];
    }
    table_free(words->longs, words->long_mask + 1, sizeof(LongEntry));
    words->longs = entries;
    words->long_mask = mask;
    words->size += old_size;
    return 1;
}

/* Room in the pools for a pretoken of `length` bytes, and as many ids. */
static int pool_room_for(Words *words, size_t length) {
    while (words->pool_room - words->pool_used < length + 1) {
        size_t old_size = words->pool_room * sizeof(uint32_t);
        uint32_t *pool;
        if (!may_grow(words, 2 * old_size)) return 0;
        if (words->pool_room >= NOT_KEPT / 2) return words->full = 1, 0;
        if (!(pool = (uint32_t *)realloc(words->pool, 2 * old_size))) return words->full = 1, 0;
        words->pool = pool;
        words->pool_room *= 2;
        words->size += old_size;
    }
    while (words->bytes_room - words->bytes_used < length) {
        size_t old_size = words->bytes_room;
        uint8_t *bytes;
        if (!may_grow(words, 2 * old_size)) return 0;
        if (words->bytes_room >= NOT_KEPT / 2) return words->full = 1, 0;
        if (!(bytes = (uint8_t *)realloc(words->bytes, 2 * old_size))) return words->full = 1, 0;
        words->bytes = bytes;
        words->bytes_room *= 2;
        words->size += old_size;
    }
    return 1;
}

/* Encode a pretoken that is new, and note its ids; there is room in the pools. */
static Found learn(Words *words, const Merges *merges, const uint8_t *text, size_t length) {
    uint32_t ids[LONG];
    Found found = {{0, 0, 0}, NOT_KEPT};
    ptrdiff_t n = encode_pretoken(merges, &words->lists, text, length, ids);
    if (n < 0) return found;
    found.number = (uint32_t)n;
    if (n <= IN_ENTRY) {
        memcpy(found.ids, ids, (size_t)n * sizeof(uint32_t));
    } else {
        found.ids[0] = (uint32_t)words->pool_used;
        memcpy(words->pool + words->pool_used, ids, (size_t)n * sizeof(uint32_t));
        words->pool_used += (size_t)n;
    }
    return found;
}

static const Found not_kept = {{0, 0, 0}, NOT_KEPT};

/* --- looking up what is not where its hash says ------------------------------------------------ */

static Found find_short(Words *words, const Merges *merges, const uint8_t *text, size_t length,
                        Key key, uint32_t hash) {
    size_t at = hash & words->short_mask;
    for (; words->shorts[at].key.b; at = (at + 1) & words->short_mask)
        if (words->shorts[at].key.a == key.a && words->shorts[at].key.b == key.b)
            return words->shorts[at].found;
    if (words->full) return not_kept;
    if (3 * words->short_used >= 2 * words->short_mask && !grow_short(words)) return not_kept;
    if (!pool_room_for(words, length)) return not_kept;
    Found found = learn(words, merges, text, length);
    if (found.number == NOT_KEPT) return found;
    at = hash & words->short_mask;
    while (words->shorts[at].key.b) at = (at + 1) & words->short_mask;
    words->shorts[at].key = key;
    words->shorts[at].found = found;
    words->short_used++;
    return found;
}

static Found find_long(Words *words, const Merges *merges, const uint8_t *text, size_t length) {
    if (length > LONG) return not_kept;
    uint64_t hash = bytes_hash(text, length);
    size_t at = hash & words->long_mask;
    for (; words->longs[at].length; at = (at + 1) & words->long_mask) {
        const LongEntry *entry = &words->longs[at];
        if (entry->hash == hash && entry->length == length
            && !memcmp(words->bytes + entry->start, text, length)) return entry->found;
    }
    if (words->full) return not_kept;
    if (3 * words->long_used >= 2 * words->long_mask && !grow_long(words)) return not_kept;
    if (!pool_room_for(words, length)) return not_kept;
    Found found = learn(words, merges, text, length);
    if (found.number == NOT_KEPT) return found;
    at = hash & words->long_mask;
    while (words->longs[at].length) at = (at + 1) & words->long_mask;
    LongEntry *entry = &words->longs[at];
    entry->hash = hash;
    entry->start = (uint32_t)words->bytes_used;
    entry->length = (uint32_t)length;
    entry->found = found;
    memcpy(words->bytes + words->bytes_used, text, length);
    words->bytes_used += length;
    words->long_used++;
    return found;
}

/* --- writing out ---------------------------------------------------------------------------- */

/* Make room for `number` more ids; returns 0 if there is no memory. */
static int output_room_for(Output *output, size_t number) {
    if (!output->width || output->room - output->used >= number) return 1;
    size_t width = (size_t)output->width, room = output->room + output->room / 2;
    if (room < output->used + number) room = output->used + number;
    void *ids = pages_new(room, width);  /* not realloc: huge pages save more than it does */
    if (!ids) return 0;
    if (output->ids) {
        memcpy(ids, output->ids, output->used * width);
        table_free(output->ids, output->room, width);
    }
    output->ids = ids;
    output->room = room;
    return 1;
}

/* Append ids of the same width, for which there is room. */
static void output_extend(Output *output, const Output *others) {
    size_t width = (size_t)output->width;
    if (others->used && width)
        memcpy((uint8_t *)output->ids + output->used * width, others->ids, others->used * width);
    output->used += others->used;
}

/* Give back what is not used, as far as that is cheap. */
static void output_shrink(Output *output) {
    if (output->ids) output->room = table_shrink(output->ids, output->room, output->used,
                                                 (size_t)output->width);
}

static void output_free(Output *output) {
    if (output->ids) table_free(output->ids, output->room, (size_t)output->width);
    output->ids = NULL;
}

static void output_append(Output *output, const uint32_t *ids, size_t number) {
    if (output->width == 4) memcpy((uint32_t *)output->ids + output->used, ids, 4 * number);
    if (output->width == 2)
        for (size_t i = 0; i < number; i++)
            ((uint16_t *)output->ids)[output->used + i] = (uint16_t)ids[i];
    output->used += number;
}

/* Encode a pretoken that is not in the memory, straight to the output. */
static int output_encoded(Output *output, Words *words, const Merges *merges,
                          const uint8_t *text, size_t length) {
    uint32_t few[LONG], *ids = length <= LONG ? few : (uint32_t *)pages_new(length, 4);
    ptrdiff_t number = ids ? encode_pretoken(merges, &words->lists, text, length, ids) : -1;
    if (number >= 0) output_append(output, ids, (size_t)number);
    if (ids && ids != few) table_free(ids, length, 4);
    return number >= 0;
}

enum { ENCODE_DONE, ENCODE_NO_MEMORY, ENCODE_TOO_LONG, ENCODE_INVALID };

/* Write the ids of a batch, whose pretokens are each from one start to the next. There is room for
 * an id a byte, and IN_ENTRY more. Inlined once for each width. */
BPE_INLINE int write_batch(Words *words, const Merges *merges, const uint8_t *text,
                           const size_t *starts, const Key *keys, const uint32_t *hashes,
                           size_t number, Output *output, int width) {
    size_t used = output->used;
    for (size_t k = 0; k < number; k++) {
        const ShortEntry *entry = &words->shorts[hashes[k] & words->short_mask];
        const Found *found = &entry->found;
        Found elsewhere;
        if (BPE_UNLIKELY((entry->key.a ^ keys[k].a) | (entry->key.b ^ keys[k].b))) {
            const uint8_t *start = text + starts[k];
            size_t length = starts[k + 1] - starts[k];
            elsewhere = length <= SHORT
                ? find_short(words, merges, start, length, keys[k], hashes[k])
                : find_long(words, merges, start, length);
            found = &elsewhere;
        }
        uint32_t n = found->number;
        if (BPE_UNLIKELY(n > IN_ENTRY)) {
            output->used = used;
            if (n != NOT_KEPT)
                output_append(output, words->pool + found->ids[0], n);
            else if (!output_encoded(output, words, merges, text + starts[k],
                                     starts[k + 1] - starts[k]))
                return 0;
            used = output->used;
            continue;
        }
        /* All three are written, and what is too much is written over by the next. */
        if (width == 4) {
            memcpy((uint32_t *)output->ids + used, found->ids, sizeof found->ids);
        } else if (width == 2) {
            uint16_t *to = (uint16_t *)output->ids + used;
            to[0] = (uint16_t)found->ids[0];
            to[1] = (uint16_t)found->ids[1];
            to[2] = (uint16_t)found->ids[2];
        }
        used += n;
    }
    output->used = used;
    return 1;
}

/* Encode text[begin:end], which no special token cuts. SCAN_PADDING bytes behind the end must be
 * readable. If `strict`, the text must be UTF-8. */
static int encode_text(Words *words, const Merges *merges, const uint8_t *text, size_t begin,
                       size_t end, int strict, Output *output) {
    size_t scanned[BATCH + 2], starts[BATCH + 1];
    Key keys[BATCH];
    uint32_t hashes[BATCH];
    size_t num_scanned = 0;
    Scan scan;
    int done = begin >= end;
    scan_begin(&scan, text, begin, end);
    scan.lenient = !strict;
    while (!done) {
        num_scanned += scan_starts(&scan, scanned + num_scanned, BATCH - num_scanned);
        if (scan.invalid) return ENCODE_INVALID;
        done = scan.at >= end;
        if (done) scanned[num_scanned] = scanned[num_scanned + 1] = end;
        /* A pretoken ends where the next one starts. A contraction moves that place, and to see
         * whether it does, the start after it is needed too; so two are kept for the next batch. */
        size_t ready = done ? num_scanned : num_scanned > 2 ? num_scanned - 2 : 0;
        size_t number = 0, i = 0, stop = scanned[0], longest = 0;
        for (; i < ready; i++) {
            size_t start = scanned[i];
            stop = scanned[i + 1];
            if (BPE_UNLIKELY(text[start] == '\'') && stop == start + 1) {
                size_t length = contraction(text + start, end - start);
                if (length && start + length < scanned[i + 2])
                    scanned[i + 1] = stop = start + length;  /* 'tis: the letters go on */
                else if (length)
                    stop = scanned[++i + 1];  /* the letters are used up, and so is their start */
            }
            size_t length = stop - start, part = length <= SHORT ? length : 0;
            Key key;
            memcpy(&key, text + start, 16);
            key.a = (key.a & key_parts[part].mask.a) | key_parts[part].length.a;
            key.b = (key.b & key_parts[part].mask.b) | key_parts[part].length.b;
            hashes[number] = key_hash(key);
            BPE_PREFETCH(&words->shorts[hashes[number] & words->short_mask]);
            keys[number] = key;
            starts[number++] = start;
            longest = length > longest ? length : longest;
        }
        starts[number] = stop;
        if (longest >= TOO_LONG) return ENCODE_TOO_LONG;
        if (!output_room_for(output, stop - starts[0] + IN_ENTRY)) return ENCODE_NO_MEMORY;
        int written;
        if (output->width == 2)
            written = write_batch(words, merges, text, starts, keys, hashes, number, output, 2);
        else if (output->width == 4)
            written = write_batch(words, merges, text, starts, keys, hashes, number, output, 4);
        else
            written = write_batch(words, merges, text, starts, keys, hashes, number, output, 0);
        if (!written) return ENCODE_NO_MEMORY;
        if (words->full) words_forget(words);
        num_scanned = done ? 0 : num_scanned - i;
        memmove(scanned, scanned + i, num_scanned * sizeof *scanned);
    }
    return ENCODE_DONE;
}

/* Encode one pretoken that somebody else has found; behind it nothing has to be readable. */
static int encode_piece(Words *words, const Merges *merges, const uint8_t *text, size_t length,
                        Output *output) {
    Found found;
    if (!length) return ENCODE_DONE;
    if (length >= TOO_LONG) return ENCODE_TOO_LONG;
    if (length <= SHORT) {
        Key key = {0, 0};
        memcpy(&key, text, length);
        key.b |= key_parts[length].length.b;
        found = find_short(words, merges, text, length, key, key_hash(key));
    } else {
        found = find_long(words, merges, text, length);
    }
    int written = output_room_for(output, length);
    if (written && found.number == NOT_KEPT)
        written = output_encoded(output, words, merges, text, length);
    else if (written)
        output_append(output, found.number > IN_ENTRY ? words->pool + found.ids[0] : found.ids,
                      found.number);
    if (words->full) words_forget(words);
    return written ? ENCODE_DONE : ENCODE_NO_MEMORY;
}

/* --- places where a text can be cut ---------------------------------------------------------- */

BPE_INLINE int is_white(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* The last place at or before `from` where a pretoken starts whatever is around it: white space
 * behind something else (docs/pretokenize/cutting.md). Looks at most at `reach` bytes; 0 if there is
 * none among them. */
static size_t last_cut(const uint8_t *text, size_t from, size_t reach) {
    size_t stop = from > reach ? from - reach : 0;
    for (size_t at = from; at > stop; at--)
        if (is_white(text[at]) && text[at - 1] < 0x80 && !is_white(text[at - 1])) return at;
    return 0;
}

/* How much of a text is cut into pretokens for good, whatever may follow it. The last pretoken is
 * not, for more of it may come, unless it is a contraction. Nor is an apostrophe before it if
 * together they may become a contraction: `'l` is two pretokens, but `'ll` is one. SCAN_PADDING
 * bytes behind the end must be readable. */
static size_t final_part(const uint8_t *text, size_t size) {
    size_t starts[BATCH], before = 0, last = 0, number;
    Scan scan;
    if (!size) return 0;
    last = before = last_cut(text, size - 1, size);
    scan_begin(&scan, text, last, size);
    scan.lenient = 1;
    while (scan.at < size) {
        number = scan_starts(&scan, starts, BATCH);
        if (number > 1) before = starts[number - 2];
        else if (number) before = last;
        if (number) last = starts[number - 1];
    }
    if (text[before] == '\'' && last == before + 1) {
        size_t length = contraction(text + before, size - before);
        if (length) return before + length;
        if (size == last + 1 && (text[last] == 'l' || text[last] == 'v' || text[last] == 'r'))
            return before;
    }
    return last;
}

#endif
