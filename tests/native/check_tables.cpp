/* Entries made by somebody who knows the secret of the hashes: do the tables still find everything,
 * and near its place? Prints what is wrong, and returns how many things are.
 *
 * The hash of two numbers is a product, so it is 0 for all of which one is that half of the secret.
 */
#include <algorithm>
#include <chrono>
#include <stdio.h>
#include <string>
#include <thread>
#include <vector>
#if defined(COUNTS)
#include "add_up.h"
#elif defined(WORDS)
#include "add_words.h"
#include "rolling_counts.h"
#elif defined(RANKS)
#include "pair_ranks.h"
#else
#include "pretoken_cache.h"
#endif

static int wrong;

static void check(bool holds, const char *what) {
    if (holds) return;
    printf("wrong: %s\n", what);
    wrong++;
}

static bool is_new(const Secret &secret) {
    return secret.a != process_secret.a || secret.b != process_secret.b;
}

/* The most places that a search for an entry looks at, and the mean. */
template <class Table, class HashOf>
static void check_places(const Table &table, HashOf hash_of, const char *what) {
    size_t most = 0, all = 0, number = 0;
    for (size_t i = 0; i <= table.mask; i++) {
        if (table.entries[i].is_free()) continue;
        size_t far = (i - hash_of(table.entries[i])) & table.mask;
        most = far > most ? far : most;
        all += far;
        number++;
    }
    check(most <= MOST_PROBES, what);
    check(number && all <= 8 * number, what);  /* mostly below 1; a secret in some hundred is unlucky */
}

#if defined(COUNTS)

enum { NUMBER = 20000 };

static std::string made(uint64_t first, uint64_t second, size_t length) {
    std::string word((const char *)&first, 8);
    word.append((const char *)&second, 8);
    return word.substr(0, length);
}

/* Keys whose hashes end in the same 13 bits: what a tiny key can do, which has only one number. */
static std::vector<uint64_t> tiny_keys(const Secret &secret, size_t number) {
    std::vector<uint64_t> keys;
    for (uint64_t i = 0; keys.size() < number; i++) {
        uint64_t key = (i & 0xFFFFFFFFFFFF) | (uint64_t)6 << 56;
        if (!(hash_of_key(key, secret) & 0x1FFF)) keys.push_back(key);
    }
    return keys;
}

/* The same words in tables whose entries lie close together: some of them twice, some by `add_all`. */
static void check_dense(const std::vector<uint64_t> &keys, const CountTable<ShortEntry> &shorts,
                        const LongTable &longs) {
    DenseCounts<TinyEntry> tinies;
    DenseCounts<ShortEntry> dense_shorts;
    DenseLongs dense_longs;
    check(tinies.start(1 << 13) && dense_shorts.start(1 << 12) && dense_longs.start(1 << 8),
          "there is memory");
    for (int round = 0; round < 2; round++) {
        for (uint64_t key : keys) tinies.add(key, 1);
        for (uint64_t i = 0; i < 3000; i++) {
            std::string word = made(process_secret.a, i, 15) + '\0';
            dense_shorts.add(counted_key((const uint8_t *)word.data(), 15), 1);
            word = made(process_secret.b, i, 16) + made(process_secret.b, i, 16);
            dense_longs.add((const uint8_t *)word.data(), 32, 1);
        }
    }
    check(is_new(tinies.index.secret), "dense tiny words: the index has moved");
    check(is_new(dense_shorts.index.secret), "dense short words: the index has moved");
    check(is_new(dense_longs.index.secret), "dense long words: the index has moved");
    check(tinies.index.mask == (1 << 13) - 1, "dense tiny words: they don't make the index grow");
    check(add_all(dense_shorts, shorts) && add_all(dense_longs, longs), "there is memory to add up");
    check(tinies.size() == keys.size() && dense_shorts.size() == NUMBER
          && dense_longs.size() == NUMBER, "dense words: each is there once");
    check(dense_shorts.text_size() == 15 * NUMBER && dense_longs.text_size() == 32 * NUMBER,
          "dense words: their bytes");
    size_t total = 0;
    dense_shorts.for_each([&](const ShortEntry &one) { total += one.count; });
    dense_longs.for_each([&](const LongEntry &one) { total += one.count; });
    size_t expected = 4 * 3000;
    shorts.for_each([&](const ShortEntry &one) { expected += one.count; });
    longs.for_each([&](const LongEntry &one) { expected += one.count; });
    check(total == expected, "dense words: their counts");
    check_places(tinies.index, [&](Place one) {
        return tinies.hash_of(tinies.entry_of(one).key); }, "dense tiny words: places");
    check_places(dense_shorts.index, [&](Place one) {
        return dense_shorts.hash_of(dense_shorts.entry_of(one).key); }, "dense short words: places");
    check_places(dense_longs.index, [&](Place one) {
        return dense_longs.entry_of(one).hash_of_bytes; }, "dense long words: places");
    tinies.end(), dense_shorts.end(), dense_longs.end();
}

