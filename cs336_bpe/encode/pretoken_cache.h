/* A cache of pretokens and their ids.
 *
 * Text repeats its words, so nearly every pretoken has been encoded before. Its ids are in the same
 * entry as its bytes: to find the one is to have read the other.
 *
 *   up to 15 bytes    32-byte entries, two to a cache line: the bytes and their number, which are
 *                     compared as two integers, then three ids and how many there are
 *   up to 255 bytes   entries that point to the bytes
 *   longer            are not kept
 *
 * What has more than three ids has them in a pool.
 *
 * The cache has a limit. When that is reached, everything is forgotten and learned anew: frequent
 * words are back after a few lines, and what does not come back was not worth its place. Nothing
 * has to be noted at a hit, as it must be to know which entries are old. The same happens if an entry
 * lies far from its place: then somebody has made words that collide, and everything is learned anew
 * with other secrets.
 */
#ifndef CS336_BPE_PRETOKEN_CACHE_H
#define CS336_BPE_PRETOKEN_CACHE_H

#include "merge_lists.h"
#include "open_table.h"
#include "output.h"

enum { SHORT = 15, LONG = 255 };
enum { IN_ENTRY = 3 };                        /* ids that a Found has room for */
static const uint32_t NOT_KEPT = 0xFFFFFFFF;  /* as number of a Found: it has to be encoded again */
static const size_t DEFAULT_CACHE_BYTES = (size_t)128 << 20;

/* Up to SHORT bytes, then zeros, and the length in the last byte. */
struct Key {
    uint64_t a, b;
    bool operator==(const Key &other) const noexcept {
        return !((a ^ other.a) | (b ^ other.b));
    }
    uint32_t hash(const Secret &secret) const noexcept {
        return (uint32_t)secret_hash(a, b, secret);
    }
};

/* For each length: the bytes of a key that are text, and the length in its last byte. Place 0 is for
 * what is longer than a key; its length is that of no entry. */
static struct { Key mask, length; } key_parts[SHORT + 1];

/* Has to be called once. */
static void cache_init_module(void) {
    memset(key_parts, 0, sizeof key_parts);
    for (size_t n = 0; n <= SHORT; n++) {
        uint8_t number = n ? (uint8_t)n : 255;
        memset((void *)&key_parts[n].mask, 0xFF, n);
        memcpy((uint8_t *)&key_parts[n].length + SHORT, &number, 1);
    }
}

/* The key of a pretoken, after whose start 16 bytes can be read. */
BPE_INLINE Key key_of(const uint8_t *text, size_t length) {
    size_t part = length <= SHORT ? length : 0;
    Key key;
    memcpy((void *)&key, text, 16);
    key.a = (key.a & key_parts[part].mask.a) | key_parts[part].length.a;
    key.b = (key.b & key_parts[part].mask.b) | key_parts[part].length.b;
    return key;
}

/* The ids of a pretoken. More than IN_ENTRY are in the pool, from ids[0] on. */
struct Found { uint32_t ids[IN_ENTRY], number; };

struct ShortEntry {
    Key key;
    Found found;
    bool is_free() const noexcept { return !key.b; }  /* no length */
    uint64_t hash(const Secret &secret) const noexcept { return key.hash(secret); }
};

struct LongEntry {
    uint64_t hash_of_bytes;
    uint32_t start, length;  /* in the pool of bytes */
    Found found;
    bool is_free() const noexcept { return !length; }
    uint64_t hash(const Secret &) const noexcept { return hash_of_bytes; }
};

/* Things one after the other that are only ever added, and all forgotten together. */
template <class Item> struct Pool {
    Item *items; /* owned */
    size_t used, room;

    bool start(size_t first_room) noexcept {
        items = (Item *)malloc(first_room * sizeof(Item));
        room = first_room;
        used = 0;
        return items;
    }
    size_t num_bytes() const noexcept { return room * sizeof(Item); }
    bool has_room(size_t number) const noexcept { return room - used >= number; }
    bool grow() noexcept {
        if (room >= NOT_KEPT / 2) return false;  /* places are numbered with 32 bits */
        Item *larger = (Item *)realloc(items, 2 * num_bytes());
        if (!larger) return false;
        items = larger;
        room *= 2;
        return true;
    }
    uint32_t add(const Item *more, size_t number) noexcept {
        memcpy(items + used, more, number * sizeof(Item));
        used += number;
        return (uint32_t)(used - number);
    }
};

/* For one thread at a time. */
struct PretokenCache {
    enum { FIRST_SHORTS = 1 << 12, FIRST_LONGS = 1 << 8, FIRST_POOL = 1 << 14 };
    enum { FAR = 4 * MOST_PROBES };  /* the tables are up to two thirds full */
    enum { SMALLEST = FIRST_SHORTS * sizeof(ShortEntry) + FIRST_LONGS * sizeof(LongEntry)
                      + 2 * FIRST_POOL };

    OpenTable<ShortEntry> shorts;
    OpenTable<LongEntry> longs;
    Pool<uint8_t> bytes;  /* of long pretokens */
    Pool<uint32_t> ids;   /* of pretokens that have many */
    Lists lists;
    size_t limit;  /* the most bytes that there may be */
    bool full;     /* no room for a pretoken, or none near its place: `forget` after this batch */
    size_t times_full;

