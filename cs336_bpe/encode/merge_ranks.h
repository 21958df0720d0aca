/* The merge-rank loop: one pretoken in, its tokens out.
 *
 * Inside, a token has the number of the merge that made it, after the 256 bytes: byte 97 is token
 * 97, and the first merge makes token 256. So a merge's rank and the token that it makes are one
 * number, and a table from pairs of tokens to the token that they make is all that is needed.
 *
 * Of all pairs that stand next to each other the one with the lowest rank is merged, the leftmost
 * first, until no pair is left that has a merge. For a short pretoken the lowest is found by looking
 * at all of them; for a long one, which would take quadratic time, the pairs are listed by rank.
 */
#ifndef CS336_BPE_MERGE_RANKS_H
#define CS336_BPE_MERGE_RANKS_H

#include <string.h>
#include "scan.h"
#include "table_memory.h"

static const uint32_t NO_MERGE = 0xFFFFFFFF;  /* greater than every token */
enum { LISTS_FROM = 128 };                   /* bytes: shorter pretokens are scanned */

enum { MAX_TOKENS = 1 << 24 };

/* The table has to be small: a look-up that leaves the cache takes longer than all the rest of a
 * merge. So a slot has 4 bytes, for the token and 8 bits of the pair's hash, and the pair itself is
 * elsewhere and is only compared if those bits are right. */
typedef struct { uint32_t left, right; } Parts;

typedef struct {
    uint32_t *byte_pairs;  /* [left << 8 | right]: nearly half of all look-ups are for these */
    uint32_t *slots;       /* token << 8 | part of the hash, mask + 1 of them; 0 if free */
    size_t mask;
    Parts *parts;          /* of each token */
    uint32_t *ids;         /* of tokens, as the user numbers them */
    size_t num_tokens;
} Merges;

static void merges_free(Merges *merges) {
    if (!merges) return;
    free(merges->byte_pairs);
    free(merges->slots);
    free(merges->parts);
    free(merges->ids);
    free(merges);
}

/* Room for `num_merges` merges; merges_add has to be called for each one, in order. */
static Merges *merges_new(size_t num_merges) {
    Merges *merges = (Merges *)calloc(1, sizeof *merges);
    if (!merges) return NULL;
    size_t size = 64, num_tokens = 256 + num_merges;
    while (size < 2 * num_merges) size *= 2;
    merges->mask = size - 1;
    merges->byte_pairs = (uint32_t *)malloc(65536 * sizeof(uint32_t));
    merges->slots = (uint32_t *)calloc(size, sizeof(uint32_t));
    merges->parts = (Parts *)calloc(num_tokens, sizeof(Parts));
    merges->ids = (uint32_t *)malloc(num_tokens * sizeof(uint32_t));
    if (!merges->byte_pairs || !merges->slots || !merges->parts || !merges->ids) {
        merges_free(merges);
        return NULL;
    }
    for (int i = 0; i < 65536; i++) merges->byte_pairs[i] = NO_MERGE;
    merges->num_tokens = 256;
    return merges;
}

