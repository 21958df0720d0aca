/* Tie keys: of two equally frequent pairs, that with the greater keys is merged first (rule 3).
 *
 * In lexicographic order a token's key is its bytes. Hugging Face's order prefers the smaller token
 * number, so there a key is four bytes that sort the other way round than the number.
 */
#ifndef CS336_BPE_TIES_H
#define CS336_BPE_TIES_H

#include <deque>
#include <memory>
#include <stdint.h>
#include <string>

struct TieKey {
    std::string whole;
    uint64_t start; /* its first eight bytes as a number: decides most ties without the string */

    explicit TieKey(const std::string &key) : whole(key), start(0) {
        for (size_t i = 0; i < 8; i++) start = start << 8 | (i < key.size() ? (uint8_t)key[i] : 0);
    }

    bool operator<(const TieKey &other) const {
        return start != other.start ? start < other.start : whole < other.whole;
    }
};

/* The keys of all tokens, by token id. They never move: heap entries have pointers to them. */
struct TieKeys {
    bool by_number;

    const TieKey *at(int32_t token) const { return &(*keys)[token]; }

    void add(const std::string &key) {
        if (!keys) keys.reset(new std::deque<TieKey>());
        keys->push_back(TieKey(key));
    }

    void add_merged(int32_t left, int32_t right) {
        add(by_number ? number_key((uint32_t)keys->size()) : at(left)->whole + at(right)->whole);
    }

private:
    /* Made by `add`: an empty deque needs memory too, and where Cython constructs the members of an
     * object, nobody catches what a constructor throws. */
    std::unique_ptr<std::deque<TieKey>> keys;

    static std::string number_key(uint32_t number) {
        std::string key;
        for (int shift = 24; shift >= 0; shift -= 8) key.push_back((char)(~number >> shift & 0xFF));
        return key;
    }
};

/* What is in a heap of pairs. The greatest entry is the pair to merge next. */
template <class Pair> struct Entry {
    int64_t count;
    Pair pair;
    const TieKey *left, *right;

    bool operator<(const Entry &other) const {
        if (count != other.count) return count < other.count;
        if (left != other.left) return *left < *other.left;
        return *right < *other.right;
    }
};

#endif
