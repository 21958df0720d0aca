/* Counts of very many pretokens, in little memory.
 *
 * A table with open addressing is at most half full, only a quarter after it has grown, and while it
 * grows, the old one is there too: an entry of 24 bytes takes up to 144. Here the entries lie close
 * together, in pieces that never move. What is half empty, and what moves, is an index: 4 bytes a
 * place, with the number of an entry. So the same entry takes 32 to 48 bytes.
 *
 * The price is a second wait for memory per search, for the entry after the index. So this is not for
 * the loop that counts, but for sums of what such loops have found.
 *
 * Functions that need memory return false if there is none. The counts are of no use then.
 */
#ifndef CS336_BPE_DENSE_COUNTS_H
#define CS336_BPE_DENSE_COUNTS_H

#include <mutex>
#include "word_counts.h"

/* An array that grows without moving what is in it. Zeros are an empty one. */
template <class Entry> struct Pieces {
    enum { PIECE = 1 << 18 };  /* entries: some megabytes, in huge pages where the system has them */
    Entry **pieces;            /* owned, and so is each of them */
    size_t size;

    Entry &operator[](size_t i) const noexcept { return pieces[i / PIECE][i % PIECE]; }

    bool append(const Entry &entry) noexcept {
        if (size % PIECE == 0 && !add_piece()) return false;
        (*this)[size++] = entry;
        return true;
    }

    void end() noexcept {
        for (size_t i = 0; i * PIECE < size; i++) table_free(pieces[i], PIECE, sizeof(Entry));
        free(pieces);
        pieces = NULL;
        size = 0;
    }

private:
    BPE_NEVER_INLINE bool add_piece() noexcept {
        size_t number = size / PIECE;
        Entry **longer = (Entry **)realloc(pieces, (number + 1) * sizeof(Entry *));
        if (!longer) return false;
        pieces = longer;
        pieces[number] = (Entry *)pages_new(PIECE, sizeof(Entry));
        return pieces[number];
    }
};

/* In the index: the number of an entry, from 1. */
struct Place {
    uint32_t number;
    bool is_free() const noexcept { return !number; }
};

template <class Entry> struct DenseTable {
    Pieces<Entry> entries;
    OpenTable<Place> index;
    std::mutex mutex;  /* for threads that share it */

    bool start(size_t size) noexcept {
        entries = Pieces<Entry>{NULL, 0};
        return index.start(size);
    }

    void end() noexcept {
        entries.end();
        index.end();
    }

    size_t size() const noexcept { return entries.size; }

    template <class Use> void for_each(Use use) const noexcept {
        for (size_t i = 0; i < entries.size; i++) use(entries[i]);
    }

    Entry &entry_of(Place place) const noexcept { return entries[place.number - 1]; }

    /* The index may be asked for in advance, and, when that is there, the entry. */
    void prefetch(uint64_t hash) const noexcept { index.prefetch(hash); }
    void prefetch_entry(uint64_t hash) const noexcept {
        Place place = index.entries[hash & index.mask];
        if (!place.is_free()) BPE_PREFETCH(&entry_of(place));
    }

protected:
    template <class IsSame> Place *find(uint64_t hash, IsSame is_same) const noexcept {
        return index.find(hash, [&](Place one) { return !one.is_free() && is_same(entry_of(one)); });
    }

    /* Put a new entry at a place that `find` gave; `hash_of(entry, secret)` may change the entry. */
    template <class HashOf>
    bool add_at(Place *place, uint64_t hash, const Entry &entry, HashOf hash_of) noexcept {
        if (entries.size == UINT32_MAX || !entries.append(entry)) return false;
        place->number = (uint32_t)entries.size;
        auto hash_at = [&](Place one, const Secret &secret) { return hash_of(entry_of(one), secret); };
        if (2 * ++index.used > index.mask)
            return index.move(2 * (index.mask + 1),
                              [&](Place one) { return hash_at(one, index.secret); });
        return !index.is_far(place, hash) || index.move_away(hash_at);
    }
};

/* Pretokens that are their own keys. */
template <class Entry> struct DenseCounts : DenseTable<Entry> {
    typedef typename Entry::Key Key;
    size_t text_bytes;  /* of all pretokens in the table, each once */

    size_t text_size() const noexcept { return text_bytes; }
    const uint8_t *bytes(const Entry &entry) const noexcept { return (const uint8_t *)&entry.key; }

    bool start(size_t size) noexcept {
        text_bytes = 0;
        return DenseTable<Entry>::start(size);
    }

    uint64_t hash_of(Key key) const noexcept { return hash_of_key(key, this->index.secret); }

    /* Count a pretoken `n` times more. */
    bool add(Key key, uint64_t n) noexcept {
        uint64_t hash = hash_of(key);
        Place *place = this->find(hash, [key](const Entry &one) { return one.key == key; });
        if (!place->is_free()) {
            this->entry_of(*place).count += n;
            return true;
        }
        Entry entry = {key, n};
        text_bytes += entry.length();
        return this->add_at(place, hash, entry, [](Entry &one, const Secret &secret) {
            return hash_of_key(one.key, secret);
        });
    }
};

/* Longer ones. */
struct DenseLongs : DenseTable<LongEntry> {
    Bytes text;  /* all of them, one after the other */

    size_t text_size() const noexcept { return text.size; }
    const uint8_t *bytes(const LongEntry &entry) const noexcept { return text.bytes + entry.start; }

    bool start(size_t size) noexcept {
        text = Bytes{NULL, 0, 0};
        return DenseTable<LongEntry>::start(size);
    }

    void end() noexcept {
        DenseTable<LongEntry>::end();
        text.end();
    }

    bool add(const uint8_t *pretoken, size_t length, uint64_t n) noexcept {
        uint64_t hash = secret_hash_of(pretoken, length, index.secret);
        Place *place = find(hash, [=](const LongEntry &one) {
            return one.hash_of_bytes == hash && one.size == length
                   && !memcmp(bytes(one), pretoken, length);
        });
        if (!place->is_free()) {
            entry_of(*place).count += n;
            return true;
        }
        size_t start = text.size;
        return text.append(pretoken, length)
               && add_at(place, hash, LongEntry{hash, n, start, length},
                         [this](LongEntry &one, const Secret &secret) {
                             return one.hash_of_bytes = secret_hash_of(bytes(one), one.size, secret);
                         });
    }
};

#endif
