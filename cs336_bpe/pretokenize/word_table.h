/* A table of all pretokens, long and short.
 *
 * An entry has 32 bytes, so two of them are a line of the processor's cache: a key of 16 (word_key.h), a
 * count, and for a long pretoken where its bytes are. The key of a long one is a hash, and is marked in the
 * table, so that looking for the plain key fails: whoever does that finds ordinary pretokens with one
 * comparison, and calls `add` for all others.
 */
#ifndef CS336_BPE_WORD_TABLE_H
#define CS336_BPE_WORD_TABLE_H

#include <vector>
#include "dense_counts.h"

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
