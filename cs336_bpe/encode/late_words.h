/* New words that get their ids later, when there are enough of them to be merged side by side.
 *
 * Where the ids of such a word belong, as many places are left open as it has bytes: it can't have
 * more ids. When Late::MOST words wait, or at the end of a text, all of them are merged (side_by_side.h),
 * their ids are written into the open places, and what comes after moves up to close the rest.
 *
 * A word that begins to wait takes its place in the cache at once, without ids. One that comes twice
 * before they are there waits twice, and is merged once, if the second one is not among the same eight.
 */
#ifndef CS336_BPE_LATE_WORDS_H
#define CS336_BPE_LATE_WORDS_H

#include "copy_ids.h"
#include "side_by_side.h"

template <class Any, class To> BPE_INLINE void write_ids(const Any *ids, size_t number, To *to) {
    for (size_t i = 0; i < number; i++) to[i] = (To)ids[i];
}
template <class To> BPE_INLINE void move_ids(const To *from, size_t number, To *to) {
    memmove((void *)to, (const void *)from, number * sizeof(To));
}

/* Counting needs no ids. */
template <class Any> BPE_INLINE void write_ids(const Any *, size_t, Nowhere *) {}
BPE_INLINE void move_ids(const Nowhere *, size_t, Nowhere *) {}

template <class Id, class To> struct LateWords {
    enum { FEW = 3 };  /* words: with so many lanes empty it is faster to merge one by one */
    typedef Late::Word Word;
    WordCache<Id> *cache;
    const NewWords *words;
    To *ids;  /* the first ones of the output */

    /* Leave places for a word that is new, at `to`. Returns where the next ids go. */
    To *add(const Key &key, size_t place, To *to) noexcept {
        Late &late = cache->late;
        Word &word = late.words[late.number++];
        word.key = key;
        word.place = place;
        word.at = (size_t)(to - ids);
        to += key.last();
        return late.number < Late::MOST ? to : write(to);
    }

    /* Write the ids of all words that wait. Returns where the ids end, which was `end` before. */
    BPE_NEVER_INLINE To *write(To *end) noexcept {
        Late &late = cache->late;
        Word *waiting[3][LANES];  /* of up to 8 bytes, up to 12, and more */
        size_t numbers[3] = {0, 0, 0};
        for (size_t i = 0; i < late.number; i++) cache->prefetch_place(late.words[i].place);
        for (size_t i = 0; i < late.number; i++) {
            Word *word = &late.words[i];
            if (is_known(word)) continue;
            const int kind = (word->key.last() > 8) + (word->key.last() > 12);
            waiting[kind][numbers[kind]++] = word;
            if (numbers[kind] < LANES) continue;
            merge(waiting[kind], LANES);
            numbers[kind] = 0;
        }
        for (int kind = 0; kind < 3; kind++) merge(waiting[kind], numbers[kind]);
        To *to = close(end);
        late.number = 0;
        return to;
    }

private:
    void has(Word *word, const Found<Id> &found) noexcept {
        word->number = (size_t)found.number;
        write_ids(found.ids, word->number, ids + word->at);
    }

    /* Has the word become known since it began to wait? Or can it be known without merges? */
    bool is_known(Word *word) noexcept {
        uint32_t id;
        Found<Id> found = cache->find_waiting(word->place);
        if (!found.number && words->is_token(word->key.bytes(), word->key.last(), &id))
            found = cache->find_short(*words, word->key);
        if (found.number) has(word, found);
        return found.number;
    }

    void merge(Word *const *some, size_t number) noexcept {
        Key keys[LANES];
        MadeTokens made[LANES];
        size_t longest = 0;
        for (size_t i = 0; i < LANES; i++) {
            keys[i] = i < number ? some[i]->key : Key::of(0, 0);
            longest = keys[i].last() > longest ? keys[i].last() : longest;
        }
        if (number > FEW) {
            merge_eight(*words->merges, keys, longest, made);
            for (size_t i = 0; i < number; i++) {
                some[i]->number = made[i].number;
                write_tokens(made[i], ids + some[i]->at);
                cache->keep_scratch(some[i]->place, keys[i], made[i].number);
            }
        } else {
            for (size_t i = 0; i < number; i++) has(some[i], cache->find_short(*words, keys[i]));
        }
    }

    void write_tokens(const MadeTokens &made, To *to) noexcept {
        for (size_t i = 0; i < made.number; i++) {
            uint32_t id = words->merges->ids[made.tokens[i]];
            cache->scratch[i] = (Id)id;
            write_ids(&id, 1, to + i);
        }
    }

    /* Close the places that are still open. */
    To *close(To *end) noexcept {
        const Late &late = cache->late;
        To *to = ids + late.words[0].at + late.words[0].number;
        for (size_t i = 0; i < late.number; i++) {
            const To *from = ids + late.words[i].at + late.words[i].key.last();
            const To *until = i + 1 < late.number
                                  ? ids + late.words[i + 1].at + late.words[i + 1].number : end;
            move_ids(from, (size_t)(until - from), to);
            to += until - from;
        }
        return to;
    }
};

#endif