/* Words that come by themselves: a small index has no place that is far, so nothing but growing in time
 * keeps it from being full, and a search in a full one from having no end. */
static void check_growing() {
    DenseCounts<TinyEntry> tinies;
    check(tinies.start(16), "there is memory");
    bool is_half_empty = true;
    for (uint64_t i = 0; i < 1000 && is_half_empty; i++) {
        check(tinies.add(i | (uint64_t)6 << 56, 1), "there is memory to add one");
        is_half_empty = 2 * tinies.index.used <= tinies.index.mask + 1;
    }
    check(is_half_empty, "dense words: half of the index is free");
    tinies.end();
}

int main() {
    CountTable<TinyEntry> tinies, other_tinies;
    CountTable<ShortEntry> shorts, other_shorts;
    LongTable longs, other_longs;
    check(tinies.start(1 << 13) && other_tinies.start(1 << 13) && shorts.start(1 << 12)
          && other_shorts.start(1 << 12) && longs.start(1 << 8) && other_longs.start(1 << 8),
          "there is memory");

    std::vector<uint64_t> keys = tiny_keys(process_secret, 1000);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < keys.size(); i += 100) {  /* in batches, as the last stages do */
            std::vector<uint64_t> hashes;
            for (size_t j = i; j < i + 100; j++) hashes.push_back(tinies.hash_of(keys[j]));
            for (size_t j = i; j < i + 100; j++) tinies.add(keys[j], hashes[j - i], 1);
            tinies.tidy();
        }
    }
    check(tinies.used == keys.size(), "tiny words: each is there once");
    check(tinies.mask == (1 << 13) - 1, "tiny words: they don't make the table grow");
    check(is_new(tinies.secret), "tiny words: the table has moved");
    for (uint64_t key : keys)
        check(tinies.find(tinies.hash_of(key), [=](const TinyEntry &one) {
            return one.key == key; })->count == 2, "tiny words: counted twice");
    check_places(tinies, [&](const TinyEntry &one) { return tinies.hash_of(one.key); }, "tiny words: places");

    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < NUMBER; i++) {
            std::string word = made(process_secret.a, i, 15) + '\0';
            ShortKey key = counted_key((const uint8_t *)word.data(), 15);
            shorts.add(key, shorts.hash_of(key), 1);
            shorts.tidy();
        }
    check(shorts.used == NUMBER && shorts.text_bytes == 15 * NUMBER, "short words: each is there once");
    check(is_new(shorts.secret), "short words: the table has moved");
    check_places(shorts, [&](const ShortEntry &one) { return shorts.hash_of(one.key); }, "short words: places");

    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < NUMBER; i++) {
            std::string word = made(process_secret.b, i, 16) + made(process_secret.b, i, 16);
            longs.add((const uint8_t *)word.data(), 32, 1);
        }
    check(longs.used == NUMBER && longs.text_size() == 32 * NUMBER, "long words: each is there once");
    check(is_new(longs.secret), "long words: the table has moved");
    for (size_t i = 0; i <= longs.mask; i++)
        check(longs.entries[i].is_free() || longs.entries[i].count == 2, "long words: counted twice");
    check_places(longs, [](const LongEntry &one) { return one.hash_of_bytes; }, "long words: places");

    /* Two tables are added up, of which one has moved. */
    ShortKey known = counted_key((const uint8_t *)(made(process_secret.a, 7, 15) + '\0').data(), 15);
    std::string word = made(process_secret.b, 7, 16) + made(process_secret.b, 7, 16);
    other_tinies.add(keys[7], other_tinies.hash_of(keys[7]), 5);
    other_shorts.add(known, other_shorts.hash_of(known), 5);
    other_longs.add((const uint8_t *)word.data(), 32, 5);
    check(add_all(tinies, other_tinies) && add_all(shorts, other_shorts) && add_all(longs, other_longs)
          && add_all(other_tinies, tinies) && add_all(other_shorts, shorts)
          && add_all(other_longs, longs), "there is memory to add up");
    check(tinies.used == keys.size() && other_tinies.used == keys.size() && shorts.used == NUMBER
          && other_shorts.used == NUMBER && longs.used == NUMBER && other_longs.used == NUMBER,
          "added up, each is there once");
    check(other_tinies.find(other_tinies.hash_of(keys[7]), [&](const TinyEntry &one) {
        return one.key == keys[7]; })->count == 12, "tiny words: added up");
    check(other_shorts.find(other_shorts.hash_of(known), [&](const ShortEntry &one) {
        return one.key == known; })->count == 12, "short words: added up");
    bool is_added_up = false;
    other_longs.for_each([&](const LongEntry &one) {
        is_added_up |= one.count == 12 && !memcmp(other_longs.bytes(one), word.data(), 32); });
    check(is_added_up, "long words: added up");
    check_places(other_shorts, [&](const ShortEntry &one) { return other_shorts.hash_of(one.key); },
                 "short words: places after adding up");

    check_dense(keys, shorts, longs);
    check_growing();

    tinies.end(), shorts.end(), longs.end();
    other_tinies.end(), other_shorts.end(), other_longs.end();
    return wrong;
}

