/* Encoding text with a look-up that is always AHEAD pretokens late, so that the waits for memory overlap.
 *
 * Each step makes the key of one pretoken, asks the processor to fetch its place in the cache, and
 * writes the ids of the one whose place was asked for AHEAD steps before.
 */
#ifndef CS336_BPE_ROLLING_H
#define CS336_BPE_ROLLING_H

#include "copy_ids.h"
#include "output.h"
#include "word_cache.h"
#ifndef CS336_BPE_BATCH
#define CS336_BPE_BATCH 1024
#endif
#include "starts.h"

#ifndef CS336_BPE_AHEAD
#define CS336_BPE_AHEAD 64
#endif

template <class Id, class To> struct Writer {
    enum { AHEAD = CS336_BPE_AHEAD };  /* a power of two */
    OtherWords<Id, To> others;
    Key keys[AHEAD];
    uint32_t offsets[AHEAD];  /* of their places in the table */

    /* Make the key of a pretoken, and ask for its place. */
    BPE_ALWAYS_INLINE void ask(size_t k, const uint8_t *text, size_t length, const uint8_t *table,
                               size_t mask, const Secret &secret) noexcept {
        Key key;
        uint64_t hash;
        if (BPE_UNLIKELY(length > SHORT)) {
            key = long_key(text, length > LONG ? 0 : length, secret);
            hash = key.first();
        } else {
            key = short_key(text, length);
            hash = secret_hash(key.first(), key.second(), secret);
        }
        keys[k % AHEAD] = key;
        offsets[k % AHEAD] = (uint32_t)(hash & mask);
        BPE_PREFETCH(table + (hash & mask));
    }

    /* Write the ids of a pretoken; returns where the next ones go. */
    BPE_ALWAYS_INLINE To *write(size_t k, const uint8_t *text, size_t length, const uint8_t *table,
                                To *to) noexcept {
        const Entry<Id> *entry = (const Entry<Id> *)(table + offsets[k % AHEAD]);
        copy<16 / sizeof(Id)>((const Id *)&entry->inside, to);
        if (BPE_UNLIKELY(!(entry->key == keys[k % AHEAD])))
            return to + others.write(text, length, keys[k % AHEAD], to);
        return to + entry->inside.number;
    }

    /* The pretokens of a batch; returns where the ids end. */
    BPE_NEVER_INLINE To *write_batch(const uint8_t *text, const size_t *starts, size_t number,
                                     To *to) noexcept {
        const uint8_t *table = (const uint8_t *)others.cache->entries;
        const size_t mask = others.cache->offset_mask(), first = number < AHEAD ? number : AHEAD;
        const Secret secret = others.cache->secret;
        size_t k = 0, done = 0;
        for (; k < first; k++)
            ask(k, text + starts[k], starts[k + 1] - starts[k], table, mask, secret);
        for (; k < number; k++, done++) {
            to = write(done, text + starts[done], starts[done + 1] - starts[done], table, to);
            ask(k, text + starts[k], starts[k + 1] - starts[k], table, mask, secret);
        }
        for (; done < number; done++)
            to = write(done, text + starts[done], starts[done + 1] - starts[done], table, to);
        return to;
    }
};

template <class Id, class To>
static int write_pretokens(WordCache<Id> *cache, const NewWords &words, const uint8_t *text,
                           const size_t *starts, size_t number, Output *output) noexcept {
    Writer<Id, To> writer;
    writer.others = {cache, &words, ENCODE_DONE};
    To *from = (To *)output->ids + output->used;
    output->used += (size_t)(writer.write_batch(text, starts, number, from) - from);
    cache->tidy();
    return writer.others.status;
}

/* Encode pretokens: number `k` is text[starts[k]:starts[k + 1]]. */
template <class Id>
static int write_pretokens(WordCache<Id> *cache, const NewWords &words, const uint8_t *text,
                           const size_t *starts, size_t number, Output *output) noexcept {
    if (has_too_long(starts, number)) return ENCODE_TOO_LONG;
    if (!output->room_for(starts[number] - starts[0] + SLACK)) return ENCODE_NO_MEMORY;
    return output->width == 2 ? write_pretokens<Id, uint16_t>(cache, words, text, starts, number, output)
         : output->width == 4 ? write_pretokens<Id, uint32_t>(cache, words, text, starts, number, output)
                              : write_pretokens<Id, Nowhere>(cache, words, text, starts, number, output);
}

#include "word_caches.h"

#endif
