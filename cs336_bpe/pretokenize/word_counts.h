/* Tables that count pretokens, without a Python object for any of them.
 *
 * A pretoken of up to 15 bytes is its own key: two 64-bit integers that hold its bytes, and its
 * length in the last byte. So nothing is allocated for it, and comparing is two instructions. One of
 * up to 7 bytes fits into one integer in the same way, for a stage that has a table of these too.
 * Only a longer one needs a copy of its bytes elsewhere.
 */
#ifndef CS336_BPE_WORD_COUNTS_H
#define CS336_BPE_WORD_COUNTS_H

#include "open_table.h"
#include "word_key.h" /* SHORT */

#if defined(CS336_BPE_ONE_KEY_SIZE)  /* to measure what the second one gains */
enum { TINY = 0 };
#else
enum { TINY = 7 };
#endif

/* Sixteen bytes from here are a mask for n bytes, if one begins at 16 - n. */
alignas(64) static const uint8_t key_masks[32] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

struct ShortKey {
    uint64_t a, b;
    bool operator==(ShortKey other) const noexcept { return a == other.a && b == other.b; }
};

/* Reads 8 bytes of the text. */
BPE_INLINE uint64_t tiny_key(const uint8_t *text, size_t length) noexcept {
    uint64_t key, mask;
    uint8_t last = (uint8_t)length;
    memcpy(&key, text, 8);
    memcpy(&mask, key_masks + 16 - length, 8);
    key &= mask;
    memcpy((uint8_t *)&key + 7, &last, 1);
    return key;
}

/* Reads 16 bytes of the text. */
BPE_INLINE ShortKey counted_key(const uint8_t *text, size_t length) noexcept {
    ShortKey key, mask;
    uint8_t last = (uint8_t)length;
    memcpy(&key, text, 16);
    memcpy(&mask, key_masks + 16 - length, 16);
    key.a &= mask.a;
    key.b &= mask.b;
    memcpy((uint8_t *)&key + 15, &last, 1);
    return key;
}

BPE_INLINE uint64_t hash_of_key(uint64_t key, const Secret &secret) noexcept {
    return secret_hash(key, 0, secret);
}

BPE_INLINE uint64_t hash_of_key(ShortKey key, const Secret &secret) noexcept {
    return secret_hash(key.a, key.b, secret);
}

/* An entry is free if its count is 0. No key is 0, because its last byte is the length. */
struct TinyEntry {
    typedef uint64_t Key;
    uint64_t key, count;
    bool is_free() const noexcept { return !count; }
    size_t length() const noexcept { return ((const uint8_t *)&key)[7]; }
};

struct ShortEntry {
    typedef ShortKey Key;
    ShortKey key;
    uint64_t count;
    bool is_free() const noexcept { return !count; }
    size_t length() const noexcept { return ((const uint8_t *)&key)[15]; }
};

/* Counts of pretokens that are their own keys. */
template <class Entry> struct CountTable : OpenTable<Entry> {
    typedef typename Entry::Key Key;
    size_t text_bytes;  /* of all pretokens in the table, each once */
    bool crowded;       /* one is far from its place: `tidy` before the next hash is made */

    size_t text_size() const noexcept { return text_bytes; }
    const uint8_t *bytes(const Entry &entry) const noexcept { return (const uint8_t *)&entry.key; }

    bool start(size_t size) noexcept {
        text_bytes = 0;
        crowded = false;
        return OpenTable<Entry>::start(size);
    }

    void clear() noexcept {
        OpenTable<Entry>::clear();
        text_bytes = 0;
    }

    /* Stays what it is until `tidy`. */
    uint64_t hash_of(Key key) const noexcept { return hash_of_key(key, this->secret); }

    /* Seldom called, and kept out of the loops that count. */
    BPE_NEVER_INLINE bool add_key(Entry *entry, Key key, uint64_t n) noexcept {
        entry->key = key;
        entry->count = n;
        text_bytes += entry->length();
        if (2 * ++this->used > this->mask) return grow();
        crowded |= this->is_far(entry, hash_of(key));
        return true;
    }

    /* Count a pretoken `n` times more. False if there is no memory to grow. */
    BPE_ALWAYS_INLINE bool add(Key key, uint64_t hash, uint64_t n) noexcept {
        Entry *entry = this->find(hash, [key](const Entry &one) { return one.key == key; });
        if (BPE_UNLIKELY(!(entry->key == key))) return add_key(entry, key, n);
        entry->count += n;
        return true;
    }

    /* To be called after `add`, or after some of them, when no hash is kept that was made before. */
    BPE_ALWAYS_INLINE bool tidy() noexcept { return !BPE_UNLIKELY(crowded) || spread(); }

private:
    bool grow() noexcept {
        return this->move(2 * (this->mask + 1), [this](Entry &one) { return hash_of(one.key); });
    }

    BPE_NEVER_INLINE bool spread() noexcept {
        crowded = false;
        return this->move_away([](Entry &one, Secret &secret) { return hash_of_key(one.key, secret); });
    }
};

/* Bytes of many pretokens, one after the other. Zeros are an empty one. */
struct Bytes {
    uint8_t *bytes;  /* owned */
    size_t size, room;

    bool append(const uint8_t *more, size_t length) noexcept {
        if (room - size < length) {
            size_t larger_room = room + room / 2 + length + 4096;
            uint8_t *larger = (uint8_t *)realloc(bytes, larger_room);
            if (!larger) return false;
            bytes = larger;
            room = larger_room;
        }
        if (length) memcpy(bytes + size, more, length);
        size += length;
        return true;
    }

    void end() noexcept {
        free(bytes);
        bytes = NULL;
    }
};

struct LongEntry {
    uint64_t hash_of_bytes, count;
    size_t start, size;  /* in the bytes of all */
    bool is_free() const noexcept { return !count; }
    size_t length() const noexcept { return size; }
};

/* Counts of longer pretokens. */
struct LongTable : OpenTable<LongEntry> {
    Bytes text;

    size_t text_size() const noexcept { return text.size; }
    const uint8_t *bytes(const LongEntry &entry) const noexcept { return text.bytes + entry.start; }

    bool start(size_t size) noexcept {
        text = Bytes{NULL, 0, 0};
        return OpenTable<LongEntry>::start(size);
    }

    void end() noexcept {
        OpenTable<LongEntry>::end();
        text.end();
    }

    void clear() noexcept {
        OpenTable<LongEntry>::clear();
        text.size = 0;
    }

    /* Kept out of the loops that count: inlined there, it took the registers that they need. */
    BPE_NEVER_INLINE bool add(const uint8_t *pretoken, size_t length, uint64_t n) noexcept {
        uint64_t hash = secret_hash_of(pretoken, length, secret);
        LongEntry *entry = find(hash, [=](const LongEntry &one) {
            return one.hash_of_bytes == hash && one.size == length
                   && !memcmp(bytes(one), pretoken, length);
        });
        if (!entry->is_free()) {
            entry->count += n;
            return true;
        }
        size_t start = text.size;
        if (!text.append(pretoken, length)) return false;
        *entry = LongEntry{hash, n, start, length};
        if (2 * ++used > mask)
            return move(2 * (mask + 1), [](const LongEntry &one) { return one.hash_of_bytes; });
        return !is_far(entry, hash) || spread();
    }

private:
    bool spread() noexcept {
        return move_away([this](LongEntry &one, Secret &made) {
            return one.hash_of_bytes = secret_hash_of(bytes(one), one.size, made);
        });
    }
};

#endif
