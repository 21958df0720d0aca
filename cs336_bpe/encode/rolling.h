/* Encoding text with a look-up that is always AHEAD pretokens late, so that the waits for memory overlap.
 *
 * Each step makes the key of one pretoken, asks the processor to fetch its place in the cache, and
 * writes the ids of the one whose place was asked for AHEAD steps before.
 */
#ifndef CS336_BPE_ROLLING_H
#define CS336_BPE_ROLLING_H

#include "copy_ids.h"
#include "late_words.h"
#include "output.h"
#include "word_cache.h"
#ifndef CS336_BPE_BATCH
#define CS336_BPE_BATCH 1024
#endif
#include "starts.h"

#ifndef CS336_BPE_AHEAD
#define CS336_BPE_AHEAD 64
#endif

/* What is rare is never inlined: it would take the registers that the loop needs. */
template <class Id, class To> struct Writer {
    enum { AHEAD = CS336_BPE_AHEAD };
    typedef Entry<Id> E;
    struct alignas(32) Asked { Key key; const E *place; };
    OtherWords<Id, To> others;
    LateWords<Id, To> late;
    Asked asked[AHEAD];

    /* Make the key of a pretoken, and ask for its place. `secret` is that of the table, as a key. */
    BPE_ALWAYS_INLINE void ask(Asked *one, const uint8_t *text, size_t length, const E *table,
                               size_t mask, const Key &secret) noexcept {
        if (BPE_UNLIKELY(length > SHORT)) return ask_long(one, text, length);
        Key key = short_key(text, length), mixed = key ^ secret;
        const uint8_t *place = (const uint8_t *)table + (folded(mixed.first(), mixed.second()) & mask);
        BPE_PREFETCH(place);
        one->key = key;
        one->place = (const E *)place;
    }

    BPE_NEVER_INLINE void ask_long(Asked *one, const uint8_t *text, size_t length) noexcept {
        const WordCache<Id> &cache = *others.cache;
        one->key = long_key(text, length > LONG ? 0 : length, cache.secret);
        one->place = (const E *)((const uint8_t *)cache.entries
                                 + (one->key.first() & cache.offset_mask()));
        BPE_PREFETCH(one->place);
    }

    /* Write the ids of the pretoken that starts at `starts[0]`; returns where the next ones go. */
    BPE_ALWAYS_INLINE To *write(const Asked *one, const uint8_t *text, const size_t *starts,
                                To *to) noexcept {
        const E *entry = one->place;
        copy<16 / sizeof(Id)>((const Id *)&entry->inside, to);
        if (BPE_UNLIKELY(!(entry->key == one->key))) return write_other(one, text, starts, to);
        return to + entry->inside.number;
    }

    BPE_NEVER_INLINE To *write_other(const Asked *one, const uint8_t *text, const size_t *starts,
                                     To *to) noexcept {
        const size_t length = starts[1] - starts[0];
        if (!others.words->may_be_late || length > SHORT)
            return to + others.write(text + starts[0], length, one->key, to);
        size_t place = NO_PLACE;
        Found<Id> found = others.cache->find_easy(*others.words, one->key, one->place, &place);
        return found.number ? to + others.write_all(found.ids, found.number, to)
                            : late.add(one->key, place, to);
    }

    /* The pretokens of a batch; returns where the ids end. */
    BPE_NEVER_INLINE To *write_batch(const uint8_t *text, const size_t *starts, size_t number,
                                     To *to) noexcept {
        const WordCache<Id> &cache = *others.cache;
        const E *table = cache.entries;
        const size_t mask = cache.offset_mask(), first = number < AHEAD ? number : AHEAD;
        const Key secret = Key::of(cache.secret.a, cache.secret.b);
        const uint8_t *here = text + starts[0];
        for (size_t k = 0; k < first; k++) {
            const uint8_t *next = text + starts[k + 1];
            ask(&asked[k], here, (size_t)(next - here), table, mask, secret);
            here = next;
        }
        /* Once round the places of `asked` at a time: one is free when its ids are written. */
        for (size_t k = first; k < number; k += AHEAD) {
            Asked *const end = asked + (number - k < AHEAD ? number - k : AHEAD);
            const size_t *old = starts + (k - AHEAD);
            for (Asked *one = asked; one < end; one++, old++) {
                to = write(one, text, old, to);
                const uint8_t *next = text + old[AHEAD + 1];
                ask(one, here, (size_t)(next - here), table, mask, secret);
                here = next;
            }
        }
        for (size_t k = number - first; k < number; k++)
            to = write(&asked[k % AHEAD], text, starts + k, to);
        return to;
    }
};

/* More ids than that are not moved up: words that are late get their ids before. */
enum { MOST_LATE_IDS = 1 << 14 };

template <class Id, class To>
static int write_pretokens(WordCache<Id> *cache, const NewWords &words, const uint8_t *text,
                           const size_t *starts, size_t number, Output *output) noexcept {
    Writer<Id, To> writer;
    To *first = (To *)output->ids, *end;
    writer.others = {cache, &words, ENCODE_DONE};
    writer.late = {cache, &words, first};
    end = writer.write_batch(text, starts, number, first + output->used);
    if (cache->late.number
        && (cache->is_untidy() || (size_t)(end - first) - cache->late.words[0].at > MOST_LATE_IDS))
        end = writer.late.write(end);  /* also before entries move: words that wait have places */
    output->used = (size_t)(end - first);
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

template <class Id, class To>
static void write_late(WordCache<Id> *cache, const NewWords &words, Output *output) noexcept {
    To *first = (To *)output->ids;
    LateWords<Id, To> late = {cache, &words, first};
    output->used = (size_t)(late.write(first + output->used) - first);
    cache->tidy();
}

/* Write the ids of words that are late: after the last pretoken of a text. */
template <class Id>
static void write_late(WordCache<Id> *cache, const NewWords &words, Output *output) noexcept {
    if (!cache->late.number) return;
    if (output->width == 2) write_late<Id, uint16_t>(cache, words, output);
    else if (output->width == 4) write_late<Id, uint32_t>(cache, words, output);
    else write_late<Id, Nowhere>(cache, words, output);
}

#include "word_caches.h"

#endif
