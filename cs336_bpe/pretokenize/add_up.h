/* Adding up the tables of several threads, and writing tables out as columns. */
#ifndef CS336_BPE_ADD_UP_H
#define CS336_BPE_ADD_UP_H

#include "dense_counts.h"

enum { AHEAD = 16 };  /* entries: how far ahead memory is asked for */

template <class Entry, class From>
static bool add_entry(CountTable<Entry> &into, const From &, const Entry &entry) noexcept {
    return into.add(entry.key, into.hash_of(entry.key), entry.count) && into.tidy();
}

template <class Entry, class From>
static bool add_entry(DenseCounts<Entry> &into, const From &, const Entry &entry) noexcept {
    return into.add(entry.key, entry.count);
}

template <class Longs, class From>
static bool add_entry(Longs &into, const From &from, const LongEntry &entry) noexcept {
    return into.add(from.bytes(entry), entry.size, entry.count);
}

template <class Table, class Entry>
static uint64_t hash_in(const Table &into, const Entry &entry) noexcept {
    return into.hash_of(entry.key);
}

template <class Table> static uint64_t hash_in(const Table &, const LongEntry &entry) noexcept {
    return entry.hash_of_bytes;  /* (in vain if the two tables have different secrets) */
}

template <class Entry> static void prefetch_entry(const OpenTable<Entry> &, uint64_t) noexcept {}

template <class Entry>
static void prefetch_entry(const DenseTable<Entry> &into, uint64_t hash) noexcept {
    into.prefetch_entry(hash);
}

/* Add the counts of another table; false if there is no memory. */
template <class Into, class From> static bool add_all(Into &into, const From &from) noexcept {
    for (size_t i = 0; i <= from.mask; i++) {
        into.prefetch(hash_in(into, from.entries[(i + 2 * AHEAD) & from.mask]));
        prefetch_entry(into, hash_in(into, from.entries[(i + AHEAD) & from.mask]));
        if (from.entries[i].count && !add_entry(into, from, from.entries[i])) return false;
    }
    return true;
}

/* Move the counts of a table that has more than `most` entries to one that threads share. For the last
 * time, if `most` is 0: then its memory is freed. False if there is no memory. */
template <class From, class Into>
static bool empty_into(From &from, size_t most, Into &into) noexcept {
    if (from.used <= most) return true;
    {
        std::lock_guard<std::mutex> alone(into.mutex);
        if (!add_all(into, from)) return false;
    }
    most ? from.clear() : from.end();
    return true;
}

/* Of tables that are to be written out together. */
struct ColumnSizes {
    size_t number, text_bytes;
};

template <class... Tables> static ColumnSizes column_sizes(const Tables &...tables) noexcept {
    return {(tables.size() + ...), (tables.text_size() + ...)};
}

/* Where columns are written: all pretokens, one after the other; of each its length and its count. */
struct ColumnWriter {
    uint8_t *text;
    uint64_t *lengths, *counts;

    template <class Table> void write(const Table &table) noexcept {
        table.for_each([&](const auto &entry) {
            *counts++ = entry.count;
            *lengths = entry.length();
            memcpy(text, table.bytes(entry), *lengths);
            text += *lengths++;
        });
    }
};

#endif