    /* An empty cache of at most `most` bytes, but never less than SMALLEST. */
    bool start(size_t most) noexcept {
        memset((void *)this, 0, sizeof *this);
        limit = most;
        return shorts.start(FIRST_SHORTS) && longs.start(FIRST_LONGS) && bytes.start(FIRST_POOL)
               && ids.start(FIRST_POOL / sizeof(uint32_t));
    }

    void end() noexcept {
        shorts.end();
        longs.end();
        free(bytes.items);
        free(ids.items);
        lists.end();
    }

    size_t num_bytes() const noexcept {
        return shorts.num_bytes() + longs.num_bytes() + bytes.num_bytes() + ids.num_bytes();
    }

    void forget() noexcept {
        memset((void *)shorts.entries, 0, shorts.num_bytes());
        memset((void *)longs.entries, 0, longs.num_bytes());
        shorts.used = longs.used = bytes.used = ids.used = 0;
        full = false;
        times_full++;
        shorts.secret = new_secret(2 * times_full);
        longs.secret = new_secret(2 * times_full + 1);
    }

    /* The ids of a pretoken of up to SHORT bytes, which is encoded first if it is new. */
    Found find_short(const Merges &merges, const uint8_t *text, size_t length, Key key,
                     uint32_t hash) noexcept {
        const ShortEntry *entry =
            shorts.find(hash, [=](const ShortEntry &one) { return one.key == key; });
        if (!entry->is_free()) return entry->found;
        if (!make_room(shorts, length)) return not_kept();
        Found found = learn(merges, text, length);
        if (found.number != NOT_KEPT) {
            ShortEntry *place = shorts.place_for(hash);
            *place = ShortEntry{key, found};
            shorts.used++;
            full |= shorts.is_far(place, hash, FAR);
        }
        return found;
    }

    /* The same for a longer one. */
    Found find_long(const Merges &merges, const uint8_t *text, size_t length) noexcept {
        if (length > LONG) return not_kept();
        uint64_t hash = secret_hash_of(text, length, longs.secret);
        const LongEntry *entry = longs.find(hash, [=](const LongEntry &one) {
            return one.hash_of_bytes == hash && one.length == length
                   && !memcmp(bytes.items + one.start, text, length);
        });
        if (!entry->is_free()) return entry->found;
        if (!make_room(longs, length)) return not_kept();
        Found found = learn(merges, text, length);
        if (found.number != NOT_KEPT) {
            uint32_t start = bytes.add(text, length);
            LongEntry *place = longs.place_for(hash);
            *place = LongEntry{hash, start, (uint32_t)length, found};
            longs.used++;
            full |= longs.is_far(place, hash, FAR);
        }
        return found;
    }

    /* Append the ids of a pretoken to the output, which has room for one per byte. */
    bool write(const Found &found, const Merges &merges, const uint8_t *text, size_t length,
               Output *output) noexcept {
        if (found.number <= IN_ENTRY) output->append(found.ids, found.number);
        else if (found.number != NOT_KEPT) output->append(ids.items + found.ids[0], found.number);
        else return write_not_kept(merges, text, length, output);
        return true;
    }

private:
    static Found not_kept() noexcept { return Found{{0, 0, 0}, NOT_KEPT}; }

    /* May something of the cache become twice as large? For a moment it is there twice. */
    template <class Growing> bool grow(Growing *growing) noexcept {
        return num_bytes() + 2 * growing->num_bytes() <= limit && twice(growing);
    }

    template <class Item> static bool twice(Pool<Item> *pool) noexcept { return pool->grow(); }

    template <class Entry> static bool twice(OpenTable<Entry> *table) noexcept {
        return table->move(2 * (table->mask + 1), [table](const Entry &entry) {
            return entry.hash(table->secret);
        });
    }

    /* Room for a pretoken in a table, for its bytes, and for as many ids. If there is none, the
     * cache is full. */
    template <class Entry> bool make_room(OpenTable<Entry> &table, size_t length) noexcept {
        if (full) return false;
        bool has_room = 3 * table.used < 2 * table.mask || grow(&table);
        while (has_room && !bytes.has_room(length)) has_room = grow(&bytes);
        while (has_room && !ids.has_room(length)) has_room = grow(&ids);
        full = !has_room;
        return has_room;
    }

    /* Encode a pretoken that is new, and note its ids; there is room for them. */
    Found learn(const Merges &merges, const uint8_t *text, size_t length) noexcept {
        uint32_t few[LONG];
        Found found = not_kept();
        ptrdiff_t number = merge_pretoken(merges, &lists, text, length, few);
        if (number < 0) return found;
        found.number = (uint32_t)number;
        if (number <= IN_ENTRY) memcpy(found.ids, few, (size_t)number * sizeof(uint32_t));
        else found.ids[0] = ids.add(few, (size_t)number);
        return found;
    }

    bool write_not_kept(const Merges &merges, const uint8_t *text, size_t length,
                        Output *output) noexcept {
        uint32_t few[LONG], *all = length <= LONG ? few : (uint32_t *)pages_new(length, 4);
        ptrdiff_t number = all ? merge_pretoken(merges, &lists, text, length, all) : -1;
        if (number >= 0) output->append(all, (size_t)number);
        if (all && all != few) table_free(all, length, 4);
        return number >= 0;
    }
};

#endif
