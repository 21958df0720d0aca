/* Attempts that fail late, remembered, so that no text takes quadratic time.
 *
 * With `a+b|.` each `a` of a long row begins an attempt that runs to the end of the row, finds no `b`,
 * and goes back. But how an attempt goes on depends only on its state and its place. So when one has died,
 * every state that it had after its last mark is a *dead end* at that place: whoever comes there in the
 * same state can go back at once. (Reps, "Maximal-munch tokenization in linear time", 1998, keeps a
 * table of all states and places. Here it is a few of them.)
 *
 *   - Only attempts that begin before `reach` are watched: before the place where one died that went back
 *     more than FAR bytes. In ordinary text there is none, and nothing is kept.
 *   - Of a watched attempt only the first place in each 16 bytes is looked up. Attempts that have met stay
 *     together, so the next one is found out at most 16 bytes later.
 *   - The further a place is from the mark, the fewer are kept: 64 of each distance to twice that. When
 *     attempts begin near them, the first of these fills in what is between.
 *
 * So a text of n bytes takes n log n steps, times the number of states in which attempts wander side
 * by side, which is 1 in patterns that people write. A table that is full of places still to come, half a
 * million, forgets them all; then it is slower, but not wrong. The same goes if there is no memory.
 */
#ifndef CS336_BPE_DEAD_ENDS_H
#define CS336_BPE_DEAD_ENDS_H

#include "open_table.h"

struct DeadEnds {
    enum { FAR = 64, SPACING_BITS = 4, DENSE_BITS = 10 };
    enum { MOST_PENDING = 4096, SMALLEST = 256, LARGEST = 1 << 20 };

    size_t reach;  /* attempts that begin before this place are watched */
    size_t again;  /* bytes that were taken, and given back */

    DeadEnds() noexcept : reach(0), again(0), table(), pending(NULL), number(0), since(0) {}
    ~DeadEnds() { table.end(), free(pending); }
    /* A copy knows nothing: it may be for a text whose places have moved. */
    DeadEnds(const DeadEnds &) noexcept : DeadEnds() {}
    DeadEnds &operator=(const DeadEnds &) noexcept {
        begin();
        return *this;
    }

    /* For a new text. */
    void begin() noexcept {
        reach = again = number = since = 0;
        if (table.used) forget();
    }

    /* A match may end at `mark`, or an attempt begins there: what came before is no dead end. */
    void passed(size_t mark) noexcept {
        since = mark;
        number = 0;
    }

    /* A watched attempt has come to `at`, by `length` bytes: is it a dead end? */
    bool leads_nowhere(uint32_t state, size_t at, size_t length) noexcept {
        size_t place = at >> SPACING_BITS;
        if (place == (at - length) >> SPACING_BITS) return false;
        Entry entry = {(uint64_t)place << 16 | state};
        if (table.entries && !table.find(hash_of(entry), [=](const Entry &one) {
                return one.key == entry.key; })->is_free()) return true;
        int sparse = 0;
        while ((at - since) >> (DENSE_BITS + sparse + 1)) sparse++;
        if (!(place & (((size_t)1 << sparse) - 1)) && number < MOST_PENDING && has_memory())
            pending[number++] = entry;
        return false;
    }

    /* An attempt has died at `at`, and goes back to `mark`. */
    void died(size_t at, size_t mark) noexcept {
        again += at - mark;
        if (at - mark > FAR && at > reach) reach = at;
        for (size_t i = 0; i < number; i++) {
            if (2 * (table.used + 1) > table.mask && !make_room(mark)) break;
            Entry *place = table.find(hash_of(pending[i]), [&](const Entry &one) {
                return one.key == pending[i].key; });
            table.used += place->is_free();
            *place = pending[i];
        }
        passed(mark);
    }

private:
    struct Entry {
        uint64_t key; /* a place, and a state, which is not 0 */
        bool is_free() const { return !key; }
    };
    OpenTable<Entry> table;
    Entry *pending;  /* of the attempt that runs; dead ends if it dies without another mark */
    size_t number, since;

    uint64_t hash_of(const Entry &entry) const noexcept {
        return secret_hash(entry.key, 0, table.secret);
    }

    bool has_memory() noexcept {
        if (!pending) pending = (Entry *)malloc(MOST_PENDING * sizeof *pending);
        return pending && (table.entries || table.start(SMALLEST));
    }

    void forget() noexcept {
        memset((void *)table.entries, 0, table.num_bytes());
        table.used = 0;
    }

    /* Nobody comes to a place before the mark any more. */
    bool make_room(size_t mark) noexcept {
        OpenTable<Entry> other;
        size_t place = mark >> SPACING_BITS, number_kept = 0, size = table.mask + 1;
        for (size_t i = 0; i <= table.mask; i++) number_kept += table.entries[i].key >> 16 > place;
        if (4 * number_kept > size) size *= 2;
        if (size > LARGEST) {
            forget();
            return true;
        }
        if (!other.start(size)) return false;
        other.secret = table.secret;
        for (size_t i = 0; i <= table.mask; i++)
            if (table.entries[i].key >> 16 > place)
                *other.place_for(hash_of(table.entries[i])) = table.entries[i];
        other.used = number_kept;
        table.end();
        table = other;
        return true;
    }
};

#endif
