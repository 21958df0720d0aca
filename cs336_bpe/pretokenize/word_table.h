/* A table of all pretokens, long and short.
 *
 * An entry has 32 bytes, so two of them are a line of the processor's cache: a key of 16 (word_key.h), a
 * count, and for a long pretoken where its bytes are (they never move). The key of a long one is a hash, and
 * is marked in the table, so that looking for the plain key fails: whoever does that finds ordinary
 * pretokens with one comparison, and calls `add` for all others.
 */
#ifndef CS336_BPE_WORD_TABLE_H
#define CS336_BPE_WORD_TABLE_H

#include "dense_counts.h"

struct WordEntry {
    Key key;  /* POOLED and HASHED, if it is long */
    uint64_t count;
    const uint8_t *text;  /* of a long one */

    bool is_free() const noexcept { return !count; }
    bool is_long() const noexcept { return key.last() & HASHED; }
    size_t length() const noexcept {
        if (!is_long()) return key.last();
        size_t size = 0;
        for (int i = 0; i < 7; i++) size |= (size_t)((uint64_t)key.bytes()[8 + i] << 8 * i);
        return size;
    }
};

/* Bytes that are added one after the other, and never move. Zeros are none. */
struct Chunks {
    enum { FIRST = 1 << 16, LARGE = 1 << 22 };  /* bytes; a large one has huge pages where there are some */
    struct Chunk { uint8_t *bytes; size_t size; };
    Chunk *chunks;  /* owned, and so are their bytes */
    size_t number;
    uint8_t *at;
    size_t left;

    /* A copy that stays where it is; NULL if there is no memory. */
    const uint8_t *add(const uint8_t *bytes, size_t size) noexcept {
        if (BPE_UNLIKELY(size > left) && !add_chunk(size)) return NULL;
        uint8_t *copy = (uint8_t *)memcpy(at, bytes, size);
        at += size;
        left -= size;
        return copy;
    }

    /* All that another one has, which has nothing then. False if there is no memory. */
    bool take(Chunks *other) noexcept {
        Chunk *more = (Chunk *)realloc(chunks, (number + other->number + 1) * sizeof(Chunk));
        if (!more) return false;
        chunks = more;
        for (size_t i = 0; i < other->number; i++) chunks[number++] = other->chunks[i];
        free(other->chunks);
        *other = Chunks{};
        return true;
    }

    void end() noexcept {
        for (size_t i = 0; i < number; i++) table_free(chunks[i].bytes, chunks[i].size, 1);
        free(chunks);
        *this = Chunks{};
    }

private:
    BPE_NEVER_INLINE bool add_chunk(size_t size) noexcept {
        const size_t usual = number ? LARGE : FIRST, taken = size > usual ? size : usual;
        Chunk *more = (Chunk *)realloc(chunks, (number + 1) * sizeof(Chunk));
        if (!more) return false;
        chunks = more;
        uint8_t *made = (uint8_t *)uncleared_new(taken, 1);
        if (!made) return false;
        chunks[number++] = Chunk{made, taken};
        at = made;
        left = taken;
        return true;
    }
};

struct WordTable : OpenTable<WordEntry> {
    enum { MODERATE = 1 << 18 };  /* places */
    Chunks texts;       /* of long ones */
    size_t text_bytes;  /* of all pretokens in the table, each once */
    bool crowded;       /* one is far from its place */

    size_t text_size() const noexcept { return text_bytes; }
    const uint8_t *bytes(const WordEntry &entry) const noexcept {
        return entry.is_long() ? entry.text : entry.key.bytes();
    }

    bool start(size_t size) noexcept {
        texts = Chunks{};
        text_bytes = 0;
        crowded = false;
        return OpenTable<WordEntry>::start(size);
    }

    void end() noexcept {
        OpenTable<WordEntry>::end();
        texts.end();
    }

    void clear() noexcept {
        OpenTable<WordEntry>::clear();
        texts.end();
        text_bytes = 0;
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
                   && (!is_long || !memcmp(one.text, pretoken, length));
        });
        if (entry->is_free()) {
            if (is_long && !(entry->text = texts.add(pretoken, length))) return false;
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
        return !BPE_UNLIKELY(2 * used > mask) || grow(mask < MODERATE ? 4 : 2);
    }

    /* A small table gets four times as many places: it will soon be too small again, and each time all its
     * words move. */
    BPE_NEVER_INLINE bool grow(size_t times) noexcept {
        return move(times * (mask + 1), [this](WordEntry &one) { return place_of(one.key, secret); });
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