#elif defined(WORDS)

enum { NUMBER = 26000, IN_BATCH = 1000 };

static bool crafted = true;

/* Words of `length` bytes. If they are crafted, all have the same hash; short and long ones are made from the
 * two halves of the secret. */
static std::string text_of(size_t first, size_t number, size_t length) {
    std::string text;
    for (uint64_t i = first; i < first + number; i++) {
        uint64_t half = length > SHORT ? process_secret.b : process_secret.a;
        if (!crafted) half = i * 0x9E3779B97F4A7C15;
        std::string word((const char *)&half, 8);
        word.append((const char *)&i, 8);
        text += (word + word).substr(0, length);
    }
    return text;
}

static void count(WordTable *table, size_t first, size_t end, size_t length) {
    RollingCounter counter;
    counter.table = table;
    for (; first < end; first += IN_BATCH) {
        std::string text = text_of(first, IN_BATCH, length) + std::string(64, 0);
        size_t starts[IN_BATCH + 1];
        for (size_t i = 0; i <= IN_BATCH; i++) starts[i] = i * length;
        check(counter.count_batch((const uint8_t *)text.data(), starts, IN_BATCH), "there is memory");
    }
}

static void check_table(const WordTable &table, uint64_t times, const char *what) {
    size_t bytes = 0;
    check(table.used == 2 * NUMBER && table.text_size() == NUMBER * (15 + 32), what);
    table.for_each([&](const WordEntry &one) {
        bytes += one.length();
        check(one.count == times, what);
        std::string word((const char *)table.bytes(one), one.length());
        uint64_t number = 0;
        memcpy(&number, word.data() + 8, one.length() == 15 ? 7 : 8);
        check(number < NUMBER && word == text_of(number, 1, one.length()), what);
    });
    check(bytes == table.text_size(), what);
    check_places(table, [&](const WordEntry &one) {
        return WordTable::place_of(one.key, table.secret); }, what);
}

/* Long words alone: in a table that has not moved yet, so that all of them have the same key. */
static void check_long_words() {
    WordTable longs;
    check(longs.start(1 << 12), "there is memory");
    for (int round = 0; round < 2; round++) count(&longs, 0, NUMBER, 32);
    check(is_new(longs.secret) && longs.used == NUMBER, "long words: each is there once");
    longs.for_each([](const WordEntry &one) { check(one.count == 2, "long words: counted twice"); });
    longs.end();
}

/* Columns hold what the table does, each word once, and nothing is written behind them. */
static void check_columns(const WordTable &table, uint64_t times) {
    std::string text(table.text_size() + 64, '#');
    std::vector<uint64_t> lengths(table.used + 1, 77), counts(table.used + 1, 77);
    std::vector<std::string> words, expected;
    WriteWords columns;
    columns.start(&table, (uint8_t *)&text[0], lengths.data(), counts.data());
    columns.write();
    columns.write();  /* as a thread that comes too late */
    size_t at = 0;
    for (size_t i = 0; i < table.used; at += lengths[i++]) {
        words.push_back(text.substr(at, lengths[i]));
        check(counts[i] == times, "columns: counts");
    }
    table.for_each([&](const WordEntry &one) {
        expected.push_back(std::string((const char *)table.bytes(one), one.length())); });
    std::sort(words.begin(), words.end());
    std::sort(expected.begin(), expected.end());
    check(words == expected, "columns: each word is there");
    check(at == table.text_size() && text.substr(at) == std::string(64, '#') && lengths.back() == 77
          && counts.back() == 77, "columns: nothing behind them");
}

