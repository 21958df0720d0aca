/* Encoding text in batches, as batches.h does; but a pretoken has one key to compare and one store. */
#ifndef CS336_BPE_ONE_STORE_H
#define CS336_BPE_ONE_STORE_H

#include "copy_ids.h"
#ifndef CS336_BPE_BATCH
#define CS336_BPE_BATCH 256
#endif
#include "starts.h"

/* Write the ids of a batch: number `k` is text[starts[k]:starts[k + 1]]. There is room. */
template <class Id, class To>
static int write_batch(WordCache<Id> *cache, const NewWords &words, const uint8_t *text,
                       const size_t *starts, size_t number, Output *output) noexcept {
    OtherWords<Id, To> others = {cache, &words, ENCODE_DONE};
    Key keys[Starts::BATCH];
    const Entry<Id> *places[Starts::BATCH];
    To *const from = (To *)output->ids + output->used, *to = from;
    for (size_t k = 0; k < number; k++) {
        const uint8_t *here = text + starts[k];
        size_t length = starts[k + 1] - starts[k];
        keys[k] = length > SHORT ? long_key(here, length > LONG ? 0 : length, cache->secret)
                                 : short_key(here, length);
        places[k] = (const Entry<Id> *)((const uint8_t *)cache->entries
                                        + (keys[k].hash(cache->secret) & cache->offset_mask()));
        BPE_PREFETCH(places[k]);
    }
    for (size_t k = 0; k < number; k++) {
        copy<16 / sizeof(Id)>((const Id *)&places[k]->inside, to);
        to += places[k]->key == keys[k]
            ? places[k]->inside.number
            : others.write(text + starts[k], starts[k + 1] - starts[k], keys[k], to);
    }
    output->used += (size_t)(to - from);
    cache->tidy();
    return others.status;
}

template <class Id>
static int write_pretokens(WordCache<Id> *cache, const NewWords &words, const uint8_t *text,
                           const size_t *starts, size_t number, Output *output) noexcept {
    if (has_too_long(starts, number)) return ENCODE_TOO_LONG;
    if (!output->room_for(starts[number] - starts[0] + SLACK)) return ENCODE_NO_MEMORY;
    return write_batch<Id, uint32_t>(cache, words, text, starts, number, output);
}

template <class Id>  /* no word is ever late */
static void write_late(WordCache<Id> *, const NewWords &, Output *) noexcept {}

#include "word_caches.h"

#endif
