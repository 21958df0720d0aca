/* A table of all pretokens, long and short, and a loop that counts with it.
 *
 * An entry has 32 bytes, so two of them are a line of the processor's cache: a key of 16 (word_key.h), a
 * count, and for a long pretoken where its bytes are. The key of a long one is a hash, and is marked in the
 * table, so that looking for the plain key fails: the fast path has one branch for everything that isn't
 * ordinary.
 *
 * Each step of the loop makes the key of one pretoken, asks for its place, and counts the one whose place was
 * asked for AHEAD steps before. Within a batch nothing moves.
 */
#ifndef CS336_BPE_ROLLING_COUNTS_H
#define CS336_BPE_ROLLING_COUNTS_H

#include <vector>
#include "dense_counts.h"
#ifndef CS336_BPE_BATCH
#define CS336_BPE_BATCH 1024
#endif
#include "starts.h"

struct WordEntry {
    Key key;  /* POOLED and HASHED, if it is long */
    uint64_t count;
    size_t start;  /* of a long one, in the bytes of all */

    bool is_free() const noexcept { return !count; }
    bool is_long() const noexcept { return key.last() & HASHED; }
    size_t length() const noexcept {
        if (!is_long()) return key.last();
        size_t size = 0;
        for (int i = 0; i < 7; i++) size |= (size_t)((uint64_t)key.bytes()[8 + i] << 8 * i);
        return size;
    }
};

struct WordTable : OpenTable<WordEntry> {
    Bytes text;         /* of long ones */
    size_t text_bytes;  /* of all pretokens in the table, each once */
    bool crowded;       /* one is far from its place */

    size_t text_size() const noexcept { return text_bytes; }
    const uint8_t *bytes(const WordEntry &entry) const noexcept {
        return entry.is_long() ? text.bytes + entry.start : entry.key.bytes();
    }

    bool start(size_t size) noexcept {
        text = Bytes{NULL, 0, 0};
        text_bytes = 0;
        crowded = false;
        return OpenTable<WordEntry>::start(size);
    }

    void end() noexcept {
        OpenTable<WordEntry>::end();
        text.end();
    }

    void clear() noexcept {
        OpenTable<WordEntry>::clear();
        text.size = text_bytes = 0;
    }

    /* Which place a hash stands for, in bytes from the beginning of the table. */
    size_t offset_mask() const noexcept { return mask * sizeof(WordEntry); }

    /* The same as a number of entries, as OpenTable has it. */
    static uint64_t place_of(const Key &key, const Secret &secret) noexcept {
        return (key & not_pooled).hash(secret) / sizeof(WordEntry);
    }

    /* Count a pretoken `n` times more, wherever it is, or is to be. `key` is the plain one. False if there
     * is no memory. */
    BPE_NEVER_INLINE bool add(const Key &key, const uint8_t *pretoken, size_t length,
                              uint64_t n) noexcept {
        const bool is_long = length > SHORT;
        const Key marked = is_long ? key | pooled_mark : key;
        const uint64_t hash = place_of(key, secret);
        WordEntry *entry = find(hash, [&](const WordEntry &one) {
            return one.key == marked
                   && (!is_long || !memcmp(text.bytes + one.start, pretoken, length));
        });
        if (entry->is_free()) {
            entry->start = text.size;
            if (is_long && !text.append(pretoken, length)) return false;
            entry->key = marked;
            text_bytes += length;
            used++;
            crowded |= is_far(entry, hash);
        }
        entry->count += n;
        return true;
    }

    /* To be called after each batch: everything that moves entries happens here. */
    bool tidy() noexcept {
        if (BPE_UNLIKELY(crowded)) {
            crowded = false;
            if (!move_away([this](WordEntry &one, const Secret &made) {
                    if (one.is_long())
                        one.key = long_key(bytes(one), one.length(), made) | pooled_mark;
                    return place_of(one.key, made);
                })) return false;
        }
        return !BPE_UNLIKELY(2 * used > mask) || grow();
    }