/* Threads take room for a word of one byte at the same time: in all columns it must be in the same place. */
static void check_room() {
    enum { THREADS = 4 };
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    WriteWords columns;
    WordTable table;
    uint8_t text[1];
    check(table.start(1 << 12), "there is memory");
    columns.start(&table, text, NULL, NULL);
    std::atomic<size_t> elsewhere(0), rounds(0);
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back([&] {
            size_t round = 0;
            while (++round % 1000 || std::chrono::steady_clock::now() < end) {
                size_t at;
                uint8_t *to;
                columns.take_room(1, 1, &at, &to);
                elsewhere += (uintptr_t)to - (uintptr_t)text != at;
            }
            rounds += round - 1;
        });
    for (std::thread &one : threads) one.join();
    check(!elsewhere, "columns: room is in the same place in all of them");
    check(columns.num_written == rounds && columns.num_bytes == rounds, "columns: all threads have room");
    table.end();
}

/* Two tables: the first words are in one of them, the last ones in the other, and some in both. */
struct Two {
    size_t size, end;           /* of the first, in places, and behind its last word */
    size_t other_size, first;   /* of the other, and its first word */
};
static const Two sparse = {1 << 18, 20000, 1 << 16, 13000};  /* smaller than the first, even if it grows */
static const Two full = {1 << 17, 25000, 1 << 17, 1000};     /* together too much for either */

/* The tables have different secrets if the words collide. They are added in parts, as threads would: if there
 * are many, many words cross an end, and the last part is longer than the others. */
static void check_adding(const Two &two, size_t number_of_parts, bool larger_first) {
    WordTable table, other;
    check(table.start(two.size) && other.start(two.other_size), "there is memory");
    for (size_t length : {15, 32}) {
        count(&table, 0, two.end, length);
        count(&other, two.first, NUMBER, length);
    }
    check(crafted == (other.secret.a != table.secret.a), "words: each table has its secret");
    check(table.mask == two.size - 1 && other.mask == two.other_size - 1, "words: the sizes of tables");
    WordTable *into = larger_first ? &table : &other, *from = larger_first ? &other : &table;
    AddWords both;
    std::vector<AddWords::Part> parts(number_of_parts);
    check(both.start(into, from), "there is memory to add up");
    check(into->mask >= from->mask && 4 * (into->used + from->used) <= 3 * into->mask,
          "words: there is room for those of both tables");
    for (size_t i = 0; i < number_of_parts; i++)
        check(both.add(i, number_of_parts, &parts[i]), "there is memory for a part");
    size_t left = 0;
    for (const AddWords::Part &part : parts) {
        left += part.left.size();
        if (&part == &parts[number_of_parts / 2]) into->crowded = true;  /* so it gets a new secret */
        check(both.finish(part), "there is memory for the rest");
    }
    check(left || number_of_parts < 1000, "words: some cross an end");
    from->end();
    check(into->used == 2 * NUMBER, "words: added up");
    into->for_each([&](const WordEntry &one) {
        uint64_t number = 0;
        memcpy(&number, into->bytes(one) + 8, one.length() == 15 ? 7 : 8);
        const_cast<WordEntry &>(one).count -= number >= two.first && number < two.end;
    });
    check_table(*into, 1, "words: added up, the table");
    check_columns(*into, 1);
    into->end();
}

int main() {
    WordTable table;
    keys_init_module();
    check_long_words();
    check_room();
    check(table.start(1 << 12), "there is memory");
    for (int round = 0; round < 2; round++)
        for (size_t length : {15, 32}) count(&table, 0, NUMBER, length);
    check(is_new(table.secret), "words: the table has moved");
    check_table(table, 2, "words: counted twice");

    table.end();

    for (bool made_to_collide : {true, false})
        for (bool larger_first : {false, true}) {
            crafted = made_to_collide;
            for (size_t parts : {1, 3, 1000}) check_adding(sparse, parts, larger_first);
            check_adding(full, 3, larger_first);
        }
    return wrong;
}

#elif defined(RANKS)

