/* Words and pairs that were made to collide in the hash tables of this package, and random ones.
 *
 *     g++ -std=c++17 -O3 -DCOUNT -Dprivate=public -Ics336_bpe/native -Ics336_bpe/pretokenize ... &&
 *     ./crafted_words 20000
 *
 * prints for each table and each set of words: the table, the set, how many words, how many seconds (of
 * the processor) it took to look each up twice, and how many places were looked at. A second argument
 * says how often. The sets:
 *
 *     random           words of the same length
 *     another secret   made to collide by somebody who does not know the secret of this process
 *     this secret      by somebody who knows it, which nobody does
 *
 * The hash of two numbers is a product (native/hash.h), so it is 0 for all of which one is that half of the
 * secret. Where there is only one number, those are searched whose hashes end in the same bits.
 */
#include <stddef.h>
static size_t probes;
#define BPE_PROBE() (void)probes++
#include <random>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <time.h>
#include <vector>
#if defined(COUNT)
#include "rolling_counts.h"
#elif defined(CACHE)
#include "perfect_merges.h"
#include "word_cache.h"
#elif defined(RANKS)
#include "pair_ranks.h"
#elif defined(NUMBERS)
#include "merge_numbers.h"
#elif defined(TRAIN)
#include "containers.h"
#endif

enum Set { RANDOM, ANOTHER_SECRET, THIS_SECRET, NUM_SETS };
static const char *const SETS[] = {"random", "another secret", "this secret"};
static const Secret another = {0x0123456789ABCDEFu, 0xFEDCBA9876543210u};
static size_t number = 20000;
static volatile uint64_t sink;  /* what is found must be of use, or nobody looks it up */

template <class Run> static void measure(const char *table, Set set, Run run) {
    probes = 0;
    clock_t start = clock();
    run();
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%s\t%s\t%zu\t%.6f\t%zu\n", table, SETS[set], number, seconds, probes);
}

static uint64_t random_number() {
    static std::mt19937_64 engine(336);
    return engine();
}

/* All of them if random; otherwise those with a hash that ends like that of others. */
template <class HashOf, class Make>
static std::vector<uint64_t> numbers_with(Set set, uint64_t last_bits, Make make, HashOf hash_of) {
    std::vector<uint64_t> found;
    while (found.size() < number) {
        uint64_t one = make(random_number());
        if (set == RANDOM || !(hash_of(one, set == THIS_SECRET ? process_secret : another) & last_bits))
            found.push_back(one);
    }
    return found;
}

#if defined(COUNT) || defined(CACHE)
/* Words whose first 8 bytes, or of each 16 the first 8, are half of a secret. */
static std::vector<std::string> words_of(Set set, size_t length) {
    const Secret &secret = set == THIS_SECRET ? process_secret : another;
    std::vector<std::string> words;
    for (size_t i = 0; i < number; i++) {
        std::string word;
        while (word.size() < length) {
            uint64_t first = length < 16 ? secret.a : secret.b, second = random_number();
            if (set == RANDOM) first = random_number();
            word.append((const char *)&first, 8);
            word.append((const char *)&second, 8);
        }
        words.push_back(word.substr(0, length) + std::string(16, '\0'));
    }
    return words;
}
#endif

#if defined(COUNT)

static void run_one_table(Set set, size_t length) {
    enum { BATCH = 500 };
    WordTable table;
    RollingCounter counter;
    keys_init_module();
    if (!table.start(1 << 12)) abort();
    counter.table = &table;
    std::vector<std::string> words = words_of(set, length);
    std::string name = "counting in one table, " + std::to_string(length) + " bytes", text;
    for (const std::string &word : words) text += word.substr(0, length);
    std::vector<size_t> starts;
    for (size_t i = 0; i <= words.size(); i++) starts.push_back(i * length);
    text += std::string(64, 0);
    measure(name.c_str(), set, [&] {
        for (int round = 0; round < 2; round++)
            for (size_t i = 0; i < words.size(); i += BATCH)
                if (!counter.count_batch((const uint8_t *)text.data(), &starts[i],
                                         words.size() - i < BATCH ? words.size() - i : BATCH)) abort();
    });
    table.end();
}

