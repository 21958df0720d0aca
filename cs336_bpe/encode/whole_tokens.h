/* Pretokens that are a token as a whole, whatever the merges make of them.
 *
 * Some tokenizers look for the whole pretoken in the vocabulary before they merge (tiktoken, and
 * `ignore_merges` of Hugging Face's files). Only pretokens that are new are looked for, so this may be
 * a plain table.
 */
#ifndef CS336_BPE_WHOLE_TOKENS_H
#define CS336_BPE_WHOLE_TOKENS_H

#include <string>
#include <unordered_map>
#include "hash.h"

struct WholeTokens {
    struct Hash {
        size_t operator()(const std::string &token) const noexcept {
            return (size_t)secret_hash_of((const uint8_t *)token.data(), token.size(),
                                          process_secret);
        }
    };
    std::unordered_map<std::string, uint32_t, Hash> ids;
    size_t longest = 0;

    void add(const std::string &token, uint32_t id) {
        ids[token] = id;
        longest = token.size() > longest ? token.size() : longest;
    }

    /* Is this pretoken a token? Then which one? False also if there is no memory to ask. */
    bool find(const uint8_t *text, size_t length, uint32_t *id) const noexcept {
        if (length > longest) return false;
        auto found = ids.find(std::string((const char *)text, length));
        if (found == ids.end()) return false;
        *id = found->second;
        return true;
    }
};

#endif