/* Pairs of one left token whose hashes end in the same bits. */
int main() {
    PairRanks ranks;
    std::vector<uint32_t> rights;
    for (uint32_t right = 0; rights.size() < 1000; right++)
        if (!(secret_hash((uint64_t)7 << 32 | right, 0, process_secret) & 4095)) rights.push_back(right);
    check(ranks.start(2000), "there is memory");
    for (uint32_t i = 0; i < 1000; i++) ranks.add(7, rights[i], i, 300 + i);
    for (uint32_t i = 0; i < 1000; i++)
        check(ranks.merge_of(7, rights[i]) == ((uint64_t)i << 32 | (300 + i)), "a merge is found");
    check(ranks.merge_of(8, rights[0]) == NO_MERGE && ranks.merge_of(7, rights[999] + 1) == NO_MERGE,
          "what is no merge is not");
    check(is_new(ranks.table.secret), "ranks: the table has moved");
    check_places(ranks.table, [&](const PairRanks::Entry &one) {
        return secret_hash(one.pair, 0, ranks.table.secret); }, "ranks: places");
    ranks.end();
    return wrong;
}

#else

static Merges merges_that_collide(std::vector<uint32_t> &rights) {
    Merges merges;
    for (uint32_t right = 256; rights.size() < 1000; right++)
        if (!(secret_hash((uint64_t)97 << 32 | right, 0, process_secret) & 2047)) rights.push_back(right);
    check(merges.start(1000), "there is memory");
    for (uint32_t i = 0; i < 1000; i++) merges.add(97, rights[i], 1000 + i);
    return merges;
}

/* A cache that is full again and again has as much room each time, and never more than it may. */
static void check_a_small_cache(const Merges &merges) {
    PretokenCache cache;
    size_t number = 0, number_at_first = 0;
    check(cache.start(1 << 20), "there is memory");
    for (uint64_t i = 0; i < 50000; i++, number++) {
        uint64_t word[4] = {i, i, i, i};
        cache.find_long(merges, (const uint8_t *)word, sizeof word);
        check(cache.num_bytes() <= cache.limit, "a small cache keeps to its limit");
        if (!cache.full) continue;
        if (!number_at_first) number_at_first = number;
        check(2 * number > number_at_first, "a small cache keeps as many words as at first");
        number = 0;
        cache.forget();
    }
    check(number_at_first > 1000 && cache.times_full > 5, "a small cache is full again and again");
    cache.end();
}

int main() {
    std::vector<uint32_t> rights;
    Merges merges = merges_that_collide(rights);
    for (uint32_t i = 0; i < 1000; i++) check(merges.of(97, rights[i]) == 256 + i, "a merge is found");
    check(merges.of(98, rights[0]) == NO_MERGE, "what is no merge is not");
    check(is_new(merges.slots.secret), "merges: the table has moved");
    check_places(merges.slots, [&](const Merges::Slot &one) {
        Merges::Parts parts = merges.parts[one.bits >> 8];
        return Merges::hash_of(parts.left, parts.right, merges.slots.secret); }, "merges: places");
    merges.end();

    Merges few;
    check(few.start(1), "there is memory");
    for (uint32_t i = 0; i < 256; i++) few.ids[i] = i;
    few.add(97, 98, 256);
    cache_init_module();
    PretokenCache cache;
    check(cache.start(8 << 20), "there is memory");
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 5000; i++) {
            uint8_t word[33] = {0};
            memcpy(word, &process_secret.a, 8);
            memcpy(word + 8, &i, 7);
            Key key = key_of(word, 15);
            Found found = cache.find_short(few, word, 15, key, key.hash(cache.shorts.secret));
            check(found.number >= 14 || found.number == NOT_KEPT, "short words: their ids");
            memcpy(word, &process_secret.b, 8);
            memcpy(word + 8, &i, 8);
            memcpy(word + 16, word, 16);
            found = cache.find_long(few, word, 32);
            check(found.number >= 28 || found.number == NOT_KEPT, "long words: their ids");
            if (cache.full) cache.forget();
        }
    check(cache.times_full > 0 && cache.times_full < 4, "the cache was forgotten, but not often");
    check(is_new(cache.shorts.secret) && is_new(cache.longs.secret), "the cache has other secrets");
    check(cache.shorts.used > 4000 && cache.longs.used > 4000, "and keeps the words then");
    cache.end();
    check_a_small_cache(few);
    few.end();
    return wrong;
}
#endif
