/* Encoding text in batches of pretokens, so that the waits for memory overlap.
 *
 * A table of many megabytes is not in the processor's cache, and a look-up waits for it. So a batch of
 * pretokens is handled in two passes: find them, make their keys, and ask for their places in the
 * table; and only then look there, and write the ids out.
 */
#ifndef CS336_BPE_BATCHES_H
#define CS336_BPE_BATCHES_H

#include "pretoken_cache.h"
#ifndef CS336_BPE_BATCH
#define CS336_BPE_BATCH 256  /* their entries, of 32 bytes, still fit into the nearest cache */
#endif
#include "starts.h"

struct Batch {
    size_t number;
    size_t starts[Starts::BATCH + 1];  /* a pretoken ends where the next one starts */
    Key keys[Starts::BATCH];
    uint32_t hashes[Starts::BATCH];
};

/* Write the ids of a batch. There is room for an id per byte, and IN_ENTRY more. */
template <int width>
static bool write_batch(PretokenCache *cache, const Merges &merges, const uint8_t *text,
                        const Batch &batch, Output *output) noexcept {
    size_t used = output->used;
    for (size_t k = 0; k < batch.number; k++) {
        const ShortEntry *entry = &cache->shorts.entries[batch.hashes[k] & cache->shorts.mask];
        const Found *found = &entry->found;
        Found elsewhere;
        if (BPE_UNLIKELY(!(entry->key == batch.keys[k]))) {
            const uint8_t *start = text + batch.starts[k];
            size_t length = batch.starts[k + 1] - batch.starts[k];
            elsewhere = length <= SHORT
                ? cache->find_short(merges, start, length, batch.keys[k], batch.hashes[k])
                : cache->find_long(merges, start, length);
            found = &elsewhere;
        }
        if (BPE_UNLIKELY(found->number > IN_ENTRY)) {
            output->used = used;
            if (!cache->write(*found, merges, text + batch.starts[k],
                              batch.starts[k + 1] - batch.starts[k], output)) return false;
            used = output->used;
            continue;
        }
        /* All three are written, and what is too much is written over by the next. */
        if (width == 4) {
            memcpy((uint32_t *)output->ids + used, found->ids, sizeof found->ids);
        } else if (width == 2) {
            uint16_t *to = (uint16_t *)output->ids + used;
            to[0] = (uint16_t)found->ids[0];
            to[1] = (uint16_t)found->ids[1];
            to[2] = (uint16_t)found->ids[2];
        }
        used += found->number;
    }
    output->used = used;
    return true;
}

/* Encode text[begin:end], in which no special token is looked for. SCAN_PADDING bytes after the end
 * must be readable. If `strict`, the text must be UTF-8. */
static int write_text(const Scanner *scanner, PretokenCache *cache, const Merges &merges,
                      const uint8_t *text, size_t begin, size_t end, bool strict,
                      Output *output) noexcept {
    Batch batch;
    Starts starts;
    starts.begin(scanner, text, begin, end, !strict);
    while (starts.find()) {
        size_t stop = 0, longest = 0;
        batch.number = starts.ready;
        batch.starts[0] = 0;
        for (size_t i = 0; i < starts.ready; i++) {
            size_t start = starts.starts[i];
            stop = starts.starts[i + 1];
            Key key = key_of(text + start, stop - start);
            batch.starts[i] = start;
            batch.keys[i] = key;
            batch.hashes[i] = key.hash(cache->shorts.secret);
            cache->shorts.prefetch(batch.hashes[i]);
            longest = stop - start > longest ? stop - start : longest;
        }
        batch.starts[batch.number] = stop;
        if (longest >= TOO_LONG) return ENCODE_TOO_LONG;
        if (!output->room_for(stop - batch.starts[0] + IN_ENTRY)) return ENCODE_NO_MEMORY;
        bool written = output->width == 2 ? write_batch<2>(cache, merges, text, batch, output)
                     : output->width == 4 ? write_batch<4>(cache, merges, text, batch, output)
                                          : write_batch<0>(cache, merges, text, batch, output);
        if (!written) return ENCODE_NO_MEMORY;
        if (cache->full) cache->forget();
    }
    return starts.invalid ? ENCODE_INVALID : starts.unmatched ? ENCODE_UNMATCHED : ENCODE_DONE;
}

/* Encode one pretoken that somebody else has found; after it nothing has to be readable. */
static int write_pretoken(PretokenCache *cache, const Merges &merges, const uint8_t *text,
                          size_t length, Output *output) noexcept {
    if (!length) return ENCODE_DONE;
    if (length >= TOO_LONG) return ENCODE_TOO_LONG;
    Found found;
    if (length <= SHORT) {
        uint8_t copy[16] = {0};
        memcpy(copy, text, length);
        Key key = key_of(copy, length);
        found = cache->find_short(merges, text, length, key, key.hash(cache->shorts.secret));
    } else {
        found = cache->find_long(merges, text, length);
    }
    bool written = output->room_for(length)
                   && cache->write(found, merges, text, length, output);
    if (cache->full) cache->forget();
    return written ? ENCODE_DONE : ENCODE_NO_MEMORY;
}

#endif
