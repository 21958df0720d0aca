/* Containers that the standard library lacks, or that it has in another form. */
#ifndef CS336_BPE_CONTAINERS_H
#define CS336_BPE_CONTAINERS_H

#include <queue>
#include <stdint.h>
#include <unordered_map>
#include <utility>
#include <vector>
#include "hash.h"
#include "huge_vectors.h"

/* One array for many lists. An owner has its list at items[begin:end]. It gets its room at once,
 * and the list never outgrows it. A list that nobody needs any more can be given back. Its room
 * goes to later lists, the longest first: old lists are long and new ones short, so most fit. */
struct Lists {
    std::vector<int32_t> items;

    int32_t &operator[](size_t at) { return items[at]; }

    /* Room for the lists of owners[first:], which have the sizes in `end`; the lists are empty. */
    template <class Owner> void lay_out(std::vector<Owner> &owners, size_t first) {
        uint32_t size = 0;
        for (size_t i = first; i < owners.size(); i++) size += owners[i].end;
        uint32_t at = room_for(size);
        for (size_t i = first; i < owners.size(); i++) {
            owners[i].begin = at;
            at += owners[i].end;
            owners[i].end = owners[i].begin;
        }
    }

    template <class Owner> void append(Owner &owner, int32_t item) { items[owner.end++] = item; }

    void give_back(uint32_t begin, uint32_t end) {
        unused.push(std::make_pair(end - begin, begin));
    }

    void forget() { std::vector<int32_t>().swap(items); }

private:
    std::priority_queue<std::pair<uint32_t, uint32_t>> unused; /* (size, begin) */

    uint32_t room_for(uint32_t size) {
        if (unused.empty() || unused.top().first < size) {
            const size_t now = items.size(), then = now + size;
            if (then > items.capacity()) reserve_huge(items, then > 2 * now ? then : 2 * now);
            items.resize(then);
            return (uint32_t)items.size() - size;
        }
        uint32_t room = unused.top().first, at = unused.top().second;
        unused.pop();
        unused.push(std::make_pair(room - size, at + size));
        return at;
    }
};

/* What the standard library's hash table has for a pair of tokens (left << 32 | right). Its own hash of
 * an integer is the integer, so that pairs can be found that all fall into one bucket; this one has a
 * secret. */
struct PairHash {
    Secret secret;
    PairHash(Secret by = process_secret) noexcept : secret(by) {}
    size_t operator()(uint64_t pair) const noexcept {
        BPE_PROBE();
        return (size_t)secret_hash(pair, 0, secret);
    }
};

/* Should somebody know the secret, then a bucket comes to have more pairs than chance ever gives it; then
 * all of them get other buckets, by a new secret. */
template <class Value> struct PairTable : std::unordered_map<uint64_t, Value, PairHash> {
    enum { MOST_IN_BUCKET = 12, MOST_MOVES = 8 };

    /* Where the value of a pair is. It is made if there is none; throws std::bad_alloc. */
    Value *of(uint64_t pair) {
        size_t size = this->size();
        Value *value = &(*this)[pair];
        if (this->size() == size || this->bucket_size(this->bucket(pair)) <= MOST_IN_BUCKET)
            return value;
        move_away();
        return &(*this)[pair];
    }

private:
    size_t moves = 0, moved_at = 0;

    void move_away() {
        /* Without randomness moving would be in vain. */
        moves = moved_at == this->bucket_count() ? moves + 1 : 1;
        moved_at = this->bucket_count();
        if (moves > MOST_MOVES) return;
        std::unordered_map<uint64_t, Value, PairHash> other(this->bucket_count(),
                                                            PairHash{new_secret(moves)});
        for (auto &item : *this) other[item.first] = std::move(item.second);
        this->swap(other);
    }
};

/* A binary heap with the greatest entry on top, as std::priority_queue; but the top can be changed
 * in place, and sinks only as far as it must. std::pop_heap and std::push_heap would take it to the
 * bottom and up again. An Entry is small, and has operator<. */
template <class Entry> struct Heap {
    std::vector<Entry> entries;

    bool empty() const { return entries.empty(); }

    const Entry &top() const { return entries[0]; }

    void push(Entry entry) {
        size_t at = entries.size();
        entries.push_back(entry);
        for (; at > 0 && entries[(at - 1) / 2] < entry; at = (at - 1) / 2)
            entries[at] = entries[(at - 1) / 2];
        entries[at] = entry;
    }

    void pop() {
        Entry last = entries.back();
        entries.pop_back();
        if (!entries.empty()) replace_top(last);
    }

    void replace_top(Entry entry) {
        size_t at = 0, size = entries.size();
        for (size_t child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && entries[child] < entries[child + 1]) child++;
            if (!(entry < entries[child])) break;
            entries[at] = entries[child];
            at = child;
        }
        entries[at] = entry;
    }
};

#endif
