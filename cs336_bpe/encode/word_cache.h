/* A cache of pretokens and their ids, in entries of 32 bytes: half for the key, half for the ids.
 *
 *   up to 15 bytes    the pretoken is its own key (word_key.h)
 *   up to 255 bytes   the key is a hash, and the bytes are in a pool, to be compared
 *   longer            are not kept
 *
 * Ids have 16 bits if all of the vocabulary fit: then seven of them and their number are one half of
 * an entry. Of larger ids there are three. Where there are more, they are in a pool, and the entry is
 * marked in its key, so that looking for the plain key fails: the fast path has one branch for
 * everything that isn't ordinary.
 *
 * The table grows between batches only. Within one, nothing moves.
 *
 * At most MOST_PROBES places are looked at. A pretoken that finds neither itself nor a free place
 * among them is encoded each time it comes, and after the batch all entries move to other places, by a
 * new secret (hash.h). So words that were made to collide do so once.
 *
 * The cache has a limit. When that is reached, everything is forgotten and learned anew: frequent
 * words are back after a few lines, and what does not come back was not worth its place.
 */
#ifndef CS336_BPE_WORD_CACHE_H
#define CS336_BPE_WORD_CACHE_H

#include "new_words.h"
#include "word_key.h"

static const size_t DEFAULT_CACHE_BYTES = (size_t)128 << 20;
enum { LONG = 255 };  /* bytes of a pretoken that is kept, at most */
enum { SLACK = 8 };  /* ids after the last one of a pretoken that may be read, and written over */

template <class Id> struct Entry {
    enum { ROOM = 16 / sizeof(Id) - 1 };
    struct Inside { Id ids[ROOM], number; };
    struct Pooled { uint32_t ids, number, text, length; };  /* where they are in the pools */
    Key key;
    union { Inside inside; Pooled pooled; };
    bool is_free() const noexcept { return !key.last(); }
    /* A word that waits for its ids (late_words.h) is marked like one whose ids are in the pool, and
     * none are: so a look-up by the plain key fails. */
    bool has_ids() const noexcept { return key.last() & POOLED ? pooled.number : key.last(); }
};

