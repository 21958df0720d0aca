/* A hash table in one array, once for all tables of this package.
 *
 * Open addressing: an entry is in the first place, at or after the one that its hash names, that was
 * free when it came. So a search walks from there until it meets the entry or a free place. The size is
 * a power of two, and there must always be free places: whoever adds an entry lets the table grow
 * before it is more than half (or two thirds) full.
 *
 * An `Entry` is a plain struct of zeros where it is free, and has
 *
 *     bool is_free() const;
 *     uint64_t hash() const;   the hash under which it was added
 *
 * Functions that need memory return false if there is none, and leave the table as it was.
 */
#ifndef CS336_BPE_OPEN_TABLE_H
#define CS336_BPE_OPEN_TABLE_H

#include "hash.h"
#include "scan.h" /* BPE_INLINE, BPE_PREFETCH */
#include "table_memory.h"

template <class Entry> struct OpenTable {
    Entry *entries; /* mask + 1 of them; owned */
    size_t mask, used;

    bool start(size_t size) noexcept {
        entries = (Entry *)table_new(size, sizeof(Entry));
        mask = size - 1;
        used = 0;
        return entries;
    }

    void end() noexcept {
        if (entries) table_free(entries, mask + 1, sizeof(Entry));
        entries = NULL;
    }

    size_t num_bytes() const noexcept { return (mask + 1) * sizeof(Entry); }

    void prefetch(uint64_t hash) const noexcept { BPE_PREFETCH(&entries[hash & mask]); }

    /* The entry that is the same, or else the free place where it belongs. `is_same` comes first,
     * because it mostly holds; so it must be safe to ask it of a free entry. */
    template <class IsSame> Entry *find(uint64_t hash, IsSame is_same) const noexcept {
        size_t at = hash & mask;
        while (!is_same(entries[at]) && !entries[at].is_free()) at = (at + 1) & mask;
        return &entries[at];
    }

    /* The free place where an entry belongs that is not there yet. */
    Entry *place_for(uint64_t hash) const noexcept {
        return find(hash, [](const Entry &) { return false; });
    }

    /* Twice the size. For a moment the old table and the new one are both there. */
    bool grow() noexcept {
        OpenTable larger;
        if (!larger.start(2 * (mask + 1))) return false;
        for (size_t i = 0; i <= mask; i++)
            if (!entries[i].is_free()) *larger.place_for(entries[i].hash()) = entries[i];
        larger.used = used;
        end();
        *this = larger;
        return true;
    }
};

#endif
