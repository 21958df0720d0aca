/* A hash table in one array, once for all tables of this package.
 *
 * Open addressing: an entry is in the first place, at or after the one that its hash names, that was
 * free when it came. So a search walks from there until it meets the entry or a free place. The size is
 * a power of two, and there must always be free places: whoever adds an entry lets the table grow
 * before it is more than half (or two thirds) full.
 *
 * An `Entry` is a plain struct of zeros where it is free, and has `bool is_free() const`.
 *
 * Hashes depend on a secret (hash.h). Should somebody know it and make entries that collide, then an
 * entry comes to lie more than MOST_PROBES places after its own, which chance hardly ever
 * does in a table that is at most half full. Whoever adds an entry asks `is_far`, and if so, moves all
 * of them to other places, by a new secret. So a search never looks at many places, and a search that
 * finds its entry need not count them.
 *
 * Functions that need memory return false if there is none, and leave the table as it was.
 */
#ifndef CS336_BPE_OPEN_TABLE_H
#define CS336_BPE_OPEN_TABLE_H

#include "hash.h"
#include "scan.h" /* BPE_INLINE, BPE_PREFETCH */
#include "table_memory.h"

enum { MOST_PROBES = 64, MOST_MOVES = 8 };

template <class Entry> struct OpenTable {
    Entry *entries; /* mask + 1 of them; owned */
    size_t mask, used;
    Secret secret;
    int moves; /* by `move_away`, since it grew */

    bool start(size_t size) noexcept {
        entries = (Entry *)table_new(size, sizeof(Entry));
        mask = size - 1;
        used = 0;
        secret = process_secret;
        moves = 0;
        return entries;
    }

    void end() noexcept {
        if (entries) table_free(entries, mask + 1, sizeof(Entry));
        entries = NULL;
    }

    void clear() noexcept {
        memset((void *)entries, 0, num_bytes());
        used = 0;
    }

    size_t size() const noexcept { return used; }
    size_t num_bytes() const noexcept { return (mask + 1) * sizeof(Entry); }

    template <class Use> void for_each(Use use) const noexcept {
        for (size_t i = 0; i <= mask; i++)
            if (!entries[i].is_free()) use(entries[i]);
    }

    void prefetch(uint64_t hash) const noexcept { BPE_PREFETCH(&entries[hash & mask]); }

    /* The entry that is the same, or else the free place where it belongs. `is_same` comes first,
     * because it mostly holds; so it must be safe to ask it of a free entry. */
    template <class IsSame> Entry *find(uint64_t hash, IsSame is_same) const noexcept {
        size_t at = hash & mask;
        while (BPE_PROBE(), !is_same(entries[at]) && !entries[at].is_free()) at = (at + 1) & mask;
        return &entries[at];
    }

    /* The free place where an entry belongs that is not there yet. */
    Entry *place_for(uint64_t hash) const noexcept {
        return find(hash, [](const Entry &) { return false; });
    }

    /* Does an entry lie too far from the place that its hash names? */
    bool is_far(const Entry *entry, uint64_t hash, size_t most = MOST_PROBES) const noexcept {
        return (((size_t)(entry - entries) - hash) & mask) > most;
    }

    /* To a table of another size, or to other places of one of this size. `hash_of` gives the hash of
     * an entry there, and may change the entry. For a moment both tables are there. */
    template <class HashOf> bool move(size_t size, HashOf hash_of) noexcept {
        OpenTable other;
        if (!other.start(size)) return false;
        for (size_t i = 0; i <= mask; i++) {
            if (entries[i].is_free()) continue;
            Entry entry = entries[i];
            *other.place_for(hash_of(entry)) = entry;
        }
        end();
        entries = other.entries;
        mask = other.mask;
        return true;
    }

    /* To places by a new secret, because an entry is far from its own; `hash_of(entry, secret)` gives
     * the hash. A table that is quite full grows: there it may have been chance. Another one stays as
     * large, or words that collide could make it grow. A new secret may be unlucky too, one in a thousand
     * for words that were made to collide, and then it is not the last; but after MOST_MOVES the table
     * stays where it is, because without randomness moving would be in vain. */
    template <class HashOf> BPE_NEVER_INLINE bool move_away(HashOf hash_of) noexcept {
        do {
            bool grows = 3 * used > mask;
            moves = grows ? 0 : moves + 1;
            if (moves > MOST_MOVES) return true;
            size_t size = grows ? 2 * (mask + 1) : mask + 1;
            Secret made = new_secret(size + (size_t)moves);
            if (!move(size, [&](Entry &entry) { return hash_of(entry, made); })) return false;
            secret = made;
        } while (has_far([&](Entry &entry) { return hash_of(entry, secret); }));
        return true;
    }

    template <class HashOf> bool has_far(HashOf hash_of) const noexcept {
        for (size_t i = 0; i <= mask; i++)
            if (!entries[i].is_free() && is_far(&entries[i], hash_of(entries[i]))) return true;
        return false;
    }
};

#endif