/* Things one after the other that are only ever added, and all forgotten together. */
template <class Item> struct Pool {
    Item *items;        /* owned */
    size_t used, room;  /* SLACK more can be read */

    bool start(size_t first_room) noexcept {
        room = first_room;
        used = 0;
        items = (Item *)pages_new(room + SLACK, sizeof(Item));
        return items;
    }
    void end() noexcept { table_free(items, room + SLACK, sizeof(Item)); }
    size_t num_bytes() const noexcept { return room * sizeof(Item); }
    bool has_room(size_t number) const noexcept { return room - used >= number; }
    bool grow() noexcept {
        if (room >= UINT32_MAX / 4) return false;  /* places are numbered with 32 bits */
        Item *larger = (Item *)pages_new(2 * room + SLACK, sizeof(Item));
        if (!larger) return false;
        memcpy(larger, items, used * sizeof(Item));
        end();
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

/* The ids of a pretoken, until the next one is looked up. A negative number: there is no memory. */
template <class Id> struct Found { const Id *ids; ptrdiff_t number; };

static const size_t NO_PLACE = SIZE_MAX;

/* New words that wait for their ids (late_words.h). */
struct Late {
    enum { MOST = 128 };
    struct Word {
        Key key;
        size_t at, number;  /* which ids of the output are its own */
        size_t place;       /* of its entry, or NO_PLACE; valid until entries move */
    };
    Word words[MOST];
    size_t number;
};

/* For one thread at a time. */
template <class Id> struct WordCache {
    typedef Entry<Id> E;
    enum { FIRST_ENTRIES = 1 << 12, FIRST_POOL = 1 << 13, MOST_PROBES = 128, MOST_MOVES = 4 };
    enum { SMALL_TABLE = 1 << 18 };
    enum { SOME_PARTS = 16 };  /* of 64 bytes that are not few: whose places are asked for together */
    enum { MOST_IN_BATCH = FIRST_ENTRIES / 4 };  /* pretokens between calls of `tidy` */

    E *entries;  /* mask + 1 of them; owned */
    size_t mask, used;
    Secret secret;
    Pool<uint8_t> bytes;  /* of long pretokens */
    Pool<Id> ids;         /* of pretokens that have many */
    Lists lists;
    Late late;
    size_t limit;  /* the most bytes that there may be */
    bool full;     /* there was no room for a pretoken */
    bool crowded;  /* there was no free place for one within reach */
    int moves;     /* to other places, by a new secret */
    size_t times_full;
    Id scratch[LONG + 1 + SLACK];

    /* An empty cache of at most `most` bytes, but never less than its first tables. */
    bool start(size_t most) noexcept {
        memset((void *)this, 0, sizeof *this);
        limit = most;
        mask = FIRST_ENTRIES - 1;
        secret = process_secret;
        entries = (E *)aligned_table_new(FIRST_ENTRIES, sizeof(E));
        return entries && bytes.start(FIRST_POOL) && ids.start(FIRST_POOL);
    }

    void end() noexcept {
        if (entries) table_free(entries, mask + 1, sizeof(E));
        bytes.end();
        ids.end();
        lists.end();
    }

    size_t num_bytes() const noexcept {
        return (mask + 1) * sizeof(E) + bytes.num_bytes() + ids.num_bytes();
    }

    /* Which place of the table a hash stands for, in bytes from its beginning. */
    size_t offset_mask() const noexcept { return mask * sizeof(E); }

    /* To be called after each batch: everything that moves entries happens here. */
    void tidy() noexcept {
        if (BPE_UNLIKELY(crowded)) {
            crowded = false;
            if (moves++ < MOST_MOVES) move(mask + 1, new_secret(times_full << 8 | (size_t)moves));
        }
        if (BPE_UNLIKELY(2 * used > mask)) {
            /* A small table will soon be too small again. */
            size_t larger = (mask < SMALL_TABLE && may_have(4 * (mask + 1)) ? 4 : 2) * (mask + 1);
            if (may_have(larger) && move(larger, secret)) moves = 0;
            else full |= 3 * used > 2 * mask;
        }
        if (BPE_UNLIKELY(full)) forget();
    }

    /* Will `tidy` move entries? */
    bool is_untidy() const noexcept { return crowded || full || 2 * used > mask; }

    /* The ids of a pretoken of up to SHORT bytes, which is encoded first if it is new: from its key,
     * because the text may be in memory that somebody else changes. */
    Found<Id> find_short(const NewWords &words, const Key &key) noexcept {
        E *entry = find(key);
        if (entry && entry->has_ids()) return found(*entry);
        uint32_t made[SHORT + 1];
        size_t number = 1;
        if (!words.is_token(key.bytes(), key.last(), made))
            number = words.merge_short(key.bytes(), key.last(), made);
        return keep_short(entry, key, made, number);
    }

    /* The same, but if a new one can't be encoded without a search, there are no ids, and only `place`
     * is kept for it. It is tried only where there are bytes above ASCII: of the words that a vocabulary
     * was made for, few are easy. `first` is the first place that it could be in. */
    Found<Id> find_easy(const NewWords &words, const Key &key, const E *first,
                        size_t *place) noexcept {
        E *entry = find_from((size_t)(first - entries), key, [](const E &) { return true; });
        if (entry && entry->has_ids()) return found(*entry);
        if ((!entry || entry->is_free()) && (key.first() | key.second()) & 0x8080808080808080) {
            uint32_t made[SHORT + 1];
            const size_t number = words.is_token(key.bytes(), key.last(), made)
                                      ? 1 : words.merge_easy(key.bytes(), key.last(), made);
            if (number) return keep_short(entry, key, made, number);
        }
        *place = wait(entry, key);
        return {scratch, 0};
    }

    /* The ids of a word that waited; none if it still does. */
    Found<Id> find_waiting(size_t place) noexcept {
        return place != NO_PLACE && entries[place].has_ids() ? found(entries[place])
                                                             : Found<Id>{scratch, 0};
    }

    /* Keep the ids in `scratch` for a word that waited, unless it has some by now. */
    void keep_scratch(size_t place, const Key &key, size_t number) noexcept {
        if (place != NO_PLACE && !entries[place].has_ids() && make_room(0, number))
            keep(&entries[place], key, number);
    }

    void prefetch_place(size_t place) const noexcept {
        if (place != NO_PLACE) BPE_PREFETCH(&entries[place]);
    }

    /* The same for a longer one, up to LONG bytes: from a copy, for the same reason. */
    Found<Id> find_long(const NewWords &words, const uint8_t *text, size_t length,
                        const Key &key) noexcept {
        E *entry = find(key, [=](const E &one) {
            return one.pooled.length == length && !memcmp(bytes.items + one.pooled.text, text, length);
        });
        if (entry && !entry->is_free()) return found(*entry);
        uint8_t copy[LONG + 1];
        uint32_t made[LONG + 1];
        memcpy(copy, text, length);
        ptrdiff_t number = learn(words, copy, length, made);
        if (number < 0) return {scratch, number};
        for (size_t i = 0; i < (size_t)number; i++) scratch[i] = (Id)made[i];
        entry = free_place(key);  /* another one than above, if its parts were new too */
        if (!entry) crowded = true;
        else if (long_key(copy, length, secret) == key && make_room(length, (size_t)number)) {
            entry->pooled.text = bytes.add(copy, length);
            entry->pooled.length = (uint32_t)length;
            keep(entry, key, (size_t)number);
        }
        return {scratch, number};
    }

    /* Encode a pretoken of more than SHORT bytes. Returns the number of ids, or -1 for no memory. At
     * most one more is written than there are bytes. */
    ptrdiff_t learn(const NewWords &words, const uint8_t *text, size_t length,
                    uint32_t *made) noexcept {
        if (words.is_token(text, length, made)) return 1;
        size_t number = 0;
        for (size_t at = 0; at < length;) {
            const size_t left = length - at, places = left < 64 ? left - 1 : 63;
            const uint64_t cross = words.crossings(text + at, places);
            Key keys[SOME_PARTS];
            if (!words.whole) ask_for_parts(text + at, cross, keys);
            const Key *key = keys;
            size_t done = 0;
            while (done <= places) {
                size_t part = NewWords::part_at(cross >> done);
                const bool is_open = done + part > places && places + 1 < left;
                if (is_open && done) break;  /* its end may be further on */
                if (is_open) part = words.next_cut(text + at, 0, left);
                /* An open part is long, and has no key; also if somebody changes the text meanwhile, and it
                 * is not long any more. */
                ptrdiff_t more = is_open ? words.merge(&lists, text + at, part, made + number)
                                         : learn_part(words, text + at + done, part, &key, made + number);
                if (more < 0) return more;
                number += (size_t)more;
                done += part;
            }
            at += done;
        }
        return (ptrdiff_t)number;
    }

private:
    /* Make the keys of parts that will be looked up, and ask for their places. */
    void ask_for_parts(const uint8_t *text, uint64_t cross, Key *keys) const noexcept {
        uint64_t firsts = cross & cross >> 1 & cross >> 2 & ~(cross << 1);
        for (; firsts; firsts &= firsts - 1) {
            const size_t first = (size_t)BPE_CTZ(firsts);
            const size_t part = NewWords::part_at(cross >> first);
            if (part > SHORT) continue;
            *keys = short_key_of(text + first, part);
            prefetch(*keys++);
        }
    }

    /* Encode what can be merged without the rest; `key` is that of the next part to be looked up. */
    ptrdiff_t learn_part(const NewWords &words, const uint8_t *text, size_t length, const Key **key,
                         uint32_t *made) noexcept {
        if (length <= NewWords::FEW) return (ptrdiff_t)words.merge_few(text, length, made);
        if (length > SHORT || words.whole)  /* (a part is no pretoken) */
            return words.merge(&lists, text, length, made);
        Found<Id> part = find_short(words, *(*key)++);
        for (size_t i = 0; i < (size_t)part.number; i++) made[i] = part.ids[i];
        return part.number;
    }

    /* Take a free place for a word that waits, or the one that it has already. */
    size_t wait(E *entry, const Key &key) noexcept {
        if (!entry) crowded = true;
        if (!entry || (entry->is_free() && !make_room(0, 0))) return NO_PLACE;
        if (entry->is_free()) {
            memset((void *)&entry->pooled, 0, sizeof entry->pooled);
            entry->key = key | pooled_mark;
            used++;
        }
        return (size_t)(entry - entries);
    }

    Found<Id> keep_short(E *entry, const Key &key, const uint32_t *made, size_t number) noexcept {
        for (size_t i = 0; i < number; i++) scratch[i] = (Id)made[i];
        if (!entry) crowded = true;
        else if (make_room(0, number)) keep(entry, key, number);
        return {scratch, (ptrdiff_t)number};
    }

    E *find(const Key &key) const noexcept {
        return find(key, [](const E &) { return true; });
    }

    /* The entry of a pretoken, or the free place where it belongs; NULL if neither is near. */
    template <class IsSame> E *find(const Key &key, IsSame is_same) const noexcept {
        return find_from(key.hash(secret) / sizeof(E), key, is_same);
    }
    template <class IsSame>
    E *find_from(size_t at, const Key &key, IsSame is_same) const noexcept {
        for (size_t probe = 0; probe < MOST_PROBES; probe++) {
            /* Two entries are one line of the processor's cache: the other one is the next to look at. */
            E *entry = &entries[((at + (probe & ~(size_t)1)) ^ (probe & 1)) & mask];
            BPE_PROBE();
            if ((entry->key & not_pooled) == key && is_same(*entry)) return entry;
            if (entry->is_free()) return entry;
        }
        return NULL;
    }

    E *free_place(const Key &key) const noexcept {
        return find(key, [](const E &) { return false; });
    }

    /* Those inside an entry are copied first: SLACK more will be read, and after the table's last
     * entry there may be nothing. */
    Found<Id> found(const E &entry) noexcept {
        if (!(entry.key.last() & POOLED)) {
            memcpy((void *)scratch, (const void *)&entry.inside, sizeof entry.inside);
            return {scratch, (ptrdiff_t)entry.inside.number};
        }
        return {ids.items + entry.pooled.ids, (ptrdiff_t)entry.pooled.number};
    }

    /* Room for the bytes and ids of a pretoken, and for itself. If there is none, the cache is full. */
    bool make_room(size_t length, size_t number) noexcept {
        bool has_room = !full && 8 * used < 7 * mask;
        while (has_room && !bytes.has_room(length)) has_room = grow(&bytes);
        while (has_room && !ids.has_room(number)) has_room = grow(&ids);
        full = !has_room;
        return has_room;
    }

    /* May there be a table of this size, beside the one that there is? */
    bool may_have(size_t size) const noexcept {
        return num_bytes() + size * sizeof(E) <= limit && size * sizeof(E) <= UINT32_MAX;
    }

    /* For a moment it is there twice. */
    template <class Item> bool grow(Pool<Item> *pool) noexcept {
        return num_bytes() + 2 * pool->num_bytes() <= limit && pool->grow();
    }

    /* Keep the ids in `scratch`, for which there is room. */
    void keep(E *entry, const Key &key, size_t number) noexcept {
        used += entry->is_free();
        if (number <= E::ROOM && !(key.last() & HASHED)) {
            memcpy(entry->inside.ids, scratch, sizeof entry->inside.ids);
            entry->inside.number = (Id)number;
            entry->key = key;
        } else {
            entry->pooled.ids = ids.add(scratch, number);
            entry->pooled.number = (uint32_t)number;
            entry->key = key | pooled_mark;
        }
    }

    /* To a table of another size, or by another secret; false if there is no memory. What finds no
     * place there is forgotten. */
    bool move(size_t size, Secret by) noexcept {
        WordCache moved = *this;
        moved.entries = (E *)aligned_table_new(size, sizeof(E));
        if (!moved.entries) return false;
        moved.mask = size - 1;
        moved.secret = by;
        moved.used = 0;
        for (size_t i = 0; i <= mask; i += 2) {
            for (size_t soon = i + 16; soon < i + 18; soon++)
                moved.prefetch(entries[soon & mask].key & not_pooled);
            /* One that is in its first place goes first. It is older than one that had to go elsewhere,
             * and words that come early come often. */
            size_t second = is_first(i + 1) ? i : i + 1;
            if (!entries[second ^ 1].is_free()) moved.take(entries[second ^ 1], secret);
            if (!entries[second].is_free()) moved.take(entries[second], secret);
        }
        table_free(entries, mask + 1, sizeof(E));
        entries = moved.entries;
        mask = moved.mask;
        used = moved.used;
        secret = by;
        return true;
    }

    void prefetch(const Key &key) const noexcept {
        BPE_PREFETCH((const uint8_t *)entries + (key.hash(secret) & offset_mask()));
    }

    /* Is an entry in the first place that it could be in? */
    bool is_first(size_t place) const noexcept {
        return ((entries[place].key & not_pooled).hash(secret) / sizeof(E) & mask) == place;
    }

    /* Take an entry of another table, whose secret was `before`, if there is a place for it. */
    void take(E entry, const Secret &before) noexcept {
        Key key = entry.key & not_pooled;
        if (key.last() & HASHED && (before.a != secret.a || before.b != secret.b)) {
            key = long_key(bytes.items + entry.pooled.text, entry.pooled.length, secret);
            entry.key = key | pooled_mark;
        }
        E *place = free_place(key);
        if (!place) return;
        *place = entry;
        used++;
    }

    void forget() noexcept {
        memset((void *)entries, 0, (mask + 1) * sizeof(E));
        used = bytes.used = ids.used = 0;
        full = false;
        moves = 0;
        times_full++;
    }
};

#endif
