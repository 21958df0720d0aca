/* Adding up the tables of several threads, and writing one out as columns. */
#ifndef CS336_BPE_ADD_UP_H
#define CS336_BPE_ADD_UP_H

#include "word_counts.h"

enum { AHEAD = 16 };  /* entries: how far ahead memory is asked for */

template <class Entry>
static bool add_entry(CountTable<Entry> &into, const CountTable<Entry> &, const Entry &entry) noexcept {
    return into.add(entry.key, into.hash_of(entry.key), entry.count) && into.tidy();
}

static bool add_entry(LongTable &into, const LongTable &from, const LongEntry &entry) noexcept {
    return into.add(from.bytes(entry), entry.size, entry.count);
}

template <class Entry>
static void prefetch_entry(const CountTable<Entry> &into, const Entry &entry) noexcept {
    into.prefetch(into.hash_of(entry.key));
}

static void prefetch_entry(const LongTable &into, const LongEntry &entry) noexcept {
    into.prefetch(entry.hash_of_bytes);  /* (in vain if the two tables have different secrets) */
}

/* Add the counts of another table; false if there is no memory. */
template <class Table> static bool add_all(Table &into, const Table &from) noexcept {
    for (size_t i = 0; i <= from.mask; i++) {
        prefetch_entry(into, from.entries[(i + AHEAD) & from.mask]);
        if (from.entries[i].count && !add_entry(into, from, from.entries[i])) return false;
    }
    return true;
}

/* Where columns are written: all pretokens, one after the other; of each its length and its count. */
struct ColumnWriter {
    uint8_t *text;
    uint64_t *lengths, *counts;

    template <class Table> void write(const Table &table) noexcept {
        for (size_t i = 0; i <= table.mask; i++) {
            if (table.entries[i].is_free()) continue;
            *counts++ = table.entries[i].count;
            *lengths = table.entries[i].length();
            memcpy(text, table.bytes(table.entries[i]), *lengths);
            text += *lengths++;
        }
    }
};

#endif
