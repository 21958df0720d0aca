/* Merging a long pretoken with a heap, for merges in any order.
 *
 * The lists of `merge_lists.h` are gone through once, because a merge only makes pairs whose merge
 * comes later. A ranking of pairs from elsewhere need not be like that: `ab c` may come before `a b`.
 * Then the lowest and leftmost pair has to be found anew after each merge.
 */
#ifndef CS336_BPE_MERGE_HEAP_H
#define CS336_BPE_MERGE_HEAP_H

#include "merge_numbers.h"

struct MergeHeap {
    struct Place { uint32_t token, before, next; };  /* token: NO_MERGE if it is part of another */

    uint64_t *heap = NULL;  /* token << 32 | place: the smallest is the lowest and leftmost */
    Place *places = NULL;
    size_t used = 0;

    /* Encode any number of bytes; returns the number of ids, or -1 for no memory. */
    ptrdiff_t merge(const Merges &merges, const uint8_t *text, size_t size, uint32_t *ids) noexcept {
        size_t number = 0;
        /* One pair per byte at the start, and two for each merge, of which there are fewer. */
        heap = (uint64_t *)pages_new(3 * size, sizeof(uint64_t));
        places = (Place *)pages_new(size, sizeof(Place));
        if (heap && places) {
            for (size_t i = 0; i < size; i++) {
                places[i] = Place{text[i], (uint32_t)i - 1, (uint32_t)i + 1};
                if (i + 1 < size) push(merges.of_bytes(text[i], text[i + 1]), i);
            }
            while (used) apply(merges, pop(), size);
            for (size_t i = 0; i < size; i = places[i].next)
                ids[number++] = merges.ids[places[i].token];
        }
        bool done = heap && places;
        if (heap) table_free(heap, 3 * size, sizeof(uint64_t));
        if (places) table_free(places, size, sizeof(Place));
        return done ? (ptrdiff_t)number : -1;
    }

private:
    void apply(const Merges &merges, uint64_t lowest, size_t size) noexcept {
        uint32_t token = (uint32_t)(lowest >> 32), here = (uint32_t)lowest;
        Merges::Parts parts = merges.parts[token];
        Place *place = &places[here];
        if (place->token != parts.left || place->next >= size
            || places[place->next].token != parts.right)
            return;  /* an earlier merge has taken one of the two */
        places[place->next].token = NO_MERGE;
        place->token = token;
        place->next = places[place->next].next;
        if (place->next < size) {
            places[place->next].before = here;
            push(merges.of(token, places[place->next].token), here);
        }
        if (here) push(merges.of(places[place->before].token, token), place->before);
    }

    void push(uint32_t token, size_t place) noexcept {
        if (token == NO_MERGE) return;
        uint64_t item = (uint64_t)token << 32 | place;
        size_t at = used++;
        for (; at && heap[(at - 1) / 2] > item; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
        heap[at] = item;
    }

    uint64_t pop() noexcept {
        uint64_t lowest = heap[0], item = heap[--used];
        size_t at = 0;
        for (size_t child; (child = 2 * at + 1) < used; at = child) {
            if (child + 1 < used && heap[child + 1] < heap[child]) child++;
            if (heap[child] >= item) break;
            heap[at] = heap[child];
        }
        heap[at] = item;
        return lowest;
    }
};

#endif
