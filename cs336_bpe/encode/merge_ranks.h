/* The merge-rank loop: one pretoken in, its tokens out.
 *
 * Inside, a token has the number of the merge that made it, after the 256 bytes: byte 97 is token
 * 97, and the first merge makes token 256. So a merge's rank and the token that it makes are one
 * number, and a table from pairs of tokens to the token that they make is all that is needed.
 *
 * Of all pairs that stand next to each other the one with the lowest rank is merged, the leftmost
 * first, until no pair is left that has a merge. For a short pretoken the lowest is found by looking
 * at all of them; for a long one that would take quadratic time, and a heap finds it.
 */
#ifndef CS336_BPE_MERGE_RANKS_H
#define CS336_BPE_MERGE_RANKS_H

#include <string.h>
#include "../pretokenize/scan.h"
#include "../pretokenize/table_memory.h"

static const uint32_t NO_MERGE = 0xFFFFFFFF;  /* greater than every token */
enum { HEAP_FROM = 128 };        /* bytes; docs/encode/scan_or_heap.md measures it */

enum { MAX_TOKENS = 1 << 24 };

/* The table has to be small: a look-up that leaves the cache takes longer than all the rest of a
 * merge. So a slot has 4 bytes, for the token and 8 bits of the pair's hash, and the pair itself is
 * elsewhere and is only compared if those bits are right. And most pairs that are asked for have no
 * merge: for many of them, two bits that are always in the cache say so. */
typedef struct { uint32_t left, right; } Parts;

typedef struct {
    uint32_t *byte_pairs;  /* [left << 8 | right]: half of all look-ups are for pairs of bytes */
    uint32_t *slots;       /* token << 8 | part of the hash, mask + 1 of them; 0 if free */
    size_t mask;
    Parts *parts;          /* of each token */
    uint64_t *lefts;       /* a bit for each token: is it the left part of some merge? */
    uint64_t *rights;
    uint32_t *ids;         /* of tokens, as the user numbers them */
    size_t num_tokens;
} Merges;

static void merges_free(Merges *merges) {
    if (!merges) return;
    free(merges->byte_pairs);
    free(merges->slots);
    free(merges->parts);
    free(merges->lefts);
    free(merges->rights);
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
    merges->lefts = (uint64_t *)calloc(num_tokens / 64 + 1, 8);
    merges->rights = (uint64_t *)calloc(num_tokens / 64 + 1, 8);
    merges->ids = (uint32_t *)malloc(num_tokens * sizeof(uint32_t));
    if (!merges->byte_pairs || !merges->slots || !merges->parts || !merges->lefts
        || !merges->rights || !merges->ids) {
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

BPE_INLINE int has_bit(const uint64_t *bits, uint32_t at) { return bits[at / 64] >> at % 64 & 1; }

/* The token that a pair is merged into, or NO_MERGE. */
BPE_INLINE uint32_t merge_of(const Merges *merges, uint32_t left, uint32_t right) {
    if (!(has_bit(merges->lefts, left) & has_bit(merges->rights, right))) return NO_MERGE;
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
    merges->lefts[left / 64] |= (uint64_t)1 << left % 64;
    merges->rights[right / 64] |= (uint64_t)1 << right % 64;
    merges->ids[token] = id;
    if (left < 256 && right < 256) merges->byte_pairs[left << 8 | right] = token;
}

/* Encode up to HEAP_FROM bytes; returns the number of ids. */
static size_t encode_by_scan(const Merges *merges, const uint8_t *text, size_t length,
                             uint32_t *ids) {
    uint32_t tokens[HEAP_FROM], joined[HEAP_FROM];  /* joined[i]: what tokens i and i + 1 make */
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

/* --- long pretokens ------------------------------------------------------------------------- */

enum { TOO_LONG = 0x7FFFFFFF };  /* bytes: places are 32-bit */

typedef struct { uint32_t token, joined, before, next; } Place;
typedef struct { uint32_t token, place; } Candidate;  /* a merge that may be out of date */

BPE_INLINE int comes_before(Candidate a, Candidate b) {
    return a.token < b.token || (a.token == b.token && a.place < b.place);
}

static void sift_down(Candidate *heap, size_t size, size_t at) {
    Candidate moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && comes_before(heap[child + 1], heap[child])) child++;
        if (!comes_before(heap[child], moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

static void sift_up(Candidate *heap, size_t at) {
    Candidate moving = heap[at];
    while (at > 0 && comes_before(moving, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moving;
}

/* Encode any number of bytes below TOO_LONG; returns the number of ids, or -1 for no memory.
 *
 * The heap starts with at most n - 1 candidates; each of at most n - 1 merges takes one out and puts
 * two in. So there is room enough for 2 n. Candidates that are out of date stay until they surface:
 * the place that they name has another `joined` by then. */
static ptrdiff_t encode_by_heap(const Merges *merges, const uint8_t *text, size_t length,
                                uint32_t *ids) {
    Place *places = (Place *)malloc(length * sizeof(Place));
    Candidate *heap = (Candidate *)malloc(2 * length * sizeof(Candidate));
    size_t size = 0;
    if (!places || !heap) {
        free(places);
        free(heap);
        return -1;
    }
    for (size_t i = 0; i < length; i++) {
        places[i].token = text[i];
        places[i].before = (uint32_t)i - 1;
        places[i].next = (uint32_t)i + 1;
        places[i].joined = i + 1 < length
            ? merges->byte_pairs[(size_t)text[i] << 8 | text[i + 1]] : NO_MERGE;
        if (places[i].joined != NO_MERGE) {
            heap[size].token = places[i].joined;
            heap[size++].place = (uint32_t)i;
        }
    }
    for (size_t i = size / 2; i-- > 0;) sift_down(heap, size, i);
    while (size) {
        Candidate first = heap[0];
        heap[0] = heap[--size];
        sift_down(heap, size, 0);
        Place *left = &places[first.place];
        if (left->joined != first.token) continue;  /* out of date */
        Place *right = &places[left->next];
        left->token = first.token;
        left->next = right->next;
        right->joined = NO_MERGE;  /* and with it every candidate for this place is out of date */
        left->joined = NO_MERGE;
        if (left->next < length) {
            places[left->next].before = first.place;
            left->joined = merge_of(merges, left->token, places[left->next].token);
            if (left->joined != NO_MERGE) {
                heap[size].token = left->joined;
                heap[size].place = first.place;
                sift_up(heap, size++);
            }
        }
        if (first.place > 0) {
            Place *before = &places[left->before];
            before->joined = merge_of(merges, before->token, left->token);
            if (before->joined != NO_MERGE) {
                heap[size].token = before->joined;
                heap[size].place = left->before;
                sift_up(heap, size++);
            }
        }
    }
    size_t n = 0;
    for (size_t i = 0; i < length; i = places[i].next) ids[n++] = merges->ids[places[i].token];
    free(places);
    free(heap);
    return (ptrdiff_t)n;
}

static ptrdiff_t encode_pretoken(const Merges *merges, const uint8_t *text, size_t length,
                                 uint32_t *ids) {
    if (length <= HEAP_FROM) return (ptrdiff_t)encode_by_scan(merges, text, length, ids);
    return encode_by_heap(merges, text, length, ids);
}

#endif