BPE_INLINE uint64_t pair_hash(uint32_t left, uint32_t right) {
    uint64_t h = ((uint64_t)left << 32 | right) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

/* The token that a pair is merged into, or NO_MERGE. */
BPE_INLINE uint32_t merge_of(const Merges *merges, uint32_t left, uint32_t right) {
    uint64_t hash = pair_hash(left, right);
    uint32_t slot, part = (uint32_t)(hash >> 56);
    for (size_t at = hash & merges->mask; (slot = merges->slots[at]); at = (at + 1) & merges->mask)
        if ((slot & 255) == part) {
            const Parts *parts = &merges->parts[slot >> 8];
            if (parts->left == left && parts->right == right) return slot >> 8;
        }
    return NO_MERGE;
}

static void merges_add(Merges *merges, uint32_t left, uint32_t right, uint32_t id) {
    uint32_t token = (uint32_t)merges->num_tokens++;
    uint64_t hash = pair_hash(left, right);
    size_t at = hash & merges->mask;
    while (merges->slots[at]) at = (at + 1) & merges->mask;
    merges->slots[at] = token << 8 | (uint32_t)(hash >> 56);
    merges->parts[token].left = left;
    merges->parts[token].right = right;
    merges->ids[token] = id;
    if (left < 256 && right < 256) merges->byte_pairs[left << 8 | right] = token;
}

/* Encode fewer than LISTS_FROM bytes; returns the number of ids. */
static size_t encode_by_scan(const Merges *merges, const uint8_t *text, size_t length,
                             uint32_t *ids) {
    uint32_t tokens[LISTS_FROM], joined[LISTS_FROM];  /* joined[i]: what tokens i and i + 1 make */
    size_t n = length;
    for (size_t i = 0; i < n; i++) tokens[i] = text[i];
    for (size_t i = 0; i + 1 < n; i++)
        joined[i] = merges->byte_pairs[(size_t)text[i] << 8 | text[i + 1]];
    while (n > 1) {
        uint32_t lowest = NO_MERGE;
        size_t at = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            int lower = joined[i] < lowest;
            at = lower ? i : at;
            lowest = lower ? joined[i] : lowest;
        }
        if (lowest == NO_MERGE) break;
        n--;
        tokens[at] = lowest;
        for (size_t i = at + 1; i < n; i++) {
            tokens[i] = tokens[i + 1];
            joined[i - 1] = joined[i];
        }
        if (at > 0) joined[at - 1] = merge_of(merges, tokens[at - 1], lowest);
        if (at + 1 < n) joined[at] = merge_of(merges, lowest, tokens[at + 1]);
    }
    for (size_t i = 0; i < n; i++) ids[i] = merges->ids[tokens[i]];
    return n;
}

/* --- long pretokens --------------------------------------------------------------------------- */

enum { TOO_LONG = 0x7FFFFFFF / 2 };  /* bytes: three pairs for each are numbered with 32 bits */

/* Where there are many pairs, they are sorted by their merge: each merge has a list of the places
 * where it may apply. A merge only ever makes pairs whose merge comes later, for a merge's parts are
 * made before it. So the lists are gone through once, from the first merge to the last, and there
 * is nothing to compare: the time is proportional to the length.
 *
 * The heads of the lists are all empty again at the end, and are kept for the next long pretoken. */
typedef struct { uint32_t place, next; } Listed;
/* A token and its neighbours, in one place of memory: a merge looks at all three. A place whose token
 * has become part of the one before it has NO_MERGE for a token. */
typedef struct { uint32_t token, before, next; } Place;

typedef struct {
    uint32_t *first, *last;  /* of each merge's list: 1 + a number of a Listed; 0 if it is empty */
    uint64_t *bits;          /* a bit for each merge: is there anything in its list? */
    Listed *listed;
    Place *places;
    size_t num_listed, length;
} Lists;

static void lists_free_places(Lists *lists) {
    if (lists->listed) table_free(lists->listed, 3 * lists->length, sizeof(Listed));
    if (lists->places) table_free(lists->places, lists->length, sizeof(Place));
    lists->listed = NULL;
    lists->places = NULL;
}

static void lists_free(Lists *lists) {
    lists_free_places(lists);
    free(lists->first);
    free(lists->last);
    free(lists->bits);
}

static int lists_begin(Lists *lists, const Merges *merges, size_t length) {
    if (!lists->first) {
        lists->first = (uint32_t *)calloc(merges->num_tokens, sizeof(uint32_t));
        lists->last = (uint32_t *)calloc(merges->num_tokens, sizeof(uint32_t));
        lists->bits = (uint64_t *)calloc(merges->num_tokens / 64 + 1, sizeof(uint64_t));
        if (!lists->first || !lists->last || !lists->bits) {
            lists_free(lists);
            memset(lists, 0, sizeof *lists);
            return 0;
        }
    }
    /* One pair a byte at the start, and two for each merge, of which there are fewer than bytes. */
    lists->length = length;
    lists->listed = (Listed *)pages_new(3 * length, sizeof(Listed));
    lists->places = (Place *)pages_new(length, sizeof(Place));
    lists->num_listed = 0;
    if (lists->listed && lists->places) return 1;
    lists_free_places(lists);
    return 0;
}

