/* Adding up the tables of several threads, and writing one out as columns. */
#ifndef CS336_BPE_ADD_UP_H
#define CS336_BPE_ADD_UP_H

#include "word_counts.h"

enum { AHEAD = 16 };  /* entries: how far ahead memory is asked for */

/* Add the counts of another table; false if there is no memory. */
template <class Entry>
static bool add_all(CountTable<Entry> &into, const CountTable<Entry> &from) noexcept {
    for (size_t i = 0; i <= from.mask; i++) {
        Entry entry = from.entries[i];
        into.prefetch(from.entries[(i + AHEAD) & from.mask].hash());
        if (entry.count && !into.add(entry.key, entry.hash(), entry.count)) return false;
    }
    return true;
}

static bool add_all(LongTable &into, const LongTable &from) noexcept {
    for (size_t i = 0; i <= from.mask; i++) {
        const LongEntry &entry = from.entries[i];
        if (entry.count && !into.add(from.bytes(entry), entry.size, entry.count)) return false;
    }
    return true;
}

/* A whole key is faster to copy than a part of it, and what is too much, the next one overwrites. But
 * after the last one comes what another thread writes. */
template <class Entry>
static void copy_bytes(uint8_t *to, size_t room, const CountTable<Entry> &table,
                       const Entry &entry) noexcept {
    if (room >= sizeof entry.key) memcpy(to, &entry.key, sizeof entry.key);
    else memcpy(to, table.bytes(entry), entry.length());
}

static void copy_bytes(uint8_t *to, size_t, const LongTable &table, const LongEntry &entry) noexcept {
    memcpy(to, table.bytes(entry), entry.size);
}

/* All pretokens of a table, one after the other; and of each its length and its count. */
template <class Table>
static void write_columns(const Table &table, uint8_t *text, uint64_t *lengths,
                          uint64_t *counts) noexcept {
    const uint8_t *end = text + table.text_bytes;
    for (size_t i = 0; i <= table.mask; i++) {
        if (!table.entries[i].count) continue;
        copy_bytes(text, (size_t)(end - text), table, table.entries[i]);
        *lengths = table.entries[i].length();
        *counts++ = table.entries[i].count;
        text += *lengths++;
    }
}

#endif
