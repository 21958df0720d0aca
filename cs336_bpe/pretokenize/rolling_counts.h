/* A loop that counts: each step makes the key of one pretoken, asks for its place, and counts the one whose
 * place was asked for AHEAD steps before. Within a batch nothing moves. */
#ifndef CS336_BPE_ROLLING_COUNTS_H
#define CS336_BPE_ROLLING_COUNTS_H

#include "word_table.h"
#ifndef CS336_BPE_BATCH
#define CS336_BPE_BATCH 1024
#endif
#include "starts.h"

/* Counts batches of pretokens, of which there are fewer than a quarter of the smallest table's places. */
struct RollingCounter {
    enum { AHEAD = 64 };
    struct Asked { Key key; WordEntry *place; };
    WordTable *table;
    bool has_memory;
    Asked asked[AHEAD];
    const size_t *late[Starts::BATCH];  /* starts of those that are counted after the batch */
    size_t num_late;

    BPE_ALWAYS_INLINE void ask(Asked *one, const uint8_t *text, size_t length, WordEntry *entries,
                               size_t mask, const Key &secret) noexcept {
        if (BPE_UNLIKELY(length > SHORT)) return ask_long(one, text, length);
        Key key = short_key(text, length), mixed = key ^ secret;
        uint8_t *place = (uint8_t *)entries + (folded(mixed.first(), mixed.second()) & mask);
        BPE_PREFETCH(place);
        one->key = key;
        one->place = (WordEntry *)place;
    }

    BPE_NEVER_INLINE void ask_long(Asked *one, const uint8_t *text, size_t length) noexcept {
        one->key = long_key(text, length, table->secret);
        one->place = table->entries + (WordTable::place_of(one->key, table->secret) & table->mask);
        BPE_PREFETCH(one->place);
    }

    BPE_ALWAYS_INLINE void count(const Asked *one, const uint8_t *text, const size_t *starts) noexcept {
        BPE_PROBE();
        if (BPE_UNLIKELY(!(one->place->key == one->key))) return count_other(one, text, starts);
        one->place->count++;
    }

    BPE_NEVER_INLINE void count_other(const Asked *one, const uint8_t *text,
                                      const size_t *starts) noexcept {
        if (BPE_UNLIKELY(table->crowded)) late[num_late++] = starts;
        else has_memory &= table->add(one->key, text + starts[0], starts[1] - starts[0], 1);
    }

    /* Words that were made to collide do so until the table moves. Those after the first are counted then. */
    BPE_NEVER_INLINE bool count_late(const uint8_t *text) noexcept {
        for (size_t i = 0; i < num_late; i++) {
            const uint8_t *pretoken = text + late[i][0];
            const size_t length = late[i][1] - late[i][0];
            const Key key = any_key(pretoken, length, table->secret);
            if (!table->add(key, pretoken, length, 1)) return false;
        }
        return table->tidy();
    }

    /* Number `k` is text[starts[k]:starts[k + 1]]. False if there is no memory. */
    BPE_NEVER_INLINE bool count_batch(const uint8_t *text, const size_t *starts,
                                      size_t number) noexcept {
        WordEntry *const entries = table->entries;
        const size_t mask = table->offset_mask(), first = number < AHEAD ? number : AHEAD;
        const Key secret = Key::of(table->secret.a, table->secret.b);
        const uint8_t *here = text + starts[0];
        has_memory = true;
        num_late = 0;
        for (size_t k = 0; k < first; k++) {
            const uint8_t *next = text + starts[k + 1];
            ask(&asked[k], here, (size_t)(next - here), entries, mask, secret);
            here = next;
        }
        /* Once round the places of `asked` at a time: one is free when it has been counted. */
        for (size_t k = first; k < number; k += AHEAD) {
            Asked *const end = asked + (number - k < AHEAD ? number - k : AHEAD);
            const size_t *old = starts + (k - AHEAD);
            for (Asked *one = asked; one < end; one++, old++) {
                count(one, text, old);
                const uint8_t *next = text + old[AHEAD + 1];
                ask(one, here, (size_t)(next - here), entries, mask, secret);
                here = next;
            }
        }
        for (size_t k = number - first; k < number; k++) count(&asked[k % AHEAD], text, starts + k);
        return has_memory && table->tidy() && (!num_late || count_late(text));
    }
};

#endif
