/* What is done with tables of pretokens when all is counted: adding one to another, and writing one out as
 * columns. Both are done in parts, by several threads at the same time.
 *
 * A pretoken is in the place that its hash names, or soon after it, and in two tables with the same secret it
 * has the same hash. So whoever walks along one table walks along the other too, and never jumps.
 */
#ifndef CS336_BPE_ADD_WORDS_H
#define CS336_BPE_ADD_WORDS_H

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>
#include "word_table.h"

/* Adds the counts of one table to a larger one. A part is a range of places in the smaller table, and in the
 * larger one all places that are the same but for the bits which the smaller one does not have. Words that
 * would have to cross the end of a range are left for the last step, which is done alone. */
struct AddWords {
    WordTable *into;
    WordTable *from;

    /* What one thread did. */
    struct Part {
        size_t used, text_bytes;
        bool crowded;
        std::vector<size_t> left;  /* places in `from` */
    };

    /* Make room, so that nothing has to move. False if there is no memory. */
    bool start(WordTable *to, WordTable *other) noexcept {
        into = to;
        from = other;
        if (into->mask < from->mask) std::swap(*into, *from);
        while (4 * (into->used + from->used) > 3 * into->mask)
            if (!into->grow(2)) return false;
        return into->texts.take(&from->texts);
    }

    /* Part `number` of `parts`. False if there is no memory. */
    bool add(size_t number, size_t parts, Part *part) const noexcept {
        const size_t size = from->mask + 1, share = size / parts;
        const size_t begin = share * number, end = number + 1 < parts ? begin + share : size;
        try {
            if (has_same_secret()) {
                /* What belongs into the range may lie behind it, up to the next free place; behind the
                 * last place is the first. */
                for (size_t i = begin; i < end || (i < begin + size && !is_free(i)); i++)
                    add_place(i & from->mask, begin, end, part);
            } else {
                for (size_t i = 0; i < size; i++) add_place(i, begin, end, part);
            }
        } catch (...) {
            return false;
        }
        return true;
    }

    /* What is left of a part. False if there is no memory. */
    bool finish(const Part &part) noexcept {
        into->used += part.used;
        into->text_bytes += part.text_bytes;
        into->crowded |= part.crowded;
        for (size_t i : part.left) {
            const WordEntry &entry = from->entries[i];
            if (!into->add(key_of(entry), from->bytes(entry), entry.length(), entry.count)) return false;
        }
        return into->tidy();
    }

private:
    bool is_free(size_t i) const noexcept { return from->entries[i & from->mask].is_free(); }

    bool has_same_secret() const noexcept {
        return from->secret.a == into->secret.a && from->secret.b == into->secret.b;
    }

    /* The plain key of an entry of `from`, by the secret of `into`, which may change in the last step. */
    Key key_of(const WordEntry &entry) const noexcept {
        return entry.is_long() && !has_same_secret()
                   ? long_key(entry.text, entry.length(), into->secret)
                   : entry.key & not_pooled;
    }

    /* Add entry `i` of `from`, if it belongs between `begin` and `end`. */
    void add_place(size_t i, size_t begin, size_t end, Part *part) const {
        const WordEntry &entry = from->entries[i];
        if (entry.is_free()) return;
        const Key key = key_of(entry);
        const size_t place = WordTable::place_of(key, into->secret) & into->mask;
        const size_t here = place & from->mask;
        if (here < begin || here >= end) return;
        if (!add_entry(entry, entry.is_long() ? key | pooled_mark : key, place, place + (end - here), part))
            part->left.push_back(i);
    }

    /* False if it does not fit before `end`. */
    bool add_entry(const WordEntry &entry, const Key &key, size_t place, size_t end,
                   Part *part) const noexcept {
        const size_t length = entry.length(), first = place;
        for (; place < end; place++) {
            WordEntry *one = &into->entries[place];
            if (one->is_free()) {
                *one = WordEntry{key, entry.count, entry.text};
                part->used++;
                part->text_bytes += length;
                part->crowded |= place - first > MOST_PROBES;
                return true;
            }
            if (one->key == key && (!entry.is_long() || !memcmp(one->text, entry.text, length))) {
                one->count += entry.count;
                return true;
            }
        }
        return false;
    }
};

/* Writes a table out as columns. Threads take ranges of places, which are small enough for a processor's
 * cache: each range is looked at twice, first to see how much room it needs. */
struct WriteWords {
    enum { RANGE = 1 << 12 };
    const WordTable *table;
    uint8_t *text;  /* the columns: all pretokens, one after the other; of each its length and its count */
    uint64_t *lengths, *counts;
    std::atomic<size_t> next;
    std::mutex mutex;  /* of what follows */
    size_t num_written, num_bytes;

    void start(const WordTable *from, uint8_t *all_text, uint64_t *all_lengths,
               uint64_t *all_counts) noexcept {
        table = from;
        text = all_text;
        lengths = all_lengths;
        counts = all_counts;
        next = num_written = num_bytes = 0;
        advise_huge(text, from->text_bytes);
        advise_huge(lengths, 8 * from->used);
        advise_huge(counts, 8 * from->used);
    }

    size_t num_ranges() const noexcept { return table->mask / RANGE + 1; }

    /* To be called by each thread. */
    void write() noexcept {
        size_t begin;
        while ((begin = next.fetch_add(RANGE)) <= table->mask)
            write_range(table->entries + begin, table->mask + 1 - begin < RANGE ? table->mask + 1 - begin
                                                                                 : (size_t)RANGE);
    }

private:
    void write_range(const WordEntry *entries, size_t size) noexcept {
        uint16_t used[RANGE];
        size_t number = 0, bytes = 0;
        for (size_t i = 0; i < size; i++) {
            used[number] = (uint16_t)i;
            number += !entries[i].is_free();
        }
        for (size_t k = 0; k < number; k++) {
            const WordEntry &entry = entries[used[k]];
            bytes += entry.length();
            if (entry.is_long()) BPE_PREFETCH(entry.text);
        }
        size_t at;
        uint8_t *to;
        take_room(number, bytes, &at, &to);
        uint8_t *const end = to + bytes;
        for (size_t k = 0; k < number; k++, at++) {
            const WordEntry &entry = entries[used[k]];
            const size_t length = entry.length();
            counts[at] = entry.count;
            lengths[at] = length;
            /* A copy of constant length is one instruction; what is too much is written over. */
            if (!entry.is_long() && end - to >= 16) memcpy(to, entry.key.bytes(), 16);
            else memcpy(to, table->bytes(entry), length);
            to += length;
        }
    }

    /* Room in all columns at once. Were it two steps, another thread could come between them: then its words
     * would be before ours in one column, and after them in another. */
    void take_room(size_t number, size_t bytes, size_t *at, uint8_t **to) noexcept {
        std::scoped_lock alone(mutex);
        *at = num_written;
        *to = text + num_bytes;
        num_written += number;
        num_bytes += bytes;
    }
};

#endif