static void run_all(Set set) {
    CountTable<TinyEntry> tinies;
    CountTable<ShortEntry> shorts;
    LongTable longs;
    if (!tinies.start(1 << 13) || !shorts.start(1 << 12) || !longs.start(1 << 8)) abort();
    std::vector<uint64_t> keys = numbers_with(
        set, 0xFFF, [](uint64_t any) { return (any & 0xFFFFFFFFFFFF) | (uint64_t)6 << 56; },
        [](uint64_t key, const Secret &secret) { return hash_of_key(key, secret); });
    measure("counting, 6 bytes", set, [&] {
        for (int round = 0; round < 2; round++)
            for (uint64_t key : keys) {
                if (!tinies.add(key, tinies.hash_of(key), 1) || !tinies.tidy()) abort();
            }
    });
    std::vector<std::string> words = words_of(set, 15);
    measure("counting, 15 bytes", set, [&] {
        for (int round = 0; round < 2; round++)
            for (const std::string &word : words) {
                ShortKey key = counted_key((const uint8_t *)word.data(), 15);
                if (!shorts.add(key, shorts.hash_of(key), 1) || !shorts.tidy()) abort();
            }
    });
    words = words_of(set, 64);
    measure("counting, 64 bytes", set, [&] {
        for (int round = 0; round < 2; round++)
            for (const std::string &word : words)
                if (!longs.add((const uint8_t *)word.data(), 64, 1)) abort();
    });
    tinies.end(), shorts.end(), longs.end();
    for (size_t length : {15, 64}) run_one_table(set, length);
}

#elif defined(CACHE)

static void run_all(Set set) {
    enum { BATCH = 512 };
    Merges merges;
    keys_init_module();
    if (!merges.start(1)) abort();
    for (uint32_t i = 0; i < 256; i++) merges.ids[i] = i;
    merges.add(97, 98, 256);
    if (!merges.finish()) abort();
    NewWords known = {&merges, NULL, NULL};
    for (size_t length : {15, 64}) {
        WordCache<uint16_t> cache;
        if (!cache.start(64 << 20)) abort();
        std::vector<std::string> words = words_of(set, length);
        std::string name = "encoding, " + std::to_string(length) + " bytes";
        measure(name.c_str(), set, [&] {
            for (int round = 0; round < 2; round++)
                for (size_t i = 0; i < words.size(); i++) {
                    const uint8_t *word = (const uint8_t *)words[i].data();
                    if (length <= SHORT) cache.find_short(known, short_key(word, length));
                    else cache.find_long(known, word, length, long_key(word, length, cache.secret));
                    if (i % BATCH == BATCH - 1) cache.tidy();
                }
        });
        cache.end();
    }
    merges.end();
}

#else

/* Pairs of tokens, of less than 2^20 each. */
static uint64_t any_pair(uint64_t any) { return (any & 0xFFFFF000FFFFF) | (uint64_t)1 << 20; }

#if defined(RANKS)

static void run_all(Set set) {
    PairRanks ranks;
    if (!ranks.start(number)) abort();
    std::vector<uint64_t> pairs = numbers_with(set, 0xFFF, any_pair, [](uint64_t pair,
            const Secret &secret) { return secret_hash(pair, 0, secret); });
    measure("merges with ranks", set, [&] {
        for (size_t i = 0; i < number; i++)
            ranks.add((uint32_t)(pairs[i] >> 32), (uint32_t)pairs[i], (uint32_t)i, (uint32_t)i);
        for (uint64_t pair : pairs) sink = ranks.merge_of((uint32_t)(pair >> 32), (uint32_t)pair);
    });
    ranks.end();
}

#elif defined(NUMBERS)

static void run_all(Set set) {
    Merges merges;
    if (!merges.start(number)) abort();
    std::vector<uint64_t> pairs = numbers_with(set, 0xFFF, any_pair, [](uint64_t pair,
            const Secret &secret) {
        return Merges::hash_of((uint32_t)(pair >> 32), (uint32_t)pair, secret); });
    measure("merges with numbers", set, [&] {
        for (size_t i = 0; i < number; i++)
            merges.add((uint32_t)(pairs[i] >> 32), (uint32_t)pairs[i], (uint32_t)i);
        for (uint64_t pair : pairs) sink = merges.of((uint32_t)(pair >> 32), (uint32_t)pair);
    });
    merges.end();
}

#else

static void run_all(Set set) {
    PairTable<int64_t> table, sample;
    std::vector<uint64_t> any = numbers_with(RANDOM, 0, any_pair, [](uint64_t, const Secret &) { return 0; });
    for (uint64_t pair : any) sample.of(pair);
    size_t size = sample.bucket_count();  /* which will be that of the other, too */
    const size_t chosen = 64;             /* buckets into which they shall all fall */
    std::vector<uint64_t> pairs = numbers_with(set, UINT64_MAX, any_pair, [=](uint64_t pair,
            const Secret &secret) { return secret_hash(pair, 0, secret) % size / chosen; });
    measure("training, stages 09 and 10", set, [&] {
        for (int round = 0; round < 2; round++)
            for (uint64_t pair : pairs) ++*table.of(pair);
    });
}

#endif
#endif

int main(int count, char **arguments) {
    if (count > 1) number = (size_t)atol(arguments[1]);
    sink = 0;
    for (int round = count > 2 ? atoi(arguments[2]) : 1; round > 0; round--)
        for (int set = 0; set < NUM_SETS; set++) run_all((Set)set);
    return 0;
}