    BPE_NEVER_INLINE bool grow() noexcept {
        return move(2 * (mask + 1), [this](WordEntry &one) { return place_of(one.key, secret); });
    }
};

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
        one->place = (WordEntry *)((uint8_t *)table->entries
                                   + (one->key.first() & table->offset_mask()));
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

    /* Words that were made to collide do so until the table moves. What comes after the first that is far
     * from its place is counted then. */
    BPE_NEVER_INLINE bool count_late(const uint8_t *text) noexcept {
        for (size_t i = 0; i < num_late; i++) {
            const uint8_t *pretoken = text + late[i][0];
            const size_t length = late[i][1] - late[i][0];
            const Key key = length > SHORT ? long_key(pretoken, length, table->secret)
                                           : short_key(pretoken, length);
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

/* Adds the counts of one table to another, in parts that threads may do at the same time: each has a range of
 * places of its own. Words that would have to cross its end are left for the last step, which is done alone. */
struct AddWords {
    WordTable *into;
    const WordTable *from;
    size_t offset;  /* where the long pretokens of `from` are, in the bytes of `into` */

    /* What one thread did. */
    struct Part {
        size_t used, text_bytes;
        bool crowded;
        std::vector<size_t> left;  /* places in `from` */
    };

    /* Make room, so that nothing has to move. False if there is no memory. */
    bool start(WordTable *to, const WordTable *other) noexcept {
        into = to;
        from = other;
        offset = into->text.size;
        while (4 * (into->used + from->used) > 3 * into->mask)
            if (!into->grow()) return false;
        return into->text.append(from->text.bytes, from->text.size);
    }

    /* Part `number` of `parts`. False if there is no memory. */
    bool add(size_t number, size_t parts, Part *part) const noexcept {
        enum { SOON = 32 };
        const size_t size = into->mask + 1;
        const size_t begin = size / parts * number, end = number + 1 < parts ? begin + size / parts : size;
        try {
            for (size_t i = 0; i <= from->mask; i++) {
                const WordEntry &entry = from->entries[i];
                into->prefetch(place_of(from->entries[(i + SOON) & from->mask]));
                if (entry.is_free()) continue;
                const size_t place = place_of(entry) & into->mask;
                if (place < begin || place >= end) continue;
                if (!add_entry(entry, place, end, part)) part->left.push_back(i);
            }
        } catch (...) {
            return false;
        }
        return true;
    }

    /* What is left of a part. False if there is no memory. */
    bool finish(const Part &part) noexcept {
        into->used += part.used;
        into->text_bytes += part.text_bytes;
        into->crowded |= part.crowded;
        for (size_t i : part.left) {
            const WordEntry &entry = from->entries[i];
            if (!into->add(key_of(entry), from->bytes(entry), entry.length(), entry.count)) return false;
        }
        return into->tidy();
    }

private:
    /* The plain key of an entry of `from`, by the secret of `into`. */
    Key key_of(const WordEntry &entry) const noexcept {
        const bool same = from->secret.a == into->secret.a && from->secret.b == into->secret.b;
        return entry.is_long() && !same ? long_key(from->bytes(entry), entry.length(), into->secret)
                                        : entry.key & not_pooled;
    }

    uint64_t place_of(const WordEntry &entry) const noexcept {
        return WordTable::place_of(key_of(entry), into->secret);
    }

    /* False if it does not fit before `end`. */
    bool add_entry(const WordEntry &entry, size_t place, size_t end, Part *part) const noexcept {
        const Key key = entry.is_long() ? key_of(entry) | pooled_mark : entry.key;
        const size_t length = entry.length(), first = place;
        for (; place < end; place++) {
            WordEntry *one = &into->entries[place];
            if (one->is_free()) {
                *one = WordEntry{key, entry.count, entry.is_long() ? offset + entry.start : 0};
                part->used++;
                part->text_bytes += length;
                part->crowded |= place - first > MOST_PROBES;
                return true;
            }
            if (one->key == key
                && (!entry.is_long() || !memcmp(into->bytes(*one), from->bytes(entry), length))) {
                one->count += entry.count;
                return true;
            }
        }
        return false;
    }
};

/* Move the counts of a table that has more than `most` entries to those that threads share: one for each kind
 * of length. For the last time, if `most` is 0: then its memory is freed. False if there is no memory. */
static bool empty_words_into(WordTable &from, size_t most, DenseCounts<TinyEntry> &tinies,
                             DenseCounts<ShortEntry> &shorts, DenseLongs &longs) noexcept {
    if (from.used <= most) return true;
    {
        std::scoped_lock alone(tinies.mutex, shorts.mutex, longs.mutex);
        bool has_memory = true;
        from.for_each([&](const WordEntry &entry) {
            const uint8_t *bytes = from.bytes(entry);
            const size_t length = entry.length();
            has_memory = has_memory
                         && (length <= TINY ? tinies.add(tiny_key(bytes, length), entry.count)
                             : length <= SHORT ? shorts.add(counted_key(bytes, length), entry.count)
                                               : longs.add(bytes, length, entry.count));
        });
        if (!has_memory) return false;
    }
    most ? from.clear() : from.end();
    return true;
}

#endif
