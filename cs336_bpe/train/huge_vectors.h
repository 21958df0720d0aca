/* Vectors in huge pages (table_memory.h), for large arrays that are visited here and there. */
#ifndef CS336_BPE_HUGE_VECTORS_H
#define CS336_BPE_HUGE_VECTORS_H

#include <vector>
#include "table_memory.h"

/* Room for `size` items. The wish for huge pages must come before anything is written there, so what the
 * vector has is copied last. Throws std::bad_alloc, and then the vector is as it was. */
template <class Item> void reserve_huge(std::vector<Item> &items, size_t size) {
    std::vector<Item> larger;
    larger.reserve(size);
    advise_huge(larger.data(), size * sizeof(Item));
    larger.insert(larger.end(), items.begin(), items.end());
    items.swap(larger);
}

#endif
