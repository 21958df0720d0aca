/* Merging a long pretoken with a heap, for merges whose parts may come after them.
 *
 * The lists of merge_lists.h are gone through once, from the first merge to the last. That is right if
 * a merge only ever makes pairs whose merge comes later, as it is after training. Tokenizers from other
 * places need not be like that.
 */
#ifndef CS336_BPE_MERGE_HEAP_H
#define CS336_BPE_MERGE_HEAP_H

#include <algorithm>
#include <vector>
#include "perfect_merges.h"

struct HeapMerger {
    struct Place { uint32_t token, before, next; };
    /* What should come first is the greatest: the smallest token, of equal ones the leftmost. */
    struct Candidate {
        uint32_t token, place;
        bool operator<(const Candidate &other) const noexcept {
            return token != other.token ? token > other.token : place > other.place;
        }
    };
    const Merges &merges;
    std::vector<Place> places;
    std::vector<Candidate> heap;

    void push(uint32_t token, size_t place) {
        if (token == NO_MERGE) return;
        heap.push_back(Candidate{token, (uint32_t)place});
        std::push_heap(heap.begin(), heap.end());
    }

    size_t merge(const uint8_t *text, size_t size, uint32_t *ids, uint32_t *ends) {
        places.resize(size);
        for (size_t i = 0; i < size; i++) {
            places[i] = Place{text[i], (uint32_t)i - 1, (uint32_t)i + 1};
            if (i + 1 < size) push(merges.of_bytes(text[i], text[i + 1]), i);
        }
        while (!heap.empty()) {
            Candidate top = heap.front();
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
            Place &here = places[top.place];
            if (here.next >= size || !merges.is(top.token, here.token, places[here.next].token))
                continue;  /* an earlier merge has taken one of the two */
            places[here.next].token = NO_MERGE;
            here.token = top.token;
            here.next = places[here.next].next;
            if (here.next < size) {
                places[here.next].before = top.place;
                push(merges.of(top.token, places[here.next].token), top.place);
            }
            if (top.place) push(merges.of(places[here.before].token, top.token), here.before);
        }
        size_t number = 0;
        for (size_t i = 0; i < size; i = places[i].next) {
            if (ends) ends[number] = places[i].next;
            ids[number++] = merges.ids[places[i].token];
        }
        return number;
    }
};

/* Encode any number of bytes below TOO_LONG; returns the number of ids, or -1 for no memory. Where
 * each token ends is written to `ends`, unless that is NULL. */
static ptrdiff_t merge_by_heap(const Merges &merges, const uint8_t *text, size_t size,
                               uint32_t *ids, uint32_t *ends = NULL) noexcept {
    try {
        return (ptrdiff_t)HeapMerger{merges, {}, {}}.merge(text, size, ids, ends);
    } catch (...) {
        return -1;
    }
}

#endif
