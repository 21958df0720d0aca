/* Ids from a cache to where they are wanted. */
#ifndef CS336_BPE_COPY_IDS_H
#define CS336_BPE_COPY_IDS_H

#include "output.h"
#include "word_cache.h"

/* Copy `number` ids, a constant. Some may be too many: what comes next is written over them. */
template <int number, class Id, class To> BPE_INLINE void copy(const Id *ids, To *to) {
    if (sizeof(Id) == sizeof(To)) memcpy((void *)to, (const void *)ids, number * sizeof(Id));
    else for (int i = 0; i < number; i++) to[i] = (To)ids[i];
}

/* Counting needs no copies. */
struct Nowhere {};
template <int number, class Id> BPE_INLINE void copy(const Id *, Nowhere *) {}

/* Writes the ids of pretokens that are not in their first place of the table: somewhere after it, in a
 * pool, new, or too long to be kept. */
template <class Id, class To> struct OtherWords {
    WordCache<Id> *cache;
    const NewWords *words;
    int status;  /* ENCODE_DONE as long as all goes well */

    /* Returns the number of ids; if there is no memory for them, 0, and there is a status. */
    BPE_NEVER_INLINE size_t write(const uint8_t *text, size_t length, Key key,
                                  To *to) noexcept {
        if (length > LONG) return write_very_long(text, length, to);
        Found<Id> found = length <= SHORT ? cache->find_short(*words, key)
                                          : cache->find_long(*words, text, length, key);
        return write_all(found.ids, found.number, to);
    }

    BPE_NEVER_INLINE size_t write_very_long(const uint8_t *text, size_t length, To *to) noexcept {
        uint32_t *all = (uint32_t *)pages_new(length + SLACK, sizeof(uint32_t));
        ptrdiff_t number = all ? cache->learn(*words, text, length, all) : -1;
        size_t written = write_all(all, number, to);
        if (all) table_free(all, length + SLACK, sizeof(uint32_t));
        return written;
    }

    template <class Any> size_t write_all(const Any *ids, ptrdiff_t number, To *to) noexcept {
        if (number < 0) {
            status = ENCODE_NO_MEMORY;
            return 0;
        }
        for (size_t i = 0; i < (size_t)number; i += 8) copy<8>(ids + i, to + i);
        return (size_t)number;
    }
};

/* Is there a pretoken that is too long for 32 bits? */
static bool has_too_long(const size_t *starts, size_t number) noexcept {
    if (starts[number] - starts[0] < TOO_LONG) return false;
    for (size_t k = 0; k < number; k++)
        if (starts[k + 1] - starts[k] >= TOO_LONG) return true;
    return false;
}

#endif
