/* A variant of encode/merge_lists.h: long pretokens go through a heap, as in stage 09. */
#ifndef CS336_BPE_MERGE_LISTS_H
#define CS336_BPE_MERGE_LISTS_H

#include <algorithm>
#include <stdlib.h>
#include "merge_numbers.h"

enum { TOO_LONG = 0x7FFFFFFF / 2 };

struct Candidate {
    uint32_t token, place;
    bool operator<(const Candidate &other) const noexcept {
        return token != other.token ? token > other.token : place > other.place;
    }
};

struct Lists {
    struct Place { uint32_t token, before, next; };
    Candidate *heap;
    size_t waiting;

    void end() noexcept {}

    void push(uint32_t token, size_t place) noexcept {
        if (token == NO_MERGE) return;
        heap[waiting++] = Candidate{token, (uint32_t)place};
        std::push_heap(heap, heap + waiting);
    }

    ptrdiff_t merge(const Merges &merges, const uint8_t *text, size_t size, uint32_t *ids) noexcept {
        Place *places = (Place *)malloc(size * sizeof(Place));
        heap = (Candidate *)malloc(3 * size * sizeof(Candidate));
        waiting = 0;
        ptrdiff_t number = places && heap ? 0 : -1;
        if (!number) {
            for (size_t i = 0; i < size; i++) {
                places[i] = Place{text[i], (uint32_t)i - 1, (uint32_t)i + 1};
                if (i + 1 < size) push(merges.of_bytes(text[i], text[i + 1]), i);
            }
            while (waiting) {
                Candidate top = heap[0];
                std::pop_heap(heap, heap + waiting--);
                Place *place = &places[top.place];
                Merges::Parts parts = merges.parts[top.token];
                if (place->token != parts.left || place->next >= size
                    || places[place->next].token != parts.right) continue;  /* stale */
                places[place->next].token = NO_MERGE;
                place->token = top.token;
                place->next = places[place->next].next;
                if (place->next < size) {
                    places[place->next].before = top.place;
                    push(merges.of(top.token, places[place->next].token), top.place);
                }
                if (top.place)
                    push(merges.of(places[place->before].token, top.token), place->before);
            }
            for (size_t i = 0; i < size; i = places[i].next)
                ids[number++] = merges.ids[places[i].token];
        }
        free(places);
        free(heap);
        return number;
    }
};

/* Encode a pretoken below TOO_LONG; returns the number of ids, or -1 for no memory. */
static ptrdiff_t merge_pretoken(const Merges &merges, Lists *lists, const uint8_t *text,
                                size_t length, uint32_t *ids) {
    if (length < SCAN_BELOW) return (ptrdiff_t)merge_by_scan(merges, text, length, ids);
    return lists->merge(merges, text, length, ids);
}

#endif
