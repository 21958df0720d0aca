/* Merging a long pretoken in linear time, with a list of places for each merge.
 *
 * Looking at all pairs for the lowest, again and again, takes quadratic time; a heap takes n log n.
 * But a merge only ever makes pairs whose merge comes later, because a merge's parts are made before
 * it. So every merge gets a list of the places where it may apply, and the lists are gone through
 * once, from the first merge to the last. Nothing is compared: the time is proportional to the length.
 */
#ifndef CS336_BPE_MERGE_LISTS_H
#define CS336_BPE_MERGE_LISTS_H

#include <stdlib.h>
#ifndef CS336_BPE_PERFECT_MERGES_H  /* later stages have another table with the same functions */
#include "merge_numbers.h"
#endif

#ifndef CS336_BPE_WINDOW  /* bytes; other sizes are for tests and for measuring (merge_windows.h) */
#define CS336_BPE_WINDOW 8192
#endif

enum { TOO_LONG = 0x7FFFFFFF / 2 };  /* bytes: three pairs for each are numbered with 32 bits */

/* The lists of one thread. Their heads are all empty again after a pretoken, and are kept for the
 * next long one. */
struct Lists {
    struct Listed { uint32_t place, next; };  /* next: 1 + the number of a Listed; 0 for none */
    /* A token and its neighbours, in one place of memory: a merge looks at all three. A place whose
     * token has become part of the one before it has NO_MERGE for a token. */
    struct Place { uint32_t token, before, next; };

    /* Of each merge's list: 1 + the number of a Listed; 0 if it is empty. */
    uint32_t *first = NULL, *last = NULL;
    uint64_t *bits = NULL;  /* a bit for each merge: is there anything in its list? */
    /* Bytes of a pretoken whose places are kept for the next one: 36 times as many, which the limit of a
     * cache does not count. */
    enum { KEPT_ROOM = CS336_BPE_WINDOW };
    Listed *listed = NULL;
    Place *places = NULL;
    size_t num_listed = 0, length = 0;
    size_t room = 0;  /* bytes of a pretoken that there are places for */

    void end() noexcept {
        free_places();
        free(first);
        free(last);
        free(bits);
        *this = Lists();
    }

    /* Encode any number of bytes below TOO_LONG; returns the number of ids, or -1 for no memory. Where
     * each token ends is written to `ends`, unless that is NULL. */
    ptrdiff_t merge(const Merges &merges, const uint8_t *text, size_t size, uint32_t *ids,
                    uint32_t *ends = NULL) noexcept {
        size_t number = 0, num_words = merges.num_tokens / 64 + 1;
        if (!begin_pretoken(merges.num_tokens, size)) return -1;
        for (size_t i = 0; i < size; i++) {
            places[i] = Place{text[i], (uint32_t)i - 1, (uint32_t)i + 1};
            if (i + 1 < size) add(merges.of_bytes(text[i], text[i + 1]), i);
        }
        for (size_t word = 0; word < num_words; word++)
            while (bits[word]) {
                uint32_t token = (uint32_t)(64 * word) + (uint32_t)BPE_CTZ(bits[word]);
                bits[word] &= bits[word] - 1;
                merge_list(merges, token, ids);  /* `ids` is not in use yet */
            }
        for (size_t i = 0; i < size; i = places[i].next) {
            if (ends) ends[number] = places[i].next;
            ids[number++] = merges.ids[places[i].token];
        }
        if (room > KEPT_ROOM) free_places();
        return (ptrdiff_t)number;
    }

private:
    bool begin_pretoken(size_t num_tokens, size_t size) noexcept {
        if (!first) {
            first = (uint32_t *)calloc(num_tokens, sizeof(uint32_t));
            last = (uint32_t *)calloc(num_tokens, sizeof(uint32_t));
            bits = (uint64_t *)calloc(num_tokens / 64 + 1, sizeof(uint64_t));
        }
        length = size;
        num_listed = 0;
        if (size > room) {
            free_places();
            room = size < KEPT_ROOM ? (size_t)KEPT_ROOM : size;
            /* One pair per byte at the start, and two for each merge, of which there are fewer. */
            listed = (Listed *)uncleared_new(3 * room, sizeof(Listed));
            places = (Place *)uncleared_new(room, sizeof(Place));
        }
        if (first && last && bits && listed && places) return true;
        end();
        return false;
    }

    void free_places() noexcept {
        if (listed) table_free(listed, 3 * room, sizeof(Listed));
        if (places) table_free(places, room, sizeof(Place));
        listed = NULL;
        places = NULL;
        room = 0;
    }

    void add(uint32_t token, size_t place) noexcept {
        if (token == NO_MERGE) return;
        uint32_t number = (uint32_t)++num_listed;
        listed[number - 1] = Listed{(uint32_t)place, 0};
        if (first[token]) listed[last[token] - 1].next = number;
        else first[token] = number;
        last[token] = number;
        bits[token / 64] |= (uint64_t)1 << token % 64;
    }

    static int compare(const void *a, const void *b) noexcept {
        uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
        return left < right ? -1 : left > right;
    }

    /* Apply one merge at all places of its list. */
    void merge_list(const Merges &merges, uint32_t token, uint32_t *sorted) noexcept {
        Merges::Parts parts = merges.parts[token];
        size_t number = 0;
        bool ascending = true;
        for (uint32_t at = first[token]; at; at = listed[at - 1].next) {
            sorted[number] = listed[at - 1].place;
            if (number && sorted[number] < sorted[number - 1]) ascending = false;
            number++;
        }
        first[token] = 0;
        /* The order matters only where pairs can overlap, as in aaa. */
        if (!ascending && parts.left == parts.right)
            qsort(sorted, number, sizeof *sorted, compare);
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
                add(merges.of(token, places[place->next].token), here);
            }
            if (here) add(merges.of(places[place->before].token, token), place->before);
        }
    }
};

/* Encode a pretoken below TOO_LONG; returns the number of ids, or -1 for no memory. */
static ptrdiff_t merge_pretoken(const Merges &merges, Lists *lists, const uint8_t *text,
                                size_t length, uint32_t *ids) {
    if (length < SCAN_BELOW) return (ptrdiff_t)merge_by_scan(merges, text, length, ids);
    return lists->merge(merges, text, length, ids);
}

#endif
