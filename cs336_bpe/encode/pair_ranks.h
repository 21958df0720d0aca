/* A table of merges: which merge joins two tokens? And a heap's entry, for the merge to do next. */
#ifndef CS336_BPE_PAIR_RANKS_H
#define CS336_BPE_PAIR_RANKS_H

#include <algorithm>
#include "open_table.h"

/* A merge is one integer: its rank in the upper half, the id that it makes in the lower. So the
 * smaller number is the earlier merge. */
static const uint64_t NO_MERGE = 0xFFFFFFFFFFFFFFFF;  /* after all others */

struct PairRanks {
    struct Entry {
        uint64_t pair;        /* left id << 32 | right id */
        uint64_t merge_plus;  /* the merge, + 1: so what is free, all zeros, has NO_MERGE */
        bool is_free() const noexcept { return !merge_plus; }
    };

    /* Room for `num_merges`: at most half of the table is used. */
    bool start(size_t num_merges) noexcept {
        size_t size = 256;
        while (size < 2 * num_merges) size *= 2;
        return table.start(size);
    }

    void end() noexcept { table.end(); }

    void add(uint32_t left, uint32_t right, uint32_t rank, uint32_t made) noexcept {
        uint64_t pair = (uint64_t)left << 32 | right;
        Entry *entry = table.place_for(hash_of(pair));
        *entry = Entry{pair, ((uint64_t)rank << 32 | made) + 1};
        if (table.is_far(entry, hash_of(pair)))  /* (without memory for it, all stay where they are) */
            table.move_away([](Entry &one, Secret &made) { return secret_hash(one.pair, 0, made); });
    }

    /* Which merge joins the two tokens, or NO_MERGE. */
    uint64_t merge_of(uint32_t left, uint32_t right) const noexcept {
        uint64_t pair = (uint64_t)left << 32 | right;
        return table.find(hash_of(pair), [=](const Entry &entry) {
            return entry.pair == pair;
        })->merge_plus - 1;
    }

private:
    OpenTable<Entry> table;

    uint64_t hash_of(uint64_t pair) const noexcept { return secret_hash(pair, 0, table.secret); }
};

/* A place where a merge is possible. The standard library's heaps have the greatest on top, so what
 * should come first is the greatest: the smallest merge, and of equal ones the leftmost. */
struct Candidate {
    uint64_t merge;
    uint32_t place;
    bool operator<(const Candidate &other) const noexcept {
        return merge != other.merge ? merge > other.merge : place > other.place;
    }
};

#endif