BPE_INLINE void list_pair(Lists *lists, uint32_t token, size_t place) {
    if (token == NO_MERGE) return;
    uint32_t number = (uint32_t)++lists->num_listed;
    lists->listed[number - 1].place = (uint32_t)place;
    lists->listed[number - 1].next = 0;
    if (lists->first[token]) lists->listed[lists->last[token] - 1].next = number;
    else lists->first[token] = number;
    lists->last[token] = number;
    lists->bits[token / 64] |= (uint64_t)1 << token % 64;
}

static int compare_places(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* Apply one merge at all places of its list. */
static void merge_listed(Lists *lists, const Merges *merges, uint32_t token, size_t length,
                         uint32_t *sorted) {
    Parts parts = merges->parts[token];
    Place *places = lists->places;
    size_t number = 0;
    int ascending = 1;
    for (uint32_t at = lists->first[token]; at; at = lists->listed[at - 1].next) {
        sorted[number] = lists->listed[at - 1].place;
        if (number && sorted[number] < sorted[number - 1]) ascending = 0;
        number++;
    }
    lists->first[token] = 0;
    /* The order matters only where pairs can overlap, as in aaa. */
    if (!ascending && parts.left == parts.right)
        qsort(sorted, number, sizeof *sorted, compare_places);
    for (size_t i = 0; i < number; i++) {
        uint32_t here = sorted[i];
        Place *place = &places[here];
        BPE_PREFETCH(&places[sorted[i + 8 < number ? i + 8 : i]]);
        if (place->token != parts.left || place->next >= length
            || places[place->next].token != parts.right)
            continue;  /* an earlier merge has taken one of the two */
        places[place->next].token = NO_MERGE;
        place->token = token;
        place->next = places[place->next].next;
        if (place->next < length) {
            places[place->next].before = here;
            list_pair(lists, merge_of(merges, token, places[place->next].token), here);
        }
        if (here)
            list_pair(lists, merge_of(merges, places[place->before].token, token), place->before);
    }
}

/* Encode any number of bytes below TOO_LONG; returns the number of ids, or -1 for no memory. */
static ptrdiff_t encode_by_lists(const Merges *merges, Lists *lists, const uint8_t *text,
                                 size_t length, uint32_t *ids) {
    size_t number = 0, num_words = merges->num_tokens / 64 + 1;
    if (!lists_begin(lists, merges, length)) return -1;
    for (size_t i = 0; i < length; i++) {
        lists->places[i].token = text[i];
        lists->places[i].before = (uint32_t)i - 1;
        lists->places[i].next = (uint32_t)i + 1;
        if (i + 1 < length)
            list_pair(lists, merges->byte_pairs[(size_t)text[i] << 8 | text[i + 1]], i);
    }
    for (size_t word = 0; word < num_words; word++)
        while (lists->bits[word]) {
            uint32_t token = (uint32_t)(64 * word) + (uint32_t)BPE_CTZ(lists->bits[word]);
            lists->bits[word] &= lists->bits[word] - 1;
            merge_listed(lists, merges, token, length, ids);  /* `ids` is not in use yet */
        }
    for (size_t i = 0; i < length; i = lists->places[i].next)
        ids[number++] = merges->ids[lists->places[i].token];
    lists_free_places(lists);
    return (ptrdiff_t)number;
}

static ptrdiff_t encode_pretoken(const Merges *merges, Lists *lists, const uint8_t *text,
                                 size_t length, uint32_t *ids) {
    if (length < LISTS_FROM) return (ptrdiff_t)encode_by_scan(merges, text, length, ids);
    return encode_by_lists(merges, lists, text, length, ids);
}

#endif
